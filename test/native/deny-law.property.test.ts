import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DENY_RULES } from '../../src/native/deny-law.ts';
import { floorsOf } from '../../src/native/validating-policy.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../src/webhook/review/trusted-controllers.ts';
import { KNOWN_KINDS } from '../../src/engine/workload/kinds.ts';
import { judgeObject } from '../../src/engine/verdict/judge.ts';
import { validate } from '../support/decisions.ts';
import { nativeDenials } from '../support/native-deny.ts';
import { NOW } from '../support/now.ts';
import { runs } from '../support/runs.ts';
import { clusterPolicyDocument, policyDocument, policySet, requestOf, reviewOf, subjectOf } from '../support/worlds.ts';
import { admitted } from './beside-engine.ts';
import { nativePod } from './native-worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';

const WORLDS = runs(10_000);
const LABELS = { 'kubernetes.io/metadata.name': 'apps' };
const SETTINGS = {
  enforcement: 'Deny',
  mutation: 'On',
  kinds: KNOWN_KINDS,
  controllers: DEFAULT_TRUSTED_CONTROLLERS,
} as const;

const action = fc.constantFrom('Deny', 'Deny', 'Deny', 'Warn', 'Audit', 'Off');
/** Without a floor Deny, the webhook denies them all the same. */
const DENIED_BY_DEFAULT = new Set(['named-port', 'header-value']);
const PARAMETERS: Readonly<Record<string, JsonObject>> = {
  'probe-handler': { allowed: ['httpGet', 'exec'], startupProbe: { allowed: ['tcpSocket'] } },
  'probe-bounds': {
    livenessProbe: { periodSeconds: { minimum: 5, maximum: 30 }, initialDelaySeconds: { maximum: 30 } },
    startupProbe: { failureThreshold: { minimum: 3 }, terminationGracePeriodSeconds: { maximum: 20 } },
  },
};
const checks = fc
  .subarray(Object.keys(DENY_RULES), { minLength: 3 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.record({
          id: fc.constant(id),
          floor: DENIED_BY_DEFAULT.has(id) ? fc.constant('Deny') : action,
          sets: fc.boolean(),
        }),
      ),
    ),
  )
  .map((all) => Object.fromEntries(all.map(({ id, floor, sets }) => [id, { floor, ...(sets && PARAMETERS[id]) }])));
const selector = fc.constantFrom(
  undefined,
  undefined,
  { matchLabels: { app: 'web' } },
  { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] },
);
const floors = fc
  .record({ checks, workloadSelector: selector, containers: fc.constantFrom(undefined, ['*'], ['app', 'sidecar']) })
  .map((spec) => JSON.parse(JSON.stringify(spec)) as JsonObject);
const policies = fc
  .record({
    floors: fc.array(floors, { minLength: 1, maxLength: 2 }),
    own: fc.constantFrom(undefined, {
      checks: { 'named-port': { action: 'Off' }, 'single-failure': { action: 'Warn' } },
    }),
    injecting: fc.constantFrom(undefined, undefined, {
      kubernetesProbeEndpoints: { livenessProbe: '/live' },
      containers: ['*'],
    }),
  })
  .map(({ floors: all, own, injecting }) =>
    policySet(
      ...all.map((spec, index) => clusterPolicyDocument({ ...spec, priority: index }, `floors-${index}`)),
      ...(own ? [policyDocument(own)] : []),
      ...(injecting ? [clusterPolicyDocument(injecting, 'injecting')] : []),
    ),
  );

const KINDS = ['Pod', 'Deployment', 'Job', 'CronJob', 'PodTemplate', 'ReplicationController'] as const;
type Kind = (typeof KINDS)[number];

/** The Pod as the template of a workload. */
function workload(kind: Kind, pod: JsonObject): JsonObject {
  const { metadata, spec } = admitted(pod) as { metadata: JsonObject; spec: JsonObject };
  const object = { metadata: { name: 'web', namespace: 'apps' } };
  const template = { metadata: { labels: metadata['labels'], annotations: metadata['annotations'] }, spec };
  if (kind === 'Pod') return { apiVersion: 'v1', kind, ...admitted(pod) };
  if (kind === 'PodTemplate') return { apiVersion: 'v1', kind, ...object, template };
  if (kind === 'ReplicationController') return { apiVersion: 'v1', kind, ...object, spec: { template } };
  if (kind === 'CronJob')
    return { apiVersion: 'batch/v1', kind, ...object, spec: { jobTemplate: { spec: { template } } } };
  return { apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1', kind, ...object, spec: { template } };
}

/** Where the report says that the native policy denies less. */
function isFewer(object: JsonObject): boolean {
  const text = JSON.stringify(object);
  return /"hostNetwork":true|istio-proxy|linkerd-proxy|kuma-sidecar|consul-dataplane|probewright\.dev\/(?!webhook)/.test(
    text,
  );
}

interface Found {
  readonly action: string;
  readonly check: string;
  readonly container: string;
  readonly probe?: string;
  readonly isFloored?: boolean;
}

/** The floored violations that deny, as the validating policy names them. */
const keysOf = (found: readonly Found[], ids: ReadonlySet<string>): readonly string[] =>
  found
    .filter(({ action: of, isFloored, check }) => of === 'Deny' && isFloored === true && ids.has(check))
    .map(({ check, container, probe }) => `${check} ${container} ${probe ?? ''}`);

/** What the webhook's answer denies. Of two findings with the same advice, the answer shows one. */
function denied(object: JsonObject, old: JsonObject | null, snapshot: Snapshot): readonly Found[] {
  const update = old === null ? {} : { operation: 'UPDATE', oldObject: old };
  const decision = validate(requestOf(reviewOf(object, update)), snapshot, SETTINGS, NOW);
  return (decision as { violations?: readonly Found[] }).violations ?? [];
}

/** All findings of the object, also of those that the object had before. */
const allFindings = (object: JsonObject, snapshot: Snapshot): readonly Found[] =>
  judgeObject(subjectOf(object), snapshot, object['kind'] !== 'Pod', NOW).violations;

it('the validating policy denies what the webhook denies by the floors that are exported, and never more', () => {
  const total = { webhook: 0, native: 0 };
  fc.assert(
    fc.property(
      policies,
      fc.array(fc.tuple(nativePod, nativePod, fc.constantFrom(...KINDS), fc.boolean()), { minLength: 8, maxLength: 8 }),
      (snapshot, pods) => {
        const exported = floorsOf(snapshot).filter(({ check }) => check !== undefined);
        if (exported.length === 0) return;
        const ids = new Set(exported.map(({ id }) => id));
        const native = nativeDenials(exported);
        for (const [pod, before, kind, isUpdate] of pods) {
          const json = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
          const object = json(workload(kind, pod));
          // The validating policy is not asked about updates of Pods.
          const old = isUpdate && kind !== 'Pod' ? json(workload(kind, before)) : null;
          const shown = keysOf(denied(object, old, snapshot), ids);
          const { added, message } = native(object, old, LABELS);
          expect(keysOf(allFindings(object, snapshot), ids)).toEqual(expect.arrayContaining([...added]));
          // Never more: what the webhook allows, the native policy allows.
          if (shown.length === 0) expect(added).toEqual([]);
          if (!isFewer(object) && (old === null || !isFewer(old)))
            expect(added).toEqual(expect.arrayContaining([...shown]));
          expect(Buffer.byteLength(message)).toBeLessThan(5 * 1024);
          total.webhook += shown.length;
          total.native += shown.filter((key) => added.includes(key)).length;
        }
      },
    ),
    { numRuns: WORLDS / 10 },
  );
  console.log(`floors: the native policy denies ${total.native} of ${total.webhook} findings`);
  expect(total.native / total.webhook).toBeGreaterThan(0.7);
  expect(total.native).toBeGreaterThan(WORLDS / 10);
});
