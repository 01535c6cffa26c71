import { beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_KINDS } from '../../src/engine/workload/kinds.ts';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { isWithoutHelm, one, render, valuesFiles, type Rendering } from './helm.ts';
import { cel, typed, type MatchCondition } from './match-conditions.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface Webhook {
  readonly name: string;
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
  readonly clientConfig: JsonObject;
  readonly namespaceSelector: { readonly matchLabels?: object; readonly matchExpressions: readonly Requirement[] };
  readonly objectSelector?: object;
  readonly matchConditions: readonly MatchCondition[];
  readonly rules: readonly { readonly resources: readonly string[]; readonly operations: readonly string[] }[];
}

interface Configuration {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly webhooks: readonly Webhook[];
}

const kinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;

function configurations(rendering: Rendering = {}): Configuration[] {
  const manifests = render(rendering);
  return kinds.map((kind) => one<Configuration>(manifests, kind));
}

const allWebhooks = (rendering: Rendering = {}): Webhook[] =>
  configurations(rendering).flatMap((configuration) => configuration.webhooks);
const isReview = ({ name }: Webhook): boolean => name === 'review-policies.probewright.dev';
/** The webhooks for Pods and workloads. */
const webhooks = (rendering: Rendering = {}): Webhook[] => allWebhooks(rendering).filter((one) => !isReview(one));

describe.skipIf(isWithoutHelm('webhooks.tools.test.ts'))('the webhook configurations', () => {
  it('have the name that the program and its rights know', () => {
    expect(configurations({ release: 'a' }).map(({ metadata }) => metadata.name)).toEqual([
      '00-a-probewright',
      'a-probewright',
    ]);
  });

  it('are called before the injectors of meshes, whatever the release is called', () => {
    const injectors = [
      ...['istio-sidecar-injector', 'istio-sidecar-injector-1-20', 'istio-revision-tag-default', 'a-istio-injector'],
      ...['consul-consul-connect-injector', 'a-consul-connect-injector', '1-consul-connect-injector'],
      ...['kuma-admission-mutating-webhook-configuration', 'linkerd-proxy-injector-webhook-config'],
    ];
    for (const release of ['probewright', 'z', `z${'-very-long'.repeat(5)}`]) {
      const name = configurations({ release })[0]?.metadata.name ?? '';
      expect([...injectors, name].toSorted()[0]).toBe(name);
      expect(name.length).toBeLessThan(64);
    }
  });

  it('are not fought over on AKS', () => {
    for (const { metadata } of configurations({
      overrides: { webhooks: { annotations: { 'admissions.enforcer/disabled': 'false' } } },
    }))
      expect(metadata.annotations['admissions.enforcer/disabled']).toBe('true');
  });

  it.each(valuesFiles())('with %s leave the release’s own namespace and those of the cluster alone', (file) => {
    // Whatever is set on top.
    const overrides = {
      webhooks: {
        excludedNamespaces: ['other'],
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['guard', 'kube-system'] }],
        },
      },
    };
    for (const { namespaceSelector } of webhooks({ namespace: 'guard', values: [file], overrides })) {
      const exempt = namespaceSelector.matchExpressions[0];
      expect(exempt).toMatchObject({ key: 'kubernetes.io/metadata.name', operator: 'NotIn' });
      expect(exempt?.values).toEqual(['guard', 'kube-node-lease', 'kube-public', 'kube-system', 'other']);
    }
  });

  it('let values narrow what they look at', () => {
    for (const { namespaceSelector } of webhooks({ values: [`${CHART}/ci/full-values.yaml`] })) {
      expect(namespaceSelector.matchLabels).toEqual({ team: 'shop' });
      expect(namespaceSelector.matchExpressions.slice(1)).toEqual([
        { key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] },
        { key: 'environment', operator: 'In', values: ['production'] },
      ]);
    }
  });

  it('let values narrow which objects they look at, beside the built-in conditions', () => {
    const expression = "request.userInfo.username != 'system:serviceaccount:velero:velero'";
    const selectors = webhooks({ values: [`${CHART}/ci/full-values.yaml`] }).map((webhook) => {
      expect(webhook.matchConditions.at(-1)).toEqual({ name: 'not-of-the-backup', expression });
      expect(webhook.matchConditions[0]?.name).toBe('not-being-deleted');
      return webhook.objectSelector;
    });
    const own = { key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] };
    const given = { key: 'probes', operator: 'NotIn', values: ['none'] };
    expect(selectors).toEqual([
      { matchLabels: { tier: 'web' }, matchExpressions: [own, given] },
      { matchLabels: { tier: 'web' }, matchExpressions: [given] },
      { matchLabels: { tier: 'web' }, matchExpressions: [given] },
    ]);
    expect(webhooks().map(({ objectSelector }) => objectSelector)).toEqual([
      { matchExpressions: [own] },
      undefined,
      undefined,
    ]);
  });

  it('have what every webhook of ours has', () => {
    for (const webhook of webhooks()) {
      expect(webhook).toMatchObject({
        admissionReviewVersions: ['v1'],
        matchPolicy: 'Equivalent',
        sideEffects: 'None',
        clientConfig: { service: { name: 'probewright', namespace: 'probewright', port: 443 } },
      });
      expect(Object.keys(webhook.clientConfig)).toEqual(['service']);
    }
  });

  it('look at every built-in kind, at the custom ones, and at no wildcard or subresource', () => {
    const resources = webhooks({ values: [`${CHART}/ci/custom-kinds-values.yaml`] })
      .slice(1)
      .flatMap(({ rules }) => rules.flatMap((rule) => rule.resources));
    expect(resources.filter((resource) => /[*/]/.test(resource))).toEqual([]);
    const builtIn = BUILT_IN_KINDS.map(({ kind }) => `${kind.toLowerCase()}s`);
    expect([...new Set(resources)].sort()).toEqual([...builtIn, 'services', 'pairs'].sort());
  });

  it('have conditions of type bool, by the types of the API server, with names that are unique and qualified', () => {
    for (const { matchConditions } of webhooks()) {
      for (const { name, expression } of matchConditions) {
        expect(typed.check(expression), expression).toMatchObject({ valid: true, type: 'bool' });
        expect(name).toMatch(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/);
      }
      expect(new Set(matchConditions.map(({ name }) => name)).size).toBe(matchConditions.length);
      expect(matchConditions.length).toBeLessThanOrEqual(64);
    }
  });
});

describe.skipIf(isWithoutHelm('webhooks.tools.test.ts'))('the webhook for policies', () => {
  it('stays as it is with every value, and fails open', () => {
    for (const file of valuesFiles()) {
      const [review, ...others] = allWebhooks({ values: [file] }).filter(isReview);
      expect(others).toEqual([]);
      const { clientConfig, ...rest } = review as Webhook & { readonly clientConfig: { readonly service: object } };
      expect(clientConfig).toMatchObject({ service: { path: '/review-policies', port: 443 } });
      expect(clientConfig).not.toHaveProperty('caBundle');
      expect(rest).toMatchObject({
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        timeoutSeconds: 5,
        rules: [
          {
            apiGroups: ['probewright.dev'],
            apiVersions: ['v1alpha1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            scope: '*',
          },
        ],
      });
      expect(rest).not.toHaveProperty('namespaceSelector');
    }
  });
});

describe.skipIf(isWithoutHelm('webhooks.tools.test.ts'))('the guard for the label that exempts a namespace', () => {
  const label = 'probewright.dev/webhook';
  const namespace = (labels?: object): object => ({ metadata: { name: 'shop', ...(labels && { labels }) } });
  let spec: { variables: { name: string; expression: string }[]; validations: { expression: string }[] };

  beforeAll(() => {
    const manifests = render({ set: ['namespaceOptOutGuard.enabled=true'] });
    ({ spec } = one<{ spec: typeof spec }>(manifests, 'ValidatingAdmissionPolicy'));
  });

  const changes = (oldObject: object | null, object: object): boolean => {
    const [before, after] = spec.variables.map(({ expression }) =>
      String(cel.evaluate(expression, { object, oldObject })),
    );
    return before !== after;
  };

  it('ends its denial with the sentence of the platform team', () => {
    const contact = 'Questions? Ask "us": #platform $(PATH).';
    const overrides = { denial: { contact }, namespaceOptOutGuard: { enabled: true } };
    const [validation] = one<{ spec: { validations: { message: string }[] } }>(
      render({ overrides }),
      'ValidatingAdmissionPolicy',
    ).spec.validations;
    expect(validation?.message).toMatch(/^the label .* or remove it\. Questions\? Ask "us": #platform \$\(PATH\)\.$/);
  });

  it('sees the label being set, changed and removed, and nothing else', () => {
    expect(changes(null, namespace())).toBe(false);
    expect(changes(null, namespace({ team: 'shop' }))).toBe(false);
    expect(changes(null, namespace({ [label]: 'disabled' }))).toBe(true);
    expect(changes(namespace(), namespace({ [label]: 'disabled' }))).toBe(true);
    expect(changes(namespace({ [label]: 'disabled' }), namespace({ [label]: 'disabled', team: 'shop' }))).toBe(false);
    expect(changes(namespace({ [label]: 'disabled' }), namespace())).toBe(true);
  });

  it('lets those pass who may update ClusterProbePolicies', () => {
    expect(spec.validations[0]?.expression).toBe(
      "variables.before == variables.after || authorizer.group('probewright.dev').resource('clusterprobepolicies').check('update').allowed()",
    );
  });
});
