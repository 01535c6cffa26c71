import { queryObjects } from 'node:v8';
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

describe('a full store of many namespaces', () => {
  /** In milliseconds: as many new values as the store holds, one after the other. */
  function replaceAll(namespaces: number): number {
    const shares = new NamespaceShares<number>(20_000);
    const fill = (from: number): void => {
      for (let index = 0; index < 20_000; index++) shares.set(`team-${index % namespaces}`, `${from + index}`, index);
    };
    fill(0);
    const began = performance.now();
    fill(20_000);
    return performance.now() - began;
  }

  it('replaces a value as fast as one of few namespaces', () => {
    const [few, many] = [10, 10_000].map((namespaces) => Math.min(...[1, 2, 3].map(() => replaceAll(namespaces)))) as [
      number,
      number,
    ];
    expect(many).toBeLessThan(few * 30);
  });
});

describe('the index of weights', () => {
  /** The sets that exist now. */
  const sets = (): number => queryObjects(Set, { format: 'count' });

  it.each([1000, Infinity])('holds no weight that no namespace has any more, with a bound of %s', (most) => {
    const before = sets();
    const shares = new NamespaceShares<number>(most);
    for (let index = 0; index < 1000; index++) shares.set('apps', `${index}`, index);
    expect(sets() - before).toBeLessThan(10);
    expect(shares.size).toBe(1000);
  });
});

describe('for every order of calls', () => {
  const call = fc.record({
    namespace: fc.constantFrom('a', 'b', 'c'),
    key: fc.constantFrom('1', '2', '3', '4', '5'),
    value: fc.option(fc.integer({ min: 1, max: 4 })),
  });

  it('what is pushed out is the oldest value of a namespace with the most', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        const shares = new NamespaceShares<unknown>(5);
        const model: { namespace: string; key: string }[] = [];
        const sizeOf = (namespace: string): number => model.filter((one) => one.namespace === namespace).length;
        for (const { namespace, key } of calls) {
          shares.set(namespace, key, key);
          if (!model.some((one) => one.namespace === namespace && one.key === key)) model.push({ namespace, key });
          if (model.length <= 5) continue;
          const most = Math.max(...model.map((one) => sizeOf(one.namespace)));
          // Namespaces of equal size: any of them.
          const lost = model.findIndex((one) => shares.get(one.namespace, one.key) === undefined);
          const { namespace: loser = '' } = model[lost] ?? {};
          expect({ size: sizeOf(loser), oldest: model.findIndex((one) => one.namespace === loser) }).toEqual({
            size: most,
            oldest: lost,
          });
          model.splice(lost, 1);
        }
        expect(keysOf(shares).toSorted()).toEqual(model.map((one) => `${one.namespace}/${one.key}`).toSorted());
      }),
    );
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
