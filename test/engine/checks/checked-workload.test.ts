import { expect, it, vi } from 'vitest';
import { checkedWorkload } from '../../../src/engine/checks/checked-workload.ts';
import { observedStarts } from '../../../src/engine/checks/lib/startup-probe.ts';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { KNOWN_KINDS, POD_KIND, workloadKind } from '../../../src/engine/workload/kinds.ts';
import { appContainer } from '../../support/worlds.ts';
import type { WorkloadStarts } from '../../../src/engine/facts/startup-profile.ts';

const DEPLOYMENT = workloadKind('apps', 'Deployment', KNOWN_KINDS) ?? POD_KIND;
const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'apps' } };
const spec = { containers: ['a', 'b', 'c'].map((name) => appContainer({ name })) };

it('finds the main container of a workload once, however many checks ask', () => {
  const annotations = vi.fn(() => ({}));
  const metadata = Object.defineProperty({}, 'annotations', { get: annotations });
  const workload = checkedWorkload(object, DEPLOYMENT, { template: { metadata, spec }, path: [] });
  annotations.mockClear();
  for (let asked = 0; asked < 3; asked++) expect(workload.main()).toBeUndefined();
  expect(annotations.mock.calls.length).toBeLessThanOrEqual(1);
});

it('looks for the learned starts of a workload once, however many containers it has', () => {
  const starts = new ByNamespace<WorkloadStarts>(new Map());
  const find = vi.spyOn(starts, 'find');
  const circumstances = { namespace: 'apps', facts: { ...NO_FACTS, starts } };
  const workload = checkedWorkload(object, DEPLOYMENT, { template: { spec }, path: [] }, circumstances);
  for (const container of workload.containers) expect(observedStarts(container)).toBeUndefined();
  expect(find).toHaveBeenCalledTimes(1);
});
