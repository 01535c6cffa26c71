import { describe, expect, it } from 'vitest';
import {
  deadlockToKillSeconds,
  failureThresholdBeyond,
  failureThresholdFor,
  faultSpan,
  firstProbeSpan,
  guaranteedRestartSeconds,
  guaranteedStartSeconds,
  isCount,
  isTimingSound,
  longestStartSeconds,
  neverHealthySpan,
  probeTiming,
  longestRecoverySeconds,
  verdictSpan,
} from '../../../src/engine/time/timing.ts';
import { cases } from '../../support/cases.ts';
import type { ProbeTiming, Span } from '../../../src/engine/time/timing.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** A timing by its letters: D, P, T, F, S, with the API server's defaults. */
function timing(letters: { D?: number; P?: number; T?: number; F?: number; S?: number }): ProbeTiming {
  return probeTiming({
    initialDelaySeconds: letters.D,
    periodSeconds: letters.P,
    timeoutSeconds: letters.T,
    failureThreshold: letters.F,
    successThreshold: letters.S,
  });
}

/** The container is up as the kubelet sees it up to this many seconds after its start (PLEG relist, 1 s, plus a sync). */
const SEEN_LATE_SECONDS = 2;

describe('what was measured with the real kubelet worker lies within the formulas', () => {
  // Smallest and largest of 60 workers with random phases.
  it.each<[string, Span, Span]>([
    ['never healthy, refused, P2 T1 F3', { earliest: 4.03, latest: 5.97 }, neverHealthySpan(timing({ P: 2, F: 3 }), 0)],
    ['the same with D3', { earliest: 6.35, latest: 8.32 }, neverHealthySpan(timing({ D: 3, P: 2, F: 3 }), 0)],
    ['hanging, P2 T1 F3', { earliest: 5.02, latest: 7.0 }, neverHealthySpan(timing({ P: 2, T: 1, F: 3 }), 1)],
    [
      'hanging longer than the period, P1 T3 F3',
      { earliest: 9.02, latest: 10 },
      neverHealthySpan(timing({ P: 1, T: 3, F: 3 }), 3),
    ],
    ['deadlock to verdict, P2 F3', { earliest: 4.03, latest: 6.0 }, faultSpan(timing({ P: 2, F: 3 }), 0)],
    ['NotReady, P2 F2', { earliest: 2.01, latest: 3.94 }, faultSpan(timing({ P: 2, F: 2 }), 0)],
    ['first probe with D3, P2', { earliest: 2.35, latest: 2.35 }, firstProbeSpan(timing({ D: 3, P: 2 }))],
  ])('%s', (_name, measured, formula) => {
    expect(measured.earliest).toBeGreaterThanOrEqual(formula.earliest);
    expect(measured.latest).toBeLessThanOrEqual(formula.latest);
  });

  it('F1 without delay was killed after 0.07 s: nothing is guaranteed', () => {
    const once = timing({ F: 1 });
    expect(guaranteedStartSeconds(once)).toBe(0);
    expect(0.07).toBeLessThanOrEqual(neverHealthySpan(once, 0).latest + SEEN_LATE_SECONDS);
  });
});

describe('the worked examples of the formulas', () => {
  const defaults = timing({});

  it('the defaults, refused from the start: given up after 20 to 30 s', () =>
    expect(neverHealthySpan(defaults, 0)).toEqual({ earliest: 20, latest: 30 }));

  it('the defaults, hanging from the start: given up after 21 to 31 s', () =>
    expect(neverHealthySpan(defaults, 1)).toEqual({ earliest: 21, latest: 31 }));

  it('the defaults, deadlocked: dead after 61 s at worst', () =>
    expect(deadlockToKillSeconds(defaults, { graceSeconds: 30, hasPreStop: false })).toBe(61));

  it('the defaults: NotReady after 20 to 30 s, 31 s when hanging', () => {
    expect(faultSpan(defaults, 0)).toEqual({ earliest: 20, latest: 30 });
    expect(faultSpan(defaults, 1).latest).toBe(31);
  });

  it('failureThreshold 30, periodSeconds 10: 290 s guaranteed, 301 s at most', () => {
    const documented = timing({ P: 10, F: 30 });
    expect(guaranteedStartSeconds(documented)).toBe(290);
    expect(longestStartSeconds(documented)).toBe(301);
  });

  it('a preStop hook that hangs makes the end of a deadlocked container 2 s later', () =>
    expect(deadlockToKillSeconds(defaults, { graceSeconds: 30, hasPreStop: true })).toBe(63));

  it('a container that recovers is Ready within S periods and the length of the last probe', () =>
    expect(longestRecoverySeconds(timing({ P: 5, S: 3 }), 1)).toBe(16));

  it('the first second of a delay counts for nothing', () => {
    expect(guaranteedStartSeconds(timing({ D: 1, F: 1 }))).toBe(0);
    expect(guaranteedStartSeconds(timing({ D: 2, F: 1 }))).toBe(1);
  });
});

describe('the guaranteed time of a restart after a liveness kill', () => {
  // max(0, D-1) + (F-1)*P of liveness, against P of the startup probe and the time that the startup probe guarantees.
  it.each(cases('timing', 'startup liveness s') as [JsonObject, JsonObject, number][])(
    'startup %j, liveness %j: %i s',
    (startup, liveness, seconds) => expect(guaranteedRestartSeconds(timing(startup), timing(liveness))).toBe(seconds),
  );
});

describe('the failureThreshold to write', () => {
  it.each(cases('timing', 'reaches s with') as [number, number, number, number][])(
    'reaches %i s with D=%i and P=%i by F=%i, and not by one less',
    (seconds, D, P, F) => {
      expect(failureThresholdFor(seconds, D, P)).toBe(F);
      expect(guaranteedStartSeconds(timing({ D, P, F }))).toBeGreaterThanOrEqual(seconds);
      if (F > 1) expect(guaranteedStartSeconds(timing({ D, P, F: F - 1 }))).toBeLessThan(seconds);
    },
  );

  it.each(cases('timing', 'outlasts s with') as [number, number, number][])(
    'outlasts %i s with P=%i by F=%i, and not by one less',
    (seconds, P, F) => {
      expect(failureThresholdBeyond(seconds, P)).toBe(F);
      expect((F - 1) * P).toBeGreaterThan(seconds);
      expect((F - 2) * P).toBeLessThanOrEqual(seconds);
    },
  );
});

describe('integers as the API server reads them', () => {
  it('absent, null and 0 become the defaults', () => {
    const defaults = {
      initialDelaySeconds: 0,
      periodSeconds: 10,
      timeoutSeconds: 1,
      failureThreshold: 3,
      successThreshold: 1,
    };
    expect(probeTiming({})).toEqual(defaults);
    expect(probeTiming({ periodSeconds: 0, timeoutSeconds: null, successThreshold: 0 })).toEqual(defaults);
  });

  it.each([
    [0, true],
    [1, true],
    [2 ** 53 - 1, true],
    [2 ** 53, false],
    [-1, false],
    [1.5, false],
    [NaN, false],
    ['1', false],
    [null, false],
  ])('%j is a count: %s', (value, is) => expect(isCount(value)).toBe(is));

  it('are sound together when every one of them is a count or absent', () => {
    expect(isTimingSound({})).toBe(true);
    expect(isTimingSound({ periodSeconds: 5, timeoutSeconds: 0, failureThreshold: null })).toBe(true);
    expect(isTimingSound({ periodSeconds: 5, timeoutSeconds: -1 })).toBe(false);
    expect(isTimingSound({ periodSeconds: '5' })).toBe(false);
  });

  it('that are no counts become the defaults', () =>
    expect(probeTiming({ periodSeconds: -1, timeoutSeconds: 1.5, failureThreshold: '4' })).toEqual(probeTiming({})));
});

describe('the time from a fault to the verdict', () =>
  it('is shortest when the connection is refused at once, and longest when each probe hangs', () =>
    expect(verdictSpan(timing({ P: 5, T: 7, F: 4 }))).toEqual({ earliest: 15, latest: 33 })));
