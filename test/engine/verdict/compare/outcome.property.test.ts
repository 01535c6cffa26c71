import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../../../src/engine/facts/snapshot.ts';
import { NO_FACTS, type Facts } from '../../../../src/engine/facts/facts.ts';
import { storedPod } from '../../../../src/webhook/review/stored-pod.ts';
import { outcomeOf, type WorkloadOutcome } from '../../../../src/engine/verdict/compare/outcome.ts';
import { readPods } from '../../../../src/engine/workload/read-pod.ts';
import { judgeObject, type Workload } from '../../../../src/engine/verdict/judge.ts';
import {
  isPod,
  KNOWN_KINDS,
  podTemplatesOf,
  templatesToLookAt,
  workloadKindOfManifest,
} from '../../../../src/engine/workload/kinds.ts';
import { anyWorkload } from '../../../support/arbitrary-workloads.ts';
import { NOW } from '../../../support/now.ts';
import { clusterDocument, labels, NAMESPACES, namespaceDocument } from '../../../robustness/random-worlds.ts';
import { exceptionDocument, withExceptionsInApps } from '../../../support/exceptions.ts';
import { validate } from '../../../support/decisions.ts';
import { parsedPolicy, policyDocument, requestOf, reviewOf, VALIDATE_SETTINGS } from '../../../support/worlds.ts';
import { runs } from '../../../support/runs.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

const sourceOf = ({ kind, metadata }: JsonObject): string => {
  const { namespace = '', name } = metadata as { namespace?: string; name: string };
  return `${String(kind)}/${namespace}/${name}`;
};
const policies = fc.uniqueArray(fc.oneof(clusterDocument, namespaceDocument), { maxLength: 4, selector: sourceOf });

/** A fleet: each workload has its namespace and labels. */
const fleet = fc.array(fc.record({ object: anyWorkload, namespace: fc.constantFrom(...NAMESPACES), labels }), {
  minLength: 1,
  maxLength: 5,
});

function workloadOf(given: JsonObject, namespace: string, podLabels: JsonObject): Workload {
  const object = JSON.parse(JSON.stringify(given).replaceAll('{"app":"web"}', JSON.stringify(podLabels))) as JsonObject;
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found?.kind !== 'checked') throw new Error('no workload');
  return { object, kind, pods: readPods(found.templates, kind), namespace, name: 'web' };
}

it('a workload that a change of policies does not reach has the outcome of a full comparison', () => {
  const seen = { unchanged: 0, changed: 0 };
  const base = policyDocument({ containers: ['*'], checks: { 'required-liveness': { action: 'Deny' } } }, 'base');
  const bare: JsonObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: { containers: [{ name: 'app', image: 'example.test/app:1' }] },
  };
  const example = [{ object: bare, namespace: 'apps', labels: { app: 'web' } }];
  const namespaceLabels = fc.array(labels, { minLength: NAMESPACES.length, maxLength: NAMESPACES.length });
  fc.assert(
    fc.property(policies, policies, fleet, namespaceLabels, (old, applied, workloads, ofNamespaces) => {
      const facts: Facts = {
        ...NO_FACTS,
        namespaceLabels: new Map(
          NAMESPACES.map((name, index) => [name, new Map(Object.entries(ofNamespaces[index] ?? {}))]),
        ),
      };
      // A policy that is not applied again is the same object before and after.
      const [kept, fresh] = [old.map(parsedPolicy), applied.map(parsedPolicy)];
      const sources = new Set(fresh.map(({ source }) => source));
      const before = Snapshot.of(CHECK_CATALOGUE, kept, facts);
      const after = Snapshot.of(
        CHECK_CATALOGUE,
        [...kept.filter(({ source }) => !sources.has(source)), ...fresh],
        facts,
      );
      for (const { object, namespace, labels: podLabels } of workloads) {
        const workload = workloadOf(object, namespace, podLabels);
        const outcome = (later: Snapshot): WorkloadOutcome => outcomeOf(workload, before, later, storedPod, NOW);
        const shown = outcome(after);
        // Facts that are another object may be other facts: nothing is left out then.
        expect(shown).toEqual(outcome(after.withFacts({ ...facts })));
        const count = shown.probes.length + shown.violations.length;
        seen[count === 0 ? 'unchanged' : 'changed'] += 1;
      }
    }),
    {
      numRuns: runs(100),
      examples: [
        [[], [base], example, []],
        [[base], [], example, []],
      ],
    },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});

it('what would be denied at creation, and at an update that adds no violation, is what /validate denies', () => {
  const seen = { creation: 0, update: 0, warned: 0 };
  const checks = ['named-port', 'required-liveness', 'required-readiness', 'startup-budget', 'single-failure'];
  const exception = fc.record({
    checks: fc.subarray(checks, { minLength: 1 }),
    expires: fc.constantFrom('2026-06-30T00:00:00Z', '2026-07-31T00:00:00Z'),
  });
  const strict = policyDocument(
    {
      containers: ['*'],
      checks: { 'required-liveness': { action: 'Deny' }, 'required-readiness': { action: 'Deny' } },
    },
    'strict',
  );
  const bare: JsonObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps' },
    spec: {
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'a.test/a:1' }] } },
    },
  };
  const ended = { checks: ['required-liveness'], expires: '2026-06-30T00:00:00Z' };
  fc.assert(
    fc.property(
      policies,
      fc.array(exception, { maxLength: 2 }),
      anyWorkload,
      labels,
      (documents, given, made, podLabels) => {
        const workload = workloadOf(made, 'apps', podLabels);
        const named = { workloads: [{ kind: workload.kind.kind, name: 'web' }] };
        const exceptions = given.map((spec, index) => exceptionDocument({ ...named, ...spec }, { name: `e${index}` }));
        const before = Snapshot.of(CHECK_CATALOGUE, []);
        const after = withExceptionsInApps(Snapshot.of(CHECK_CATALOGUE, documents.map(parsedPolicy)), exceptions);
        const { metadata } = workload.object as { metadata: JsonObject };
        const object = { ...workload.object, metadata: { ...metadata, name: 'web', namespace: 'apps' } };
        const changed = structuredClone(object);
        for (const { template } of podTemplatesOf(changed, workload.kind)) {
          const { metadata: ofPod } = template as { metadata?: JsonObject };
          Object.assign(template, {
            metadata: { ...ofPod, annotations: { ...(ofPod?.['annotations'] as JsonObject), touched: '1' } },
          });
        }
        const transition = (review: JsonObject): string | undefined => {
          const settings = { ...VALIDATE_SETTINGS, kinds: KNOWN_KINDS };
          const denies = (inForce: Snapshot): boolean =>
            validate(requestOf(review), inForce, settings, NOW).result === 'deny';
          return denies(before) === denies(after) ? undefined : denies(after) ? 'new' : 'gone';
        };
        const creation = transition(reviewOf(object));
        const update = transition(reviewOf(changed, { operation: 'UPDATE', oldObject: object }));
        const { denied, deniedAtUpdate, warned } = outcomeOf({ ...workload, object }, before, after, storedPod, NOW);
        expect([denied, deniedAtUpdate]).toEqual([creation, isPod(workload.kind) ? undefined : update]);
        const warns = (inForce: Snapshot): boolean =>
          judgeObject({ ...workload, object }, inForce, true, NOW).violations.some(({ action }) => action === 'Warn');
        expect(warned).toBe(warns(before) === warns(after) ? undefined : warns(after) ? 'new' : 'gone');
        seen.creation += Number(creation === 'new');
        seen.update += Number(update === 'new');
        seen.warned += Number(creation === 'new' && update === undefined);
      },
    ),
    {
      numRuns: runs(100),
      examples: [
        [[strict], [], bare, { app: 'web' }],
        [[strict], [ended], bare, { app: 'web' }],
      ],
    },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});
