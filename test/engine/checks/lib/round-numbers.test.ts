import { describe, expect, it } from 'vitest';
import {
  adviceIfFast,
  isFastEnough,
  roundGraceUpTo,
  roundPeriodFrom,
  roundPeriodUpTo,
  toWrite,
} from '../../../../src/engine/checks/lib/round-numbers.ts';
import { timedProbe, type TimedProbe } from '../../../../src/engine/workload/pod.ts';
import { workloadOf } from '../workload.ts';
import { appContainer, pod } from '../../../support/worlds.ts';
import type { ProbeTiming } from '../../../../src/engine/probe/timing.ts';
import type { ProbeKind } from '../../../../src/engine/probe/probe.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

const probeOf = (kind: ProbeKind, numbers: JsonObject, spec: JsonObject = {}): TimedProbe => {
  const container = appContainer({ [kind]: { httpGet: { path: '/', port: 'http' }, ...numbers } });
  const found = timedProbe(workloadOf(pod([container], { spec })).pod.containers[0] ?? { probes: [] }, kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
};

it.each([
  [0, undefined, 1],
  [1, 1, 1],
  [1.5, 1, 2],
  [34, 30, 60],
  [60, 60, 60],
  [61, 60, undefined],
])('%d s lies between the round periods of %s and %s s', (seconds, below, above) => {
  expect([roundPeriodUpTo(seconds), roundPeriodFrom(seconds)]).toEqual([below, above]);
});

it.each([
  [0.5, undefined],
  [59, 30],
  [60, 60],
  [119, 60],
  [120, 120],
])('a grace period of at most %d s is %s s', (seconds, grace) => expect(roundGraceUpTo(seconds)).toBe(grace));

describe('advice may give a probe other numbers', () => {
  const fast = (kind: ProbeKind, before: JsonObject, after: Partial<ProbeTiming>, spec?: JsonObject): boolean =>
    isFastEnough(probeOf(kind, before, spec), after);

  it('at any time for a startup probe', () =>
    expect(fast('startupProbe', {}, { failureThreshold: 1000, periodSeconds: 60 })).toBe(true));

  it('while readiness stops the traffic within 60 s', () => {
    expect(fast('readinessProbe', { periodSeconds: 10 }, { failureThreshold: 5 })).toBe(true);
    expect(fast('readinessProbe', { periodSeconds: 10 }, { failureThreshold: 7 })).toBe(false);
  });

  it('while a probe that was slower stays as slow, or gets a tenth slower by its timeout alone', () => {
    const slow = { periodSeconds: 30, failureThreshold: 10, timeoutSeconds: 1 };
    expect(fast('readinessProbe', slow, {})).toBe(true);
    expect(fast('readinessProbe', slow, { timeoutSeconds: 20 })).toBe(true);
    expect(fast('readinessProbe', slow, { failureThreshold: 11 })).toBe(false);
    expect(fast('readinessProbe', { ...slow, periodSeconds: 10 }, { timeoutSeconds: 60 })).toBe(false);
  });

  it('while a deadlocked container is dead within 120 s', () => {
    const given = { periodSeconds: 10, failureThreshold: 3 };
    expect(fast('livenessProbe', given, { failureThreshold: 8 })).toBe(true);
    expect(fast('livenessProbe', given, { failureThreshold: 10 })).toBe(false);
    expect(fast('livenessProbe', { periodSeconds: 60, failureThreshold: 5 }, { failureThreshold: 4 })).toBe(true);
  });

  it('where a long grace period alone makes the kill slow, while the probe gives up within 120 s', () => {
    const given = { periodSeconds: 10, failureThreshold: 3 };
    const grace = (seconds: number): JsonObject => ({ terminationGracePeriodSeconds: seconds });
    expect(fast('livenessProbe', given, { failureThreshold: 10 }, grace(600))).toBe(true);
    expect(fast('livenessProbe', given, { failureThreshold: 13 }, grace(600))).toBe(false);
    expect(fast('livenessProbe', given, { failureThreshold: 10 }, grace(60))).toBe(false);
  });
});

it('advice names the numbers that change, with their edits, and no slow ones', () => {
  const probe = probeOf('livenessProbe', { periodSeconds: 10, failureThreshold: 3 });
  const at = (field: string): unknown => ['spec', 'containers', 0, 'livenessProbe', field];
  expect(toWrite(probe, { periodSeconds: 5, failureThreshold: 3, timeoutSeconds: 2 })).toEqual({
    words: 'periodSeconds: 5 and timeoutSeconds: 2',
    edits: [
      { path: at('periodSeconds'), value: 5 },
      { path: at('timeoutSeconds'), value: 2 },
    ],
  });
  expect(adviceIfFast(probe, { failureThreshold: 4 }, ' for 40 s')).toEqual({
    remedy: 'write failureThreshold: 4 for 40 s',
    edits: [{ path: at('failureThreshold'), value: 4 }],
  });
  expect(adviceIfFast(probe, { failureThreshold: 4 })?.remedy).toBe('write failureThreshold: 4');
  expect(adviceIfFast(probe, { failureThreshold: 40 })).toBeUndefined();
});
