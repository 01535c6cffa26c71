import type { WebhookProcess } from './webhook-process.ts';

type Kind = 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';
type Verb = 'mutate' | 'validate';

const settings = { failurePolicy: 'Fail', sideEffects: 'None', timeoutSeconds: 5, admissionReviewVersions: ['v1'] };

/** A rule of a webhook configuration, for every version of a group's resources. */
export function rule(apiGroup: string, resources: string[], operations: string[]): object {
  return { apiGroups: [apiGroup], apiVersions: ['*'], resources, operations };
}

/** A configuration that points the API server at a webhook process; `extra` goes into its one entry. */
export function webhookConfiguration(
  kind: Kind,
  verb: Verb,
  webhook: WebhookProcess,
  rules: object[],
  extra: object = {},
): object {
  const clientConfig = { url: `${webhook.url}/${verb}`, caBundle: Buffer.from(webhook.caPem).toString('base64') };
  return configuration(kind, 'probewright', [
    { name: `${verb}.probewright.dev`, clientConfig, rules, ...settings, ...extra },
  ]);
}

/** A configuration that points at a Service and says nothing of a CA: Probewright is to write that itself. */
export function serviceWebhookConfiguration(
  kind: Kind,
  verb: Verb,
  service: { readonly namespace: string; readonly name: string; readonly port: number },
  options: { readonly rules: object[]; readonly reinvocationPolicy?: string; readonly entries: readonly object[] },
): object {
  const { entries, ...common } = options;
  const clientConfig = { service: { ...service, path: `/${verb}` } };
  const webhooks = entries.map((entry, index) => {
    const name = index === 0 ? `${verb}.probewright.dev` : `${verb}-${index + 1}.probewright.dev`;
    return { name, clientConfig, ...settings, ...common, ...entry };
  });
  return configuration(kind, service.name, webhooks);
}

/** The chart puts the prefix before the name of the mutating one. */
function configuration(kind: Kind, release: string, webhooks: readonly object[]): object {
  const name = kind === 'MutatingWebhookConfiguration' ? `00-${release}` : release;
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
}
