import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NamespaceTurns } from '../../../src/cluster/sources/namespace-turns.ts';

const nobody = (): boolean => false;

function taken(turns: NamespaceTurns, isPassedOver: (namespace: string) => boolean = nobody): string[] {
  const names: string[] = [];
  for (let name = turns.take(isPassedOver); name !== undefined; name = turns.take(isPassedOver)) names.push(name);
  return names;
}

describe('namespaces', () => {
  it('take turns, and the oldest of each is first', () => {
    const turns = new NamespaceTurns();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2', 'a1']) turns.add(name.charAt(0), name);
    expect(taken(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect(turns.take(nobody)).toBeUndefined();
  });

  it('that are passed over keep their place', () => {
    const turns = new NamespaceTurns();
    for (const name of ['a1', 'b1', 'a2', 'b2']) turns.add(name.charAt(0), name);
    expect(taken(turns, (namespace) => namespace === 'a')).toEqual(['b1', 'b2']);
    expect(taken(turns)).toEqual(['a1', 'a2']);
  });

  it('forget what is deleted', () => {
    const turns = new NamespaceTurns();
    for (const name of ['a1', 'a2', 'b1']) turns.add(name.charAt(0), name);
    turns.delete('a', 'a1');
    turns.delete('b', 'b1');
    turns.delete('c', 'none');
    expect(taken(turns)).toEqual(['a2']);
  });

  it('each wait for no more than one of every other namespace, whatever was added', () => {
    const name = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(20)).map(([space, index]) => `${space}${index}`);
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const turns = new NamespaceTurns();
        for (const one of names) turns.add(one.charAt(0), one);
        const order = taken(turns);
        expect(order.toSorted()).toEqual(names.toSorted());
        for (const space of ['a', 'b', 'c', 'd']) {
          const places = order.flatMap((one, index) => (one.startsWith(space) ? [index] : []));
          // Every other namespace comes once at most in between.
          for (const [index, place] of places.entries())
            expect(place - (places[index - 1] ?? -1)).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});
