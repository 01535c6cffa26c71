import type { WebhookProcess } from './webhook-process.ts';

/** A rule of a webhook configuration, for every version of a group's resources. */
export function rule(apiGroup: string, resources: string[], operations: string[]): object {
  return { apiGroups: [apiGroup], apiVersions: ['*'], resources, operations };
}

/** A Mutating- or ValidatingWebhookConfiguration that points the API server at a webhook process; `extra` goes into its one entry. */
export function webhookConfiguration(
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
  verb: 'mutate' | 'validate',
  webhook: WebhookProcess,
  rules: object[],
  extra: object = {},
): object {
  const clientConfig = { url: `${webhook.url}/${verb}`, caBundle: Buffer.from(webhook.caPem).toString('base64') };
  const settings = { failurePolicy: 'Fail', sideEffects: 'None', timeoutSeconds: 5, admissionReviewVersions: ['v1'] };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'probewright' },
    webhooks: [{ name: `${verb}.probewright.dev`, clientConfig, rules, ...settings, ...extra }],
  };
}
