import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { checkedWorkload, type CheckedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { defaultsOf } from '../../../src/engine/policy/check-parameters.ts';
import { readPods } from '../../../src/engine/workload/read-pod.ts';
import { BUILT_IN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../../src/engine/workload/kinds.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describe('the handlers that a check names', () =>
  it('are the only ones that it reports: a container without such a probe has no finding', () => {
    const named = CHECKS.filter(({ handlers }) => handlers !== undefined);
    expect(named.map(({ id }) => id)).toContain('exec-shell');
    fc.assert(
      fc.property(anyWorkload, (object) => {
        for (const workload of workloadsOf(object))
          for (const container of workload.pod.containers)
            for (const { handlers, parameters, run, id } of named) {
              if (container.probes.some(({ handler }) => handlers?.includes(handler.kind))) continue;
              expect([id, run(container, defaultsOf(parameters), workload)]).toEqual([id, []]);
            }
      }),
      { numRuns: runs(300) },
    );
  }));

function workloadsOf(object: JsonObject): CheckedWorkload[] {
  const kind = workloadKindOfManifest(object, BUILT_IN_KINDS);
  return kind === undefined
    ? []
    : readPods(podTemplatesOf(object, kind), kind).map((pod) => checkedWorkload(pod, { object }));
}
