import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../../../src/engine/facts/snapshot.ts';
import { NO_FACTS, type Facts } from '../../../../src/engine/facts/facts.ts';
import { outcomeOf, type Outcome } from '../../../../src/engine/verdict/compare/outcome.ts';
import { readPods } from '../../../../src/engine/workload/read-pod.ts';
import type { Workload } from '../../../../src/engine/verdict/judge.ts';
import { KNOWN_KINDS, templatesToLookAt, workloadKindOfManifest } from '../../../../src/engine/workload/kinds.ts';
import { anyWorkload } from '../../../support/arbitrary-workloads.ts';
import { NOW } from '../../../support/now.ts';
import { clusterDocument, labels, NAMESPACES, namespaceDocument } from '../../../robustness/random-worlds.ts';
import { parsedPolicy, policyDocument } from '../../../support/worlds.ts';
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
        const outcome = (later: Snapshot): Outcome => outcomeOf(workload, before, later, NOW);
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
