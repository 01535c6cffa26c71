import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { missedProbes, missedResults } from '../../src/observer/missed/missed-probes.ts';
import { laterTimes, specChangedAt } from '../../src/observer/missed/policy-times.ts';
import { restartLine } from '../../src/explain/fleet-page/live-findings.ts';
import { DEFAULT_SCOPE, isInScope, readWebhookScope } from '../../src/observer/missed/webhook-scope.ts';
import { defaultedPodSpec } from '../../src/engine/probe/api-defaults.ts';
import { anyPod } from '../support/arbitraries.ts';
import { namespaceDocument } from '../robustness/random-worlds.ts';
import { appContainer, mutation, pod, policyDocument, policySet } from '../support/worlds.ts';
import { runs } from '../support/runs.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';
import type { WebhookScope } from '../../src/observer/missed/webhook-scope.ts';

const spec = { port: 'http', kubernetesProbeEndpoints: { livenessProbe: '/livez', readinessProbe: '/readyz' } };
const policies = policySet(policyDocument(spec, 'static'));
const changed = Date.parse('2026-11-20T10:00:00Z');
const after = '2026-11-20T11:00:00Z';
const before = '2026-11-20T09:00:00Z';

/** The Pod as the API server stores it: defaults, the service account's volume, a status. */
function stored(object: JsonObject, creationTimestamp = after, status: JsonObject = { phase: 'Running' }): JsonObject {
  const podSpec = object['spec'] as JsonObject;
  const volume = { name: 'kube-api-access-x2x4c', projected: { sources: [] } };
  return {
    ...object,
    metadata: { ...(object['metadata'] as JsonObject), creationTimestamp, uid: 'u' },
    spec: {
      ...defaultedPodSpec(podSpec),
      serviceAccountName: 'default',
      volumes: [...((podSpec['volumes'] as unknown[] | undefined) ?? []), volume],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
    status,
  };
}

function told(
  object: JsonObject,
  options: { snapshot?: Snapshot; scope?: WebhookScope; at?: number | undefined } = {},
): string | undefined {
  const { snapshot = policies, scope = DEFAULT_SCOPE } = options;
  const at = 'at' in options ? options.at : changed;
  return missedProbes(object, { snapshot, scope, changedAt: () => at })?.cause;
}

const bare = pod([appContainer()]);

describe('a Pod without the probes of today', () => {
  it('was missed when it is younger than the policy', () => {
    expect(told(stored(bare, after))).toBe('missed');
  });

  it('predates the policy when it is older than the policy, or as old', () => {
    expect(told(stored(bare, before))).toBe('predates');
    expect(told(stored(bare, '2026-11-20T10:00:00Z'))).toBe('predates');
    expect(told(stored(bare, '2026-11-20T10:00:02Z'))).toBe('predates');
    expect(told(stored(bare, '2026-11-20T10:00:03Z'))).toBe('missed');
  });

  it('has an unknown cause when nobody knows when the policy changed', () => {
    expect(told(stored(bare), { at: undefined })).toBe('unknown');
  });

  it('is outdated when an older policy injected other probes', () => {
    const old = policySet(policyDocument({ ...spec, probes: { livenessProbe: { periodSeconds: 30 } } }, 'static'));
    expect(told(stored(mutation(bare, old).after, before))).toBe('outdated');
    expect(told(stored(mutation(bare, policies).after))).toBeUndefined();
  });

  it('is outdated when its policy asks for a probe more', () => {
    const old = policySet(
      policyDocument({ port: 'http', kubernetesProbeEndpoints: { livenessProbe: '/livez' } }, 'static'),
    );
    const given = stored(mutation(bare, old).after, before);
    expect(missedProbes(given, { snapshot: policies, scope: DEFAULT_SCOPE, changedAt: () => changed })).toStrictEqual({
      cause: 'outdated',
      sources: ['ProbePolicy/apps/static'],
    });
  });

  /** A Pod that the webhook has mutated by the policies of today, and another webhook after that. */
  function changedLater(change: (container: Record<string, unknown>, podSpec: JsonObject) => JsonObject): JsonObject {
    const given = stored(mutation(bare, policies).after);
    const podSpec = given['spec'] as { containers: Record<string, unknown>[] } & JsonObject;
    return { ...given, spec: change(podSpec.containers[0] ?? {}, podSpec) };
  }
  const redirected = { httpGet: { path: '/app-health/app/livez', port: 15020, scheme: 'HTTP' }, timeoutSeconds: 1 };
  const proxy = { name: 'istio-proxy', image: 'istio/proxyv2', ports: [{ containerPort: 15090 }] };

  it.each<[string, (container: Record<string, unknown>, podSpec: JsonObject) => JsonObject]>([
    [
      'has redirected a probe to its agent, and added its proxy',
      (container, podSpec) => ({ ...podSpec, containers: [{ ...container, livenessProbe: redirected }, proxy] }),
    ],
    [
      'has changed a timeout',
      (container, podSpec) => {
        const livenessProbe = { ...(container['livenessProbe'] as object), timeoutSeconds: 9 };
        return { ...podSpec, containers: [{ ...container, livenessProbe }] };
      },
    ],
    [
      'has removed a probe',
      (container, podSpec) => ({ ...podSpec, containers: [{ ...container, livenessProbe: undefined }] }),
    ],
    [
      'has added a sidecar that nobody knows',
      (container, podSpec) => ({
        ...podSpec,
        containers: [{ name: 'shipper', image: 's', ports: [{ name: 'http', containerPort: 8080 }] }, container],
      }),
    ],
  ])('is not outdated when another webhook %s', (_, change) => {
    expect(told(changedLater(change))).toBeUndefined();
  });

  it('is outdated although a mesh has redirected one of its probes, when the policy asks for another one', () => {
    const old = policySet(
      policyDocument({ port: 'http', kubernetesProbeEndpoints: { livenessProbe: '/livez' } }, 'static'),
    );
    const given = stored(mutation(bare, old).after, before);
    const [container] = (given['spec'] as { containers: JsonObject[] }).containers;
    const meshed = { ...given, spec: { containers: [{ ...container, livenessProbe: redirected }] } };
    expect(told(meshed)).toBe('outdated');
    expect(told(meshed, { snapshot: old })).toBeUndefined();
  });

  it('is outdated when a policy is in force that was not in force for the Pod, however old the policy is', () => {
    const lower = policyDocument({ port: 'http', kubernetesProbeEndpoints: { livenessProbe: '/livez' } }, 'a');
    const given = stored(mutation(bare, policySet(lower)).after);
    const upper = policyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/readyz' } }, 'b');
    expect(told(given, { snapshot: policySet(lower, upper) })).toBe('outdated');
  });

  it('is not outdated when only the learned budget has changed', () => {
    const startup = policySet(policyDocument({ ...spec, slowStart: { startupSeconds: 60 } }, 'static'));
    const given = stored(mutation(bare, startup).after, before) as {
      metadata: { annotations: Record<string, string> };
      spec: { containers: { startupProbe: Record<string, number> }[] };
    } & JsonObject;
    const [container] = given.spec.containers;
    if (container) container.startupProbe['failureThreshold'] = 99;
    expect(told(given, { snapshot: startup })).toBe('outdated');
    const key = 'probewright.dev/injected';
    given.metadata.annotations[key] = (given.metadata.annotations[key] ?? '').replace(
      '"startupProbe":"',
      '"startupProbe":"learned: 12 starts, longest 41 s, 69 s to start; ',
    );
    expect(told(given, { snapshot: startup })).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ['is being deleted', pod([appContainer()], { metadata: { deletionTimestamp: after } })],
    ['opted out', pod([appContainer()], { metadata: { labels: { 'probewright.dev/webhook': 'disabled' } } })],
    ['is static', pod([appContainer()], { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } })],
    [
      'belongs to a node',
      pod([appContainer()], { metadata: { ownerReferences: [{ kind: 'Node', name: 'n', controller: true }] } }),
    ],
    ['runs to completion', pod([appContainer()], { spec: { restartPolicy: 'OnFailure' } })],
    [
      'has probes of its own',
      pod([
        appContainer({
          livenessProbe: { tcpSocket: { port: 1 } },
          readinessProbe: { tcpSocket: { port: 1 } },
          startupProbe: { tcpSocket: { port: 1 } },
        }),
      ]),
    ],
    [
      'skips the probes',
      pod([appContainer()], {
        metadata: { annotations: { 'probewright.dev/skip': 'all' } },
      }),
    ],
    ['is in another namespace', pod([appContainer()], { metadata: { namespace: 'other' } })],
  ])('is not told when it %s', (_, object) => {
    expect(told(stored(object))).toBeUndefined();
  });

  it.each(['Succeeded', 'Failed'])('is not told when it has ended (%s)', (phase) => {
    expect(told(stored(bare, after, { phase }))).toBeUndefined();
  });

  it('is not told in a namespace that is exempt', () => {
    const cluster = policySet({
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ClusterProbePolicy',
      metadata: { name: 'all' },
      spec,
    });
    const object = stored(pod([appContainer()], { metadata: { namespace: 'kube-system' } }));
    expect(told(object, { snapshot: cluster })).toBeUndefined();
    expect(told(stored(bare), { snapshot: cluster })).toBe('missed');
    const optedOut = cluster.withFacts({
      ...cluster.facts,
      namespaceLabels: new Map([['apps', new Map([['probewright.dev/webhook', 'disabled']])]]),
    });
    expect(told(stored(bare), { snapshot: optedOut })).toBeUndefined();
  });

  it('is told although another injector has added a container with a port', () => {
    const sidecar = { name: 'daprd', image: 'daprio/daprd', ports: [{ containerPort: 3500 }] };
    const main = policySet(policyDocument(spec, 'static'));
    const annotations = { 'dapr.io/enabled': 'true' };
    expect(told(stored(pod([appContainer(), sidecar], { metadata: { annotations } })), { snapshot: main })).toBe(
      'missed',
    );
    const given = mutation(pod([appContainer()], { metadata: { annotations } }), main).after;
    const both = {
      ...given,
      spec: { containers: [sidecar, ...((given['spec'] as JsonObject)['containers'] as unknown[])] },
    };
    expect(told(stored(both), { snapshot: main })).toBeUndefined();
  });

  it('is found by replay: random Pods that were mutated are never told, and others exactly when they would be mutated', () => {
    const team = namespaceDocument.map((document) => ({
      ...document,
      metadata: { name: 'random', namespace: 'apps' },
    }));
    fc.assert(
      fc.property(anyPod, team, (object, document) => {
        const set = policySet(document);
        const inApps = {
          ...object,
          metadata: { ...(object['metadata'] as JsonObject | undefined), namespace: 'apps' },
        };
        const { after: mutated, patch = [], skipped } = mutation(inApps, set);
        if (skipped !== undefined) return;
        expect(told(stored(mutated), { snapshot: set })).toBeUndefined();
        const gets = patch.some(({ path }) => path.startsWith('/spec/'));
        expect(told(stored(inApps), { snapshot: set }) !== undefined).toBe(gets);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the scope of the webhook', () => {
  const configuration = (webhook: JsonObject): JsonObject => ({
    webhooks: [{ name: 'other.example.com' }, { name: 'mutate.probewright.dev', ...webhook }],
  });

  it('is read from the configuration', () => {
    const scope = readWebhookScope(
      configuration({
        namespaceSelector: {
          matchLabels: { tier: 'a' },
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
        },
        objectSelector: { matchExpressions: [{ key: 'job', operator: 'DoesNotExist' }] },
        matchConditions: [{ name: 'lacks-a-probe', expression: 'true' }],
      }),
    );
    if (scope === undefined) throw new Error('no scope');
    const inScope = (namespace: string, labels: Record<string, string>, podLabels = {}): boolean =>
      isInScope(scope, namespace, new Map(Object.entries(labels)), pod([], { metadata: { labels: podLabels } }));
    expect(inScope('apps', { tier: 'a' })).toBe(true);
    expect(inScope('apps', { tier: 'b' })).toBe(false);
    expect(inScope('kube-system', { tier: 'a' })).toBe(false);
    expect(inScope('apps', { tier: 'a' }, { job: 'x' })).toBe(false);
    expect(scope.foreignConditions).toStrictEqual([]);
  });

  it('names conditions that only the API server can evaluate; then nothing is guessed', () => {
    const scope = readWebhookScope(configuration({ matchConditions: [{ name: 'not-argo', expression: 'x' }] }));
    expect(scope?.foreignConditions).toStrictEqual(['not-argo']);
    expect(told(stored(bare), { scope: scope ?? DEFAULT_SCOPE })).toBeUndefined();
  });

  it.each([{}, { webhooks: 7 }, { webhooks: [null, { name: 7 }] }])(
    'is not there without a webhook of ours: %o',
    (object) => {
      expect(readWebhookScope(object)).toBeUndefined();
    },
  );
});

describe('the time of the last change of a policy', () => {
  const creationTimestamp = '2026-11-01T00:00:00Z';
  const entry = (time: string, fields: JsonObject, subresource?: string): JsonObject => ({
    manager: 'kubectl',
    time,
    fieldsV1: fields,
    ...(subresource && { subresource }),
  });

  it('is the creation for a spec that never changed', () => {
    expect(
      specChangedAt({
        generation: 1,
        creationTimestamp,
        managedFields: [entry('2026-11-09T00:00:00Z', { 'f:spec': {} })],
      }),
    ).toBe(Date.parse(creationTimestamp));
  });

  it('is the last write of a manager that owns something of the spec', () => {
    const managedFields = [
      entry('2026-11-02T00:00:00Z', { 'f:spec': {} }),
      entry('2026-11-03T00:00:00Z', { 'f:spec': {}, 'f:metadata': {} }),
      entry('2026-11-04T00:00:00Z', { 'f:metadata': {} }),
      entry('2026-11-05T00:00:00Z', { 'f:status': {}, 'f:spec': {} }, 'status'),
    ];
    expect(specChangedAt({ generation: 3, creationTimestamp, managedFields })).toBe(Date.parse('2026-11-03T00:00:00Z'));
  });

  it('is unknown for a server that did not date the change', () => {
    const managedFields = [entry(creationTimestamp, { 'f:spec': {} })];
    expect(specChangedAt({ generation: 2, creationTimestamp, managedFields })).toBeUndefined();
  });

  it('is the second reading, when the generation has grown between two readings and no write is dated', () => {
    const at = (
      generation: number,
      time: number | undefined,
    ): Map<string, { generation: number; at: number | undefined }> => new Map([['p', { generation, at: time }]]);
    expect(laterTimes(new Map(), at(1, 10), 99)).toStrictEqual(at(1, 10));
    expect(laterTimes(at(1, 10), at(2, undefined), 99)).toStrictEqual(at(2, 99));
    expect(laterTimes(at(1, 10), at(2, 50), 99)).toStrictEqual(at(2, 50));
    expect(laterTimes(at(2, 99), at(2, undefined), 120)).toStrictEqual(at(2, 99));
    expect(laterTimes(at(2, undefined), at(2, undefined), 120)).toStrictEqual(at(2, undefined));
  });

  it.each<[JsonObject]>([
    [{}],
    [{ generation: 2, creationTimestamp }],
    [{ generation: 2, managedFields: [null, 7, { fieldsV1: [] }] }],
  ])('is unknown otherwise: %o', (metadata) => {
    expect(specChangedAt(metadata)).toBeUndefined();
  });
});

describe('the results about missed Pods', () => {
  const web = { namespace: 'apps', group: 'apps', kind: 'Deployment', name: 'web' };

  it('are one for each workload and cause; the count is a property, so that the message does not drift', () => {
    const sources = ['ProbePolicy/apps/static'];
    const causes = ['missed', 'missed', 'missed', 'outdated'] as const;
    const pods = causes.map((cause) => ({ workload: web, missed: { cause, sources } }));
    expect(missedResults(pods)).toStrictEqual([
      [
        web,
        [
          {
            policy: 'ProbePolicy/apps/static',
            rule: 'missed-pods',
            category: 'Missed Pods',
            severity: 'low',
            result: 'warn',
            scored: false,
            message: 'Pods lack probes that new Pods get: the webhook was away when they were created',
            properties: {
              cause: 'missed',
              pods: '3',
              sources: 'ProbePolicy/apps/static',
              fix: 'kubectl rollout restart deployment/web -n apps',
            },
          },
          expect.objectContaining({
            properties: {
              cause: 'outdated',
              pods: '1',
              sources: 'ProbePolicy/apps/static',
              fix: 'kubectl rollout restart deployment/web -n apps',
            },
          }),
        ],
      ],
    ]);
  });

  it.each([
    [{ ...web, kind: 'StatefulSet' }, 'kubectl rollout restart statefulset/web -n apps'],
    [{ ...web, kind: 'DaemonSet' }, 'kubectl rollout restart daemonset/web -n apps'],
    [{ ...web, group: 'argoproj.io', kind: 'Rollout' }, 'kubectl argo rollouts restart web -n apps'],
    [{ ...web, group: '', kind: 'Pod' }, 'Create the Pod again. No controller replaces it.'],
    [
      { ...web, kind: 'ReplicaSet' },
      'Delete its Pods one after the other. kubectl rollout restart does not know the kind ReplicaSet.',
    ],
    [
      { ...web, group: 'example.com' },
      'Let the controller of the workload replace the Pods. kubectl rollout restart does not know the kind.',
    ],
    [
      { ...web, name: 'web; rm -rf /' },
      'Let the controller of the workload replace the Pods. kubectl rollout restart does not know the kind.',
    ],
  ])('say what replaces the Pods of %o', (workload, line) => {
    expect(restartLine(workload)).toBe(line);
  });
});
