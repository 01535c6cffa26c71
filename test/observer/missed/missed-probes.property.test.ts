import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lackingProbes, missedResults } from '../../../src/observer/missed/missed-probes.ts';
import { restartLine } from '../../../src/explain/fleet-page/restart-line.ts';
import { DEFAULT_SCOPE, readWebhookScope } from '../../../src/observer/missed/webhook-scope.ts';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import { anyPod } from '../../support/arbitraries.ts';
import { namespaceDocument } from '../../robustness/random-worlds.ts';
import { appContainer, mutation, pod, policyDocument, policySet } from '../../support/worlds.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { runs } from '../../support/runs.ts';
import { manifestOf, policiesOf, type WorkloadCase } from '../../support/workload-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';

const spec = { port: 'http', kubernetesProbeEndpoints: { livenessProbe: '/livez', readinessProbe: '/readyz' } };
const policies = policySet(policyDocument(spec, 'static'));
const changed = Date.parse('2026-11-20T10:00:00Z');
/** Nobody knows such a time of an annotation, or of a probe for safety. */
const policyChangedAt = (source: string): number | undefined => (source.includes('/') ? changed : undefined);
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

interface Case extends WorkloadCase {
  /** The policies that mutated the Pod, or those of today; nobody has mutated it otherwise. */
  readonly by?: JsonObject | 'today';
  /** What another webhook did after that: to members of the container, where null removes, and to the list. */
  readonly then?: JsonObject;
  readonly before?: readonly JsonObject[];
  readonly behind?: readonly JsonObject[];
  /** 11:00 unless given; the policies changed at 10:00, unless nobody knows. */
  readonly created?: string;
  readonly changed?: 'unknown';
  readonly phase?: string;
  /** ProbePolicy/apps/static unless given. */
  readonly policies?: JsonObject;
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  readonly matchConditions?: readonly JsonObject[];
}

function missed(given: Case): JsonObject {
  const { by, then = {}, before = [], behind = [], created, phase = 'Running' } = given;
  const today = given.policies === undefined ? policies : policiesOf(given.policies);
  const asked = manifestOf(given);
  const object = stored(
    by === undefined ? asked : mutation(asked, by === 'today' ? today : policiesOf(by)).after,
    created,
    { phase },
  );
  const podSpec = object['spec'] as { containers: JsonObject[] } & JsonObject;
  const [first, ...others] = podSpec.containers;
  const members = Object.entries({ ...first, ...then }).filter(([, value]) => value !== null);
  const containers = [...before, Object.fromEntries(members), ...others, ...behind];
  const { namespaceLabels, matchConditions = [] } = given;
  const labels = new Map([['apps', new Map(Object.entries(namespaceLabels ?? {}))]]);
  const scope = readWebhookScope({ webhooks: [{ name: 'mutate.probewright.dev', matchConditions }] });
  const found = lackingProbes(
    { ...object, spec: { ...podSpec, containers } },
    {
      snapshot: namespaceLabels === undefined ? today : today.withFacts({ ...today.facts, namespaceLabels: labels }),
      scope: matchConditions.length > 0 && scope !== undefined ? scope : DEFAULT_SCOPE,
      changedAt: given.changed === 'unknown' ? () => undefined : policyChangedAt,
      since: -Infinity,
    },
  ).missed;
  return { cause: found?.cause, sources: found?.sources };
}

const told = (object: JsonObject, snapshot: Snapshot): string | undefined =>
  lackingProbes(object, { snapshot, scope: DEFAULT_SCOPE, changedAt: policyChangedAt, since: -Infinity }).missed?.cause;

const bare = pod([appContainer()]);

describe('a Pod without the probes of today', () => {
  describeCases('test/fixtures/missed-probes.yaml', ['cause', 'sources'], (given) => missed(given));

  it('is not told where no policy and no annotation asks for probes', () =>
    expect(told(bare, policySet())).toBeUndefined());

  it('is not outdated when only the learned budget has changed', () => {
    const startup = policySet(policyDocument({ ...spec, slowStart: { startupSeconds: 60 } }, 'static'));
    const given = stored(mutation(bare, startup).after, before) as {
      metadata: { annotations: Record<string, string> };
      spec: { containers: { startupProbe: Record<string, number> }[] };
    } & JsonObject;
    const [container] = given.spec.containers;
    if (container) container.startupProbe['failureThreshold'] = 99;
    expect(told(given, startup)).toBe('outdated');
    const key = 'probewright.dev/injected';
    given.metadata.annotations[key] = (given.metadata.annotations[key] ?? '').replace(
      '"startupProbe":"',
      '"startupProbe":"learned: 12 starts, longest 41 s, 69 s to start; ',
    );
    expect(told(given, startup)).toBeUndefined();
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
        expect(told(stored(mutated), set)).toBeUndefined();
        const gets = patch.some(({ path }) => path.startsWith('/spec/'));
        expect(told(stored(inApps), set) !== undefined).toBe(gets);
      }),
      { numRuns: runs(500) },
    );
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
            message: 'Pods lack probes that new Pods get: nothing injected them when the Pods were created',
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
