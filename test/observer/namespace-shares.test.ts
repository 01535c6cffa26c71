import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NamespaceShares } from '../../src/observer/namespace-shares.ts';

const keysOf = (shares: Pick<NamespaceShares<unknown>, 'entries'>): string[] =>
  [...shares.entries()].map(([namespace, key]) => `${namespace}/${key}`);

describe('a full store', () => {
  it('drops the oldest value of the namespace that takes the most', () => {
    const shares = new NamespaceShares<string>(4);
    for (const [namespace, key] of [
      ['small', 'a'],
      ['large', 'b'],
      ['large', 'c'],
      ['large', 'd'],
      ['new', 'e'],
    ] as const)
      shares.set(namespace, key, key);
    expect(keysOf(shares)).toEqual(['small/a', 'large/c', 'large/d', 'new/e']);
    expect(shares.size).toBe(4);
  });

  it('counts by weight, so few heavy values lose to many light ones', () => {
    const shares = new NamespaceShares<number>(10, (value) => value);
    shares.set('heavy', 'a', 4);
    shares.set('heavy', 'b', 4);
    shares.set('light', 'c', 1);
    shares.set('light', 'd', 1);
    shares.set('light', 'e', 1);
    expect(keysOf(shares)).toEqual(['heavy/b', 'light/c', 'light/d', 'light/e']);
  });

  it('keeps the place of a key that is set again, and drops a value that is heavier than the bound', () => {
    const shares = new NamespaceShares<number>(10, (value) => value);
    shares.set('apps', 'a', 1);
    shares.set('apps', 'b', 1);
    shares.set('apps', 'a', 5);
    expect(keysOf(shares)).toEqual(['apps/a', 'apps/b']);
    shares.set('apps', 'b', 11);
    expect(keysOf(shares)).toEqual([]);
    shares.set('apps', 'c', 10);
    expect(keysOf(shares)).toEqual(['apps/c']);
  });
});

describe('for every order of calls', () => {
  const call = fc.record({
    namespace: fc.constantFrom('a', 'b', 'c'),
    key: fc.constantFrom('1', '2', '3', '4', '5'),
    value: fc.option(fc.integer({ min: 1, max: 4 })),
  });

  it('the store stays within its bound, and a namespace within its fair part loses nothing', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        const most = 12;
        const shares = new NamespaceShares<number>(most, (value) => value);
        const unbounded = new Map<string, number>();
        const highest = new Map<string, number>();
        for (const { namespace, key, value } of calls) {
          if (value === null) {
            shares.delete(namespace, key);
            unbounded.delete(`${namespace}/${key}`);
          } else {
            shares.set(namespace, key, value);
            unbounded.set(`${namespace}/${key}`, value);
          }
          const own = [...unbounded].filter(([place]) => place.startsWith(`${namespace}/`));
          const weight = own.reduce((sum, [, one]) => sum + one, 0);
          highest.set(namespace, Math.max(weight, highest.get(namespace) ?? 0));
        }
        const held = [...shares.entries()];
        expect(held).toHaveLength(shares.size);
        expect(held.reduce((sum, [, , value]) => sum + value, 0)).toBeLessThanOrEqual(most);
        for (const [namespace, weight] of highest) {
          // Three namespaces: whoever never takes a third of the bound is never the largest one while the store is full.
          if (weight * 3 > most) continue;
          const kept = held.filter(([one]) => one === namespace).map(([, key]) => `${namespace}/${key}`);
          const expected = [...unbounded.keys()].filter((place) => place.startsWith(`${namespace}/`));
          expect(kept.toSorted()).toEqual(expected.toSorted());
        }
      }),
    );
  });
});
