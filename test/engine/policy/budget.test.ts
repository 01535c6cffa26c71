import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byAge, fairLevel, oldestWithin, type Limits, type Size } from '../../../src/engine/policy/budget.ts';

const LIMITS: Limits = { object: 1000, objects: 5, bytes: 100, total: 1000 };
const sized = (bytes: number): Size => ({ bytes, memory: 3 * bytes });

describe('the budget of a namespace', () => {
  it.each<[sizes: number[], level: number, count: number, exceeded: string | undefined]>([
    [[1, 1, 1, 1, 1], Infinity, 5, undefined],
    [[1, 1, 1, 1, 1, 1], Infinity, 5, 'objects'],
    [[50, 50, 1], Infinity, 2, 'bytes'],
    [[50, 51, 1], Infinity, 1, 'bytes'],
    [[10, 10, 10], 60, 2, 'total'],
    [[10], 29, 0, 'total'],
    [[], 0, 0, undefined],
  ])('has room for the oldest: of %j with a level of %d for %d', (sizes, level, count, exceeded) => {
    const within = oldestWithin(sizes.map(sized), LIMITS, level);
    const bytes = sizes.slice(0, count).reduce((sum, each) => sum + each, 0);
    expect(within).toEqual({ count, exceeded, use: { objects: count, bytes, memory: 3 * bytes } });
  });

  it('goes by age, then by name', () => {
    const all = [
      { name: 'b', created: 1 },
      { name: 'a', created: 2 },
      { name: 'a', created: 1 },
    ];
    expect(all.toSorted(byAge)).toEqual([all[2], all[0], all[1]]);
  });
});

describe('the level that namespaces are cut to', () => {
  it.each<[weights: number[], total: number, level: number]>([
    [[], 10, Infinity],
    [[1, 2, 3], 6, Infinity],
    [[1, 2, 4], 6, 3],
    [[10, 10], 10, 5],
    [[1, 100, 100], 11, 5],
    [[5], 0, 0],
  ])('is fair: of %j and %d it is %d', (weights, budget, level) => expect(fairLevel(weights, budget)).toBe(level));

  const wanted = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 12 });
  const total = fc.integer({ min: 0, max: 3000 });

  it('keeps all within the total, cuts the largest first, and leaves a fair share alone', () =>
    fc.assert(
      fc.property(wanted, total, (all, budget) => {
        const level = fairLevel(all, budget);
        expect(all.reduce((sum, each) => sum + Math.min(each, level), 0)).toBeLessThanOrEqual(budget);
        for (const each of all) if (each <= budget / all.length) expect(each).toBeLessThanOrEqual(level);
      }),
    ));

  it('depends on nothing but that a namespace wants more', () =>
    fc.assert(
      fc.property(wanted, total, fc.integer({ min: 1, max: 50 }), (all, budget, more) => {
        const level = fairLevel(all, budget);
        expect(
          fairLevel(
            all.map((each) => (each > level ? level + more : each)),
            budget,
          ),
        ).toBe(level);
      }),
    ));
});
