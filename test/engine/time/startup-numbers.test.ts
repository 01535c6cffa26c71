import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endsInTime, numbersFor, safeAfterRestart } from '../../../src/engine/time/startup-numbers.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/time/timing.ts';

const guaranteed = (integers: object): number => guaranteedStartSeconds(probeTiming({ ...integers }));

describe('the numbers of a startup probe', () => {
  it.each([
    [{ periodSeconds: 5, failureThreshold: 1 }, 300, { periodSeconds: 5, failureThreshold: 61 }],
    [{ periodSeconds: 5, failureThreshold: 1 }, 301, { periodSeconds: 5, failureThreshold: 62 }],
    [{ initialDelaySeconds: 11 }, 30, { initialDelaySeconds: 11 }],
    [{ initialDelaySeconds: 11 }, 31, { initialDelaySeconds: 11, failureThreshold: 4 }],
    [{ failureThreshold: 30 }, 290, { failureThreshold: 30 }],
    [{}, 20, {}],
    [{}, 21, { failureThreshold: 4 }],
    [{}, 0, {}],
  ])('%j for %i s become %j', (given, seconds, wanted) => {
    expect(numbersFor(given, seconds)).toEqual(wanted);
  });

  it('have a longer period where no failureThreshold of the API would be enough', () => {
    const given = { periodSeconds: 1, failureThreshold: 1 };
    expect(numbersFor(given, 2_147_483_646)).toEqual({ periodSeconds: 1, failureThreshold: 2_147_483_647 });
    expect(numbersFor(given, 2_147_483_647)).toEqual({ periodSeconds: 2, failureThreshold: 2_147_483_647 });
  });

  it('guarantee what is asked, and change nothing that guarantees it already', () => {
    const count = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
    const integers = fc.record(
      { initialDelaySeconds: count(1000), periodSeconds: count(1000), failureThreshold: count(100_000) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(integers, fc.integer({ min: 0, max: 2 ** 40 }), (given, seconds) => {
        const numbers = numbersFor(given, seconds);
        expect(guaranteed(numbers)).toBeGreaterThanOrEqual(seconds);
        if (guaranteed(given) >= seconds) expect(numbers).toBe(given);
      }),
    );
  });
});

describe('beside a liveness probe', () => {
  const timing = probeTiming({ periodSeconds: 20, failureThreshold: 7 });

  it('the period is at most what the liveness probe guarantees, and the time to start stays', () => {
    expect(safeAfterRestart(timing, probeTiming({ periodSeconds: 2, failureThreshold: 2 }), 60)).toEqual({
      periodSeconds: 2,
      failureThreshold: 61,
    });
  });

  it.each([
    ['the liveness probe waits as long as the period', { periodSeconds: 10, failureThreshold: 3 }],
    ['the liveness probe kills at once, and no period is short enough', { failureThreshold: 1 }],
  ])('nothing changes where %s', (_, liveness) => {
    expect(safeAfterRestart(timing, probeTiming(liveness), 60)).toBeUndefined();
  });

  it('the period stays where a shorter one could not guarantee the time to start', () => {
    const longest = probeTiming({ periodSeconds: 20, failureThreshold: 2_147_483_647 });
    expect(safeAfterRestart(longest, probeTiming({ periodSeconds: 2, failureThreshold: 2 }), 2 ** 34)).toBeUndefined();
  });
});

describe('a period that is safe after a restart', () => {
  const liveness = (guaranteedSeconds: number) =>
    probeTiming({ periodSeconds: guaranteedSeconds, failureThreshold: 2 });
  const startup = probeTiming({ periodSeconds: 10, failureThreshold: 4 });

  it.each([
    ['is the round period below what the liveness probe guarantees', 3, 30, { periodSeconds: 2, failureThreshold: 16 }],
    ['may be 1 s', 1, 30, { periodSeconds: 1, failureThreshold: 31 }],
    ['needs no change at the same period', 10, 30, undefined],
    ['needs no change at a shorter period', 11, 30, undefined],
  ])('%s', (_, seconds, least, numbers) =>
    expect(safeAfterRestart(startup, liveness(seconds), least)).toEqual(numbers),
  );

  it('is none where the liveness probe guarantees nothing', () =>
    expect(safeAfterRestart(startup, probeTiming({ failureThreshold: 1 }), 30)).toBeUndefined());

  it('is none where the time to start would be below what the law asks for', () => {
    expect(safeAfterRestart(startup, liveness(3), 30)).toBeDefined();
    expect(safeAfterRestart(startup, liveness(3), 31)).toBeUndefined();
  });
});

describe('a failed start ends in time', () => {
  // Refused at once, it ends after 20 s, and after 30 s where each probe hangs.
  const before = probeTiming({ periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 2 });

  it.each([
    ['up to a tenth later where its probes are refused', { periodSeconds: 11, failureThreshold: 2 }, true],
    [
      'not later than that where its probes are refused',
      { initialDelaySeconds: 1, periodSeconds: 11, failureThreshold: 2 },
      false,
    ],
    ['up to a tenth later where its probes hang', { periodSeconds: 11, timeoutSeconds: 11, failureThreshold: 2 }, true],
    [
      'not later than that where its probes hang',
      { periodSeconds: 11, timeoutSeconds: 12, failureThreshold: 2 },
      false,
    ],
  ])('%s', (_, after, isInTime) => {
    expect(endsInTime(before, probeTiming(after))).toBe(isInTime);
  });
});
