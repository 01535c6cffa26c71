import { expect, it } from 'vitest';
import { PendingStarts } from '../../../src/observer/starts/pending-starts.ts';
import type { MeasuredStart } from '../../../src/observer/starts/measured-start.ts';

const start = (namespace: string, name: string): MeasuredStart => ({
  namespace,
  workload: { apiVersion: 'apps/v1', kind: 'Deployment', name },
  container: 'app',
  image: 'r/app:1',
  sample: { seconds: 30, within: 7, basis: 'startup', restart: false, node: 'n', at: '2026-11-20T10:00:00Z', id: name },
});

it('a namespace with more workloads than the store holds pushes out none of another namespace', () => {
  const pending = new PendingStarts();
  pending.measured(start('apps', 'first'), 0);
  for (let index = 0; index < 21_000; index++) pending.measured(start('tenant', `w-${index}`), 1);
  pending.measured(start('late', 'last'), 2);
  expect(pending.size).toBe(20_000);
  const namespaces = pending.workloads().map(({ namespace }) => namespace);
  expect([namespaces[0], namespaces.at(-1)]).toEqual(['apps', 'late']);
});

it('workloads come in the order of their oldest start, across namespaces', () => {
  const pending = new PendingStarts();
  pending.measured(start('b', 'one'), 1);
  pending.measured(start('a', 'two'), 2);
  pending.measured(start('b', 'three'), 3);
  expect(pending.workloads().map(({ workload }) => workload.name)).toEqual(['one', 'two', 'three']);
});
