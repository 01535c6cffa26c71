import fc from 'fast-check';
import { expect, it } from 'vitest';
import { equalJson, type JsonObject } from '../../../src/base/json/json-value.ts';
import { fieldOrigin, fieldSettings, handlerSettingOf } from '../../../src/engine/defaulting/field-origin.ts';
import { otherSettings } from '../../../src/explain/timeline/explained-fields.ts';
import { HANDLER_KINDS, PROBE_INTEGERS } from '../../../src/engine/probe/probe.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { validPod } from '../../support/arbitraries.ts';
import { clusterDocument, namespaceDocument } from '../../robustness/random-worlds.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import { runs } from '../../support/runs.ts';

const named = (document: JsonObject, name: string): JsonObject => {
  const metadata = { ...(document['metadata'] as JsonObject), name };
  return { ...document, metadata: 'namespace' in metadata ? { ...metadata, namespace: 'apps' } : metadata };
};
const giving = policyDocument(
  { containers: ['*'], kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: '/ready' } },
  'a',
);
const example: [JsonObject, JsonObject[], JsonObject] = [
  policyDocument({}),
  [],
  { metadata: {}, spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 80 }] }] } },
];

it('the layer that is told for a field has the value of the field, and no overridden layer has that value', () => {
  let told = 0;
  const anyTeam = fc.array(namespaceDocument, { maxLength: 3 });
  fc.assert(
    fc.property(fc.oneof(clusterDocument, namespaceDocument), anyTeam, validPod, (first, teams, pod) => {
      const policies = policySet(
        named(first, 'first'),
        giving,
        ...teams.map((team, index) => named(team, `t${index}`)),
      );
      const labels = ((pod['metadata'] as JsonObject | undefined)?.['labels'] ?? {}) as Record<string, string>;
      const policy = policies.policyFor('apps', new Map(Object.entries(labels)));
      for (const injection of permittedDefaulting(readPod(pod, POD_KIND), policy, { mayBeCopy: false }).injections) {
        expect(handlerSettingOf(injection)).toBeDefined();
        const handlers = HANDLER_KINDS.flatMap((kind) =>
          Object.entries((injection.probe[kind] ?? {}) as JsonObject).map(
            ([name, value]) => [[kind, name], value] as const,
          ),
        );
        const integers = PROBE_INTEGERS.map((name) => [[name], injection.probe[name]] as const);
        for (const [field, value] of [...handlers, ...integers]) {
          const origin = fieldOrigin(injection, field);
          for (const setting of otherSettings(fieldSettings(injection, field), value))
            expect(equalJson(setting.value, value)).toBe(false);
          expect(origin.by === 'default').toBe(value === undefined);
          if (origin.by !== 'policy') continue;
          told += 1;
          expect(origin.setting?.value).toEqual(value);
          expect(injection.policy.layers).toContain(origin.setting?.layer);
        }
      }
    }),
    { numRuns: runs(500), examples: [example] },
  );
  expect(told).toBeGreaterThan(0);
});
