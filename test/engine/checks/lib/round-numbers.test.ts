import { describe, expect, it } from 'vitest';
import { adviceIfFast, isFastEnough, patientAdvice, toWrite } from '../../../../src/engine/checks/lib/round-numbers.ts';
import { timedProbe, type TimedProbe } from '../../../../src/engine/workload/pod.ts';
import { workloadOf } from '../workload.ts';
import { appContainer, pod } from '../../../support/worlds.ts';
import type { ProbeTiming } from '../../../../src/engine/time/timing.ts';
import type { ProbeKind } from '../../../../src/engine/probe/probe.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

const probeOf = (kind: ProbeKind, numbers: JsonObject, spec: JsonObject = {}): TimedProbe => {
  const container = appContainer({ [kind]: { httpGet: { path: '/', port: 'http' }, ...numbers } });
  const found = timedProbe(workloadOf(pod([container], { spec })).pod.containers[0] ?? { probes: [] }, kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
};

describe('advice may give a probe other numbers', () => {
  const fast = (kind: ProbeKind, before: JsonObject, after: Partial<ProbeTiming>, spec?: JsonObject): boolean =>
    isFastEnough(probeOf(kind, before, spec), after);

  it('while a startup probe sees the end of a start at most 5 s later', () => {
    expect(fast('startupProbe', { periodSeconds: 10 }, { periodSeconds: 15, failureThreshold: 1000 })).toBe(true);
    expect(fast('startupProbe', { periodSeconds: 10 }, { periodSeconds: 16, failureThreshold: 1000 })).toBe(false);
  });

  it('while a failed start ends at most a tenth later, if the failures of its startup probe stay', () => {
    const before = { periodSeconds: 10, failureThreshold: 30 };
    expect(fast('startupProbe', before, { periodSeconds: 11 })).toBe(true);
    expect(fast('startupProbe', before, { periodSeconds: 12 })).toBe(false);
    expect(fast('startupProbe', before, { timeoutSeconds: 10 })).toBe(true);
    expect(fast('startupProbe', { ...before, failureThreshold: 3 }, { timeoutSeconds: 5 })).toBe(false);
  });

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

describe('the bounds of fast enough', () => {
  const fast = (kind: ProbeKind, before: JsonObject, after: Partial<ProbeTiming>, grace?: number): boolean =>
    isFastEnough(probeOf(kind, before, grace === undefined ? {} : { terminationGracePeriodSeconds: grace }), after);

  it('are 60 s for readiness, and what was slower stays a bound for another rhythm', () => {
    const given = { periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 3 };
    expect(fast('readinessProbe', given, { failureThreshold: 5 })).toBe(true);
    expect(fast('readinessProbe', { ...given, timeoutSeconds: 1 }, { failureThreshold: 6 })).toBe(false);
    // 20 + 5 * 20 + 1 = 121 s before.
    const slow = { periodSeconds: 20, timeoutSeconds: 1, failureThreshold: 6 };
    expect(fast('readinessProbe', slow, { periodSeconds: 10, failureThreshold: 12 })).toBe(true);
    expect(fast('readinessProbe', slow, { periodSeconds: 11, failureThreshold: 11 })).toBe(false);
  });

  it('are a tenth more for a probe that is slower than 60 s and keeps its rhythm', () => {
    const slow = { periodSeconds: 30, timeoutSeconds: 1, failureThreshold: 3 };
    // 91 s before, so 100.1 s.
    expect(fast('readinessProbe', slow, { timeoutSeconds: 10 })).toBe(true);
    expect(fast('readinessProbe', slow, { timeoutSeconds: 11 })).toBe(false);
    expect(fast('readinessProbe', { ...slow, failureThreshold: 1 }, { timeoutSeconds: 30 })).toBe(true);
  });

  it('count the kill for a liveness probe, and with a long grace period the verdict alone', () => {
    const given = { periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 };
    const most = (grace: number): number =>
      Array.from({ length: 20 }, (_, index) => index + 1).findLast((failureThreshold) =>
        fast('livenessProbe', given, { failureThreshold }, grace),
      ) ?? 0;
    // The verdict comes after 10 F + 1 s, and the container is dead a grace period of at least 2 s later.
    expect([0, 10, 30, 58, 60].map(most)).toEqual([11, 10, 8, 6, 5]);
    // Beyond 60 s, the probe was never the cause, if the container was dead later than 120 s before.
    expect([100, 600].map(most)).toEqual([11, 11]);
    const timed = { ...given, failureThreshold: 9 };
    expect(fast('livenessProbe', timed, { failureThreshold: 12 }, 600)).toBe(false);
    expect(fast('livenessProbe', { ...given, failureThreshold: 1 }, { failureThreshold: 11 }, 61)).toBe(false);
  });
});

describe('more patience', () => {
  const least =
    (seconds: number) =>
    (period: number): number =>
      Math.ceil(seconds / period);
  const remedyOf = (kind: ProbeKind, numbers: JsonObject, leastPeriod: number, seconds: number): unknown =>
    patientAdvice(probeOf(kind, numbers), leastPeriod, least(seconds), '!')?.remedy;

  it('is given by failures at the own period, up to 240 of a startup probe, and then by the first longer period', () => {
    const own = { periodSeconds: 2, failureThreshold: 3 };
    expect(remedyOf('startupProbe', own, 3, 100)).toBe('write failureThreshold: 50!');
    expect(remedyOf('startupProbe', own, 3, 480)).toBe('write failureThreshold: 240!');
    expect(remedyOf('startupProbe', own, 3, 481)).toBe('write periodSeconds: 5 and failureThreshold: 97!');
    expect(remedyOf('startupProbe', own, 6, 481)).toBeUndefined();
    expect(remedyOf('startupProbe', own, 3, 1201)).toBeUndefined();
  });

  it('has at most 10 failures for liveness and readiness, and stays fast', () => {
    const own = { periodSeconds: 2, failureThreshold: 3 };
    expect(remedyOf('livenessProbe', own, 3, 20)).toBe('write failureThreshold: 10!');
    expect(remedyOf('livenessProbe', own, 3, 21)).toBe('write periodSeconds: 5 and failureThreshold: 5!');
    expect(remedyOf('readinessProbe', own, 3, 21)).toBe('write periodSeconds: 5 and failureThreshold: 5!');
    expect(remedyOf('readinessProbe', own, 3, 200)).toBeUndefined();
  });

  it('never lowers the failures, and leaves more of them than advice would write as they are', () => {
    expect(remedyOf('startupProbe', { periodSeconds: 5, failureThreshold: 70 }, 10, 60)).toBe('write !');
    expect(remedyOf('livenessProbe', { periodSeconds: 1, failureThreshold: 12 }, 2, 3)).toBe('write !');
  });

  it('gives the default of three failures, or else two, to a liveness or readiness probe with one', () => {
    const one = { periodSeconds: 10, failureThreshold: 1 };
    expect(remedyOf('livenessProbe', one, 10, 5)).toBe('write failureThreshold: 3!');
    expect(remedyOf('readinessProbe', { ...one, periodSeconds: 25 }, 30, 5)).toBe('write failureThreshold: 2!');
    expect(remedyOf('startupProbe', one, 10, 5)).toBe('write !');
  });
});
