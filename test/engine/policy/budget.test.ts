import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byAge, firstWithoutRoom, type Age, type Use } from '../../../src/engine/policy/budget.ts';

const LIMITS = { objects: 5, bytes: 100 };
const aged = (sizes: number[]): (Age & Use)[] =>
  sizes.map((bytes, index) => ({ name: `o${index}`, created: index, objects: 1, bytes }));

describe('a budget', () => {
  it.each<[sizes: number[], first: string | undefined, exceeded: string | undefined]>([
    [[1, 1, 1, 1, 1], undefined, undefined],
    [[1, 1, 1, 1, 1, 1], 'o5', 'objects'],
    [[50, 50, 1], 'o2', 'bytes'],
    [[50, 51, 1], 'o1', 'bytes'],
    [[101], 'o0', 'bytes'],
    [[], undefined, undefined],
  ])('has room for the oldest: of %j, none for %s', (sizes, first, exceeded) => {
    const found = firstWithoutRoom(aged(sizes).reverse(), LIMITS);
    expect([found?.object.name, found?.exceeded]).toEqual([first, exceeded]);
  });

  it('goes by age, then by namespace and name', () => {
    const all = [
      { name: 'b', namespace: 'n', created: 1 },
      { name: 'a', namespace: 'n', created: 2 },
      { name: 'a', namespace: 'o', created: 1 },
      { name: 'a', namespace: 'n', created: 1 },
    ];
    expect(all.toSorted(byAge)).toEqual([all[3], all[0], all[2], all[1]]);
  });

  it('takes nothing from an older object when a younger one comes', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 200 }), (old, size) => {
        const before = firstWithoutRoom(aged(old), LIMITS)?.object.created ?? old.length;
        const after = firstWithoutRoom(aged([...old, size]), LIMITS)?.object.created ?? old.length + 1;
        expect(after).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});
