import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INJECTED_ANNOTATION } from '../../src/engine/policy/annotations.ts';
import { anyPod } from '../support/arbitraries.ts';
import { appContainer, mutation, pod, policyDocument, policySet, reviewOf } from '../support/worlds.ts';
import { IMAGE, MONITORING_API, isWithoutHelm, render, renderText, type Manifest } from './helm.ts';
import { unmetConditions, type MatchCondition } from './match-conditions.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

interface Witness {
  readonly failurePolicy: string;
  readonly matchConstraints: {
    readonly namespaceSelector: JsonObject;
    readonly objectSelector: JsonObject;
    readonly resourceRules: readonly JsonObject[];
  };
  readonly matchConditions: readonly MatchCondition[];
  readonly validations: readonly { readonly expression: string; readonly message: string }[];
}

const enabled = ['witness.enabled=true'];
const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter((one) => one.kind === kind);
const named = (manifests: readonly Manifest[], kind: string): JsonObject | undefined => ofKind(manifests, kind)[0];

describe.skipIf(isWithoutHelm('witness.tools.test.ts'))('the witness', () => {
  const rendered = (): Manifest[] => [...render({ set: enabled })];
  const witness = (): Witness => named(rendered(), 'ValidatingAdmissionPolicy')?.['spec'] as Witness;

  /** Whether the API server counts the Pod at its creation. */
  function counts(object: JsonObject, userInfo: JsonObject = { username: 'jane' }): boolean {
    const { request } = reviewOf(object, { userInfo });
    const { matchConditions, validations } = witnessSpec;
    if (unmetConditions(matchConditions, request).length > 0) return false;
    return (
      unmetConditions(
        validations.map(({ expression }) => ({ name: 'validation', expression })),
        request,
      ).length > 0
    );
  }
  const witnessSpec = isWithoutHelm('witness.tools.test.ts') ? ({} as Witness) : witness();

  it('is rendered only when asked for, and for servers that have ValidatingAdmissionPolicy v1', () => {
    expect(ofKind(render({}), 'ValidatingAdmissionPolicy')).toStrictEqual([]);
    expect(ofKind(rendered(), 'ValidatingAdmissionPolicy').map(({ metadata }) => metadata.name)).toStrictEqual([
      'probewright-witness',
    ]);
  });

  it('can never reject a Pod: it only audits, and an error is ignored', () => {
    expect(witness().failurePolicy).toBe('Ignore');
    const binding = named(rendered(), 'ValidatingAdmissionPolicyBinding')?.['spec'];
    expect(binding).toStrictEqual({ policyName: 'probewright-witness', validationActions: ['Audit'] });
    expect(JSON.stringify(witness())).not.toContain('paramKind');
  });

  it('looks at the same Pods as the mutating webhook, when they are created', () => {
    const values = { webhooks: { excludedNamespaces: ['legacy'], namespaceSelector: { matchLabels: { tier: 'a' } } } };
    const manifests = render({ set: enabled, overrides: values });
    const webhooks = named(manifests, 'MutatingWebhookConfiguration')?.['webhooks'] as readonly JsonObject[];
    const { matchConstraints } = named(manifests, 'ValidatingAdmissionPolicy')?.['spec'] as Witness;
    expect(matchConstraints.namespaceSelector).toStrictEqual(webhooks[0]?.['namespaceSelector']);
    expect(matchConstraints.objectSelector).toStrictEqual(webhooks[0]?.['objectSelector']);
    expect(matchConstraints.resourceRules).toStrictEqual(webhooks[0]?.['rules']);
  });

  it.each<[string, JsonObject, boolean]>([
    ['no probes', pod([appContainer()]), true],
    ['a startup probe alone', pod([appContainer({ startupProbe: {} })]), true],
    ['a liveness probe', pod([appContainer({ livenessProbe: {} })]), false],
    [
      'a readiness probe in the second container',
      pod([appContainer(), { ...appContainer({ readinessProbe: {} }), name: 'b' }]),
      false,
    ],
    ['our annotation', pod([appContainer()], { metadata: { annotations: { [INJECTED_ANNOTATION]: '{}' } } }), false],
    ['other annotations', pod([appContainer()], { metadata: { annotations: { a: 'b' } } }), true],
    [
      'the annotation to skip',
      pod([appContainer()], { metadata: { annotations: { 'probewright.dev/skip': 'all' } } }),
      false,
    ],
    ['restartPolicy Never', pod([appContainer()], { spec: { restartPolicy: 'Never' } }), false],
    [
      'a static Pod',
      pod([appContainer()], { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      false,
    ],
    ['1001 containers', pod(Array.from({ length: 1001 }, () => appContainer())), false],
  ])('judges a Pod with %s', (_, object, isCounted) => {
    expect(counts(object)).toBe(isCounted);
  });

  it('leaves out Pods that a kubelet creates', () => {
    expect(counts(pod([appContainer()]), { username: 'system:node:n', groups: ['system:nodes'] })).toBe(false);
  });

  it('never counts a Pod that the webhook has given probes, whatever the Pod', () => {
    const policies = policySet(
      policyDocument({ containers: ['*'], probes: { livenessProbe: { tcpSocket: { port: 8080 } } } }),
    );
    fc.assert(
      fc.property(anyPod, (object) => {
        const { after, patch } = mutation(object, policies);
        if (patch !== undefined && patch.length > 0) expect(counts(after)).toBe(false);
      }),
      { examples: [[pod([appContainer()])]] },
    );
  });

  it('has an alert that fires only while Probewright is away', () => {
    const monitoring = ['monitoring.prometheusRule.enabled=true'];
    const text = renderText({ set: [...enabled, ...monitoring], apiVersions: [MONITORING_API], image: IMAGE });
    expect(text).toContain('policy=\\"probewright-witness\\",enforcement_action=\\"audit\\"');
    expect(text).toContain('apiserver_admission_webhook_fail_open_count');
    expect(renderText({ set: monitoring, apiVersions: [MONITORING_API] })).not.toContain(
      'ProbewrightPodsWithoutProbes',
    );
  });
});
