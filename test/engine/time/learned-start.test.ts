import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_LEARNED,
  hasEnoughStarts,
  learnedSeconds,
  learnedTime,
} from '../../../src/engine/time/learned-start.ts';
import { LEAST_START_SECONDS } from '../../../src/engine/time/bounds.ts';
import type { LearnedSettings, StartFigures } from '../../../src/engine/time/learned-start.ts';

const seconds = (figures: Partial<StartFigures>, settings: Partial<LearnedSettings> = {}, period = 5): number =>
  learnedSeconds(
    { starts: 30, longestSeconds: 0, boundSeconds: 0, ...figures },
    { ...DEFAULT_LEARNED, ...settings },
    period,
  );

describe('a learned budget', () => {
  it('is the longest start with the margin, one period and two seconds', () => {
    expect(seconds({ longestSeconds: 41 })).toBe(69);
    expect(seconds({ longestSeconds: 40 }, { margin: 2 }, 10)).toBe(92);
  });

  it('is rounded up to whole seconds', () => expect(seconds({ longestSeconds: 33 }, { margin: 1.1 })).toBe(44));

  it('is twice the bound of a killed start where that is longer', () => {
    expect(seconds({ longestSeconds: 41, boundSeconds: 34 })).toBe(69);
    expect(seconds({ longestSeconds: 41, boundSeconds: 35 })).toBe(70);
  });

  it('keeps within the limits', () => {
    expect(seconds({ longestSeconds: 1 })).toBe(30);
    expect(seconds({ longestSeconds: 1 }, { minimumSeconds: 1 })).toBe(9);
    expect(seconds({ longestSeconds: 1500 })).toBe(1800);
    expect(seconds({ boundSeconds: 5000 }, { maximumSeconds: 60 })).toBe(60);
  });

  it('is the minimum where layers set a minimum above the maximum', () =>
    expect(seconds({ longestSeconds: 50 }, { minimumSeconds: 90, maximumSeconds: 60 })).toBe(90));

  it('covers every known start whose budget is within the maximum', () =>
    fc.assert(
      fc.property(
        fc.nat(86_400),
        fc.nat(86_400),
        fc.double({ min: 1, max: 10, noNaN: true }),
        fc.integer({ min: 1, max: 600 }),
        (longestSeconds, boundSeconds, margin, period) => {
          const budget = seconds({ longestSeconds, boundSeconds }, { margin, maximumSeconds: 1e9 }, period);
          expect(budget).toBeGreaterThanOrEqual(longestSeconds + period + 2);
          expect(budget).toBeGreaterThanOrEqual(2 * boundSeconds);
          expect(Number.isInteger(budget)).toBe(true);
        },
      ),
    ));

  it('needs the minimum of starts', () => {
    const known = (starts: number): boolean =>
      hasEnoughStarts({ starts, longestSeconds: 1, boundSeconds: 0 }, DEFAULT_LEARNED);
    expect([4, 5].map(known)).toEqual([false, true]);
  });

  it('is below no start that has succeeded, whatever maximum a policy sets', () => {
    expect(seconds({ longestSeconds: 5000 })).toBe(5000);
    expect(seconds({ longestSeconds: 90 }, { maximumSeconds: 60 })).toBe(90);
  });

  it('has the limits of the docs', () => {
    expect(DEFAULT_LEARNED).toEqual({ margin: 1.5, minimumStarts: 5, minimumSeconds: 30, maximumSeconds: 1800 });
    expect(LEAST_START_SECONDS).toBe(10);
  });
});

describe('what past starts give a container', () => {
  const own = { starts: 5, longestSeconds: 41, boundSeconds: 0 };

  it('follows from the starts of its image, with a period of 5 s and five starts where nobody says otherwise', () => {
    expect(learnedTime(own)).toEqual({ figures: own, seconds: 69 });
    expect(learnedTime({ ...own, starts: 4 })).toBeUndefined();
    expect(learnedTime(own, { ...DEFAULT_LEARNED, minimumStarts: 6 })).toBeUndefined();
    expect(learnedTime(own, DEFAULT_LEARNED, 6)?.seconds).toBe(70);
  });

  it('is the safety of 300 s at least for another image, until enough of its starts are known', () => {
    const ofAll = { starts: 8, longestSeconds: 12, boundSeconds: 0 };
    const known = { starts: 0, longestSeconds: 0, boundSeconds: 0, ofAll };
    expect(learnedTime(known)).toEqual({ figures: ofAll, seconds: 300, isOfAllImages: true });
    expect(learnedTime({ ...known, starts: 4, longestSeconds: 90 })?.seconds).toBe(300);
    expect(learnedTime({ ...known, starts: 5, longestSeconds: 90 })?.seconds).toBe(142);
    expect(learnedTime(known, DEFAULT_LEARNED, 5, 60)?.seconds).toBe(60);
  });

  it('is what the other images ask for where that is more', () => {
    const ofAll = { starts: 8, longestSeconds: 400, boundSeconds: 0 };
    expect(learnedTime({ starts: 0, longestSeconds: 0, boundSeconds: 0, ofAll })?.seconds).toBe(607);
  });

  it('counts a kill at once', () => {
    expect(learnedTime({ starts: 0, longestSeconds: 0, boundSeconds: 301 })?.seconds).toBe(602);
    expect(learnedTime({ starts: 0, longestSeconds: 0, boundSeconds: 30 })?.seconds).toBe(300);
    expect(learnedTime({ ...own, boundSeconds: 69 })?.seconds).toBe(138);
  });
});
