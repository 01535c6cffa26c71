import { expect, it } from 'vitest';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { workloadState } from '../../../src/observer/failing/workload-waits.ts';

/** A tenant's namespace: Deployments that lack all Pods, each with a warning about its ReplicaSet. */
function namespaceOf(count: number): FailingWorkloads {
  const failing = new FailingWorkloads();
  for (let index = 0; index < count; index += 1) {
    const metadata = { namespace: 'apps', name: `web${index}`, creationTimestamp: '2026-11-20T09:00:00Z' };
    const state = workloadState({ metadata, spec: { replicas: 1, template: {} }, status: {} }, 'apps', 'Deployment');
    if (state !== undefined) failing.workload(state.workload, state);
    failing.event(
      {
        ...{ type: 'Warning', reason: 'FailedCreate', message: 'exceeded quota', metadata: { namespace: 'apps' } },
        involvedObject: { kind: 'ReplicaSet', name: `web${index}-abc` },
      },
      0,
    );
  }
  return failing;
}

function millisecondsOf(failing: FailingWorkloads, count: number): number {
  const before = process.cpuUsage().user;
  expect(failing.findings(1)).toHaveLength(count);
  return (process.cpuUsage().user - before) / 1000;
}

it('four times as many workloads and warnings of one namespace take at most eight times as long', () => {
  const [small, large] = [namespaceOf(1000), namespaceOf(4000)];
  const ratios = Array.from(
    { length: 7 },
    () => millisecondsOf(large, 4000) / Math.max(1, millisecondsOf(small, 1000)),
  );
  expect(Math.min(...ratios)).toBeLessThan(8);
});
