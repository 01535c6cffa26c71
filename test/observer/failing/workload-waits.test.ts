import { describe, expect, it } from 'vitest';
import { workloadState, workloadWaits, type WorkloadState } from '../../../src/observer/failing/workload-waits.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const at = (minute: number): string => `2026-11-20T10:${String(minute).padStart(2, '0')}:00Z`;
const GROUPS: Readonly<Record<string, string>> = { Job: 'batch', CronJob: 'batch' };

function stateOf(kind: string, status: JsonObject, spec: JsonObject = {}): WorkloadState {
  const metadata = { namespace: 'apps', name: 'web', creationTimestamp: at(0) };
  const state = workloadState({ metadata, spec, status }, GROUPS[kind] ?? 'apps', kind);
  if (state === undefined) throw new Error('no state');
  return state;
}

/** The causes of what a workload waits for. */
const causesOf = (state: WorkloadState, ...[warnings = [], failing = [], unready]: Waits): unknown[] =>
  workloadWaits(state, warnings, failing, unready).map(({ cause }) => cause);
type Waits = [
  warnings?: Parameters<typeof workloadWaits>[1],
  failing?: Parameters<typeof workloadWaits>[2],
  unready?: string,
];

describe('a CronJob', () => {
  const run = { lastScheduleTime: at(10) };

  it.each<[string, JsonObject, number]>([
    ['has not run yet', {}, 0],
    ['runs now', { ...run, active: [{ name: 'web-1' }] }, 0],
    ['has ended without any success', { ...run, active: [] }, 1],
    ['has ended, and an earlier run had the last success', { ...run, lastSuccessfulTime: at(9) }, 1],
    ['has succeeded in the instant of its start', { ...run, lastSuccessfulTime: at(10) }, 0],
    ['has succeeded after its start', { ...run, lastSuccessfulTime: at(11) }, 0],
    ['was never scheduled, though somebody ran it', { lastSuccessfulTime: at(11) }, 0],
  ])('whose last run %s waits as it should: %j', (_, status, count) => {
    expect(causesOf(stateOf('CronJob', status))).toEqual(Array(count).fill('workload-failed'));
  });

  it('counts no failure before its last success', () => {
    expect(stateOf('CronJob', { lastSuccessfulTime: at(9) }).succeededAt).toBe(Date.parse(at(9)));
  });
});
