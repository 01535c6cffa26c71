import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byAge,
  EXCEPTION_LIMITS,
  exceededBudget,
  firstWithoutRoom,
  NO_LIMITS,
  NO_USE,
  plus,
  POLICY_BUDGET_BYTES,
  POLICY_LIMITS,
  policyTotal,
  PROFILE_LIMITS,
  SERVICE_LIMITS,
  type Age,
  type Use,
} from '../../../src/engine/policy/budget.ts';

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

describe('the objects of a namespace and of a cluster', () => {
  const kibibytes = (count: number): number => count * 1024;

  it.each<[string, Use, Use]>([
    ['ProbePolicies of a namespace', POLICY_LIMITS, { objects: 100, bytes: kibibytes(192) }],
    ['ProbePolicies', policyTotal(POLICY_BUDGET_BYTES), { objects: 16_000, bytes: kibibytes(8192) }],
    ['ProbeExceptions of a namespace', EXCEPTION_LIMITS, { objects: 1000, bytes: kibibytes(512) }],
    ['ProbeExceptions', EXCEPTION_LIMITS.total, { objects: 40_000, bytes: kibibytes(16_384) }],
    ['Services of a namespace', SERVICE_LIMITS, { objects: 10_000, bytes: kibibytes(2048) }],
    ['Services', SERVICE_LIMITS.total, { objects: 40_000, bytes: kibibytes(8192) }],
    ['StartupProfiles of a namespace', PROFILE_LIMITS, { objects: 10_000, bytes: kibibytes(2048) }],
    ['StartupProfiles', PROFILE_LIMITS.total, { objects: 40_000, bytes: kibibytes(12_288) }],
  ])('have room for %s as docs/limits.md says, and for no more', (_, limits, { objects, bytes }) => {
    expect(exceededBudget({ objects, bytes }, limits)).toBeUndefined();
    expect(exceededBudget({ objects: objects + 1, bytes }, limits)).toBe('objects');
    expect(exceededBudget({ objects, bytes: bytes + 1 }, limits)).toBe('bytes');
  });

  it('have a size of one object as docs/limits.md says', () => {
    const sizes = [EXCEPTION_LIMITS, SERVICE_LIMITS, PROFILE_LIMITS].map(({ object }) => object);
    expect(sizes).toEqual([kibibytes(128), kibibytes(8), kibibytes(16)]);
    expect([POLICY_LIMITS.object, NO_LIMITS.object]).toEqual([Infinity, Infinity]);
  });

  it('have any number of objects without limits', () => {
    const many = { objects: 1e9, bytes: 1e15 };
    expect([exceededBudget(many, NO_LIMITS), exceededBudget(many, NO_LIMITS.total)]).toEqual([undefined, undefined]);
  });

  it('have room for 2,000 policies a mebibyte, rounded up', () => {
    expect(policyTotal(kibibytes(1024)).objects).toBe(2000);
    expect(policyTotal(1).objects).toBe(1);
    expect(policyTotal(0)).toEqual(NO_USE);
  });

  it('add up', () =>
    expect(plus({ objects: 1, bytes: 20 }, { objects: 2, bytes: 30 })).toEqual({ objects: 3, bytes: 50 }));
});
