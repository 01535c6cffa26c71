import { expect, it, vi } from 'vitest';
import { checkedWorkload, numberOf } from '../../../src/engine/checks/checked-workload.ts';
import { observedStarts } from '../../../src/engine/checks/lib/startup-probe.ts';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { KNOWN_KINDS, POD_KIND, workloadKind } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { appContainer } from '../../support/worlds.ts';
import type { WorkloadStarts } from '../../../src/engine/facts/startup-profile.ts';

const DEPLOYMENT = workloadKind('apps', 'Deployment', KNOWN_KINDS) ?? POD_KIND;
const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'apps' } };
const spec = { containers: ['a', 'b', 'c'].map((name) => appContainer({ name })) };

it('looks for the learned starts of a workload once, however many containers it has', () => {
  const starts = new ByNamespace<WorkloadStarts>(new Map());
  const find = vi.spyOn(starts, 'find');
  const around = { object, namespace: 'apps', facts: { ...NO_FACTS, starts } };
  const workload = checkedWorkload(readPod({ spec }, DEPLOYMENT), around);
  for (const container of workload.pod.containers) expect(observedStarts(container, workload)).toBeUndefined();
  expect(find).toHaveBeenCalledTimes(1);
});

it.each([
  [3, 3],
  [0, 0],
  [null, undefined],
  [undefined, undefined],
  ['3', NaN],
  [-1, NaN],
  [1.5, NaN],
])('reads %j in the spec of the object as %s', (replicas, expected) => {
  const workload = checkedWorkload(readPod({ spec }, DEPLOYMENT), { object: { ...object, spec: { replicas } } });
  expect(numberOf(workload, 'replicas')).toBe(expected);
});
