import { describe, expect, it } from 'vitest';
import { LeftOutObjects } from '../../../src/cluster/sources/left-out-objects.ts';

const age = (name: string, created = 0): { readonly name: string; readonly created: number } => ({ name, created });
const budget = 'objects';

describe('the objects that are left out', () => {
  it('are at most 256 of a namespace and 4,096 in all, and those that are known stay', () => {
    const left = new LeftOutObjects();
    const add = (namespace: string, count: number): number =>
      Array.from({ length: count }, (_, index) => left.record(namespace, age(`o${index}`), budget, undefined)).filter(
        (record) => record !== undefined,
      ).length;
    expect(add('n0', 257)).toBe(256);
    for (let index = 1; index < 16; index += 1) add(`n${index}`, 256);
    expect(left.places()).toHaveLength(4096);
    expect(add('late', 1)).toBe(0);
    expect(add('n0', 1)).toBe(1);
    left.forget('n0', 'o0');
    left.forget('n0', 'o0');
    left.forget('nowhere', 'o0');
    expect([add('late', 2), left.places().length]).toEqual([1, 4096]);
  });

  it('are forgotten with the last of their namespace', () => {
    const left = new LeftOutObjects();
    left.record('a', age('x'), 'invalid', 'no');
    left.forget('a', 'x');
    expect([left.places(), left.counts().invalid]).toEqual([[], 0]);
  });

  it('are counted by the reason', () => {
    const left = new LeftOutObjects();
    left.record('a', age('x'), 'invalid', 'no');
    left.record('a', age('y'), 'invalid', 'no');
    left.record('b', age('x'), budget, undefined);
    expect(left.counts()).toEqual({ object: 0, objects: 1, bytes: 0, total: 0, invalid: 2 });
  });

  it('tell each new problem once, of five objects of a namespace, in 512 characters', () => {
    const left = new LeftOutObjects();
    const names = (): string[] => left.takeUnreadable().map(({ namespace, name }) => `${namespace}/${name}`);
    for (let index = 0; index < 6; index += 1) left.record('a', age(`o${index}`), 'invalid', 'no');
    left.record('b', age('x'), 'invalid', 'y'.repeat(513));
    left.record('b', age('fine'), budget, undefined);
    const taken = left.takeUnreadable();
    expect(taken.map(({ name }) => name)).toEqual(['o0', 'o1', 'o2', 'o3', 'o4', 'x']);
    expect(taken.at(-1)?.problem).toHaveLength(512);
    left.record('a', age('o0'), 'invalid', 'no');
    expect(names()).toEqual([]);
    left.record('a', age('o0'), 'invalid', 'other');
    expect([names(), names()]).toEqual([['a/o0'], []]);
  });

  it('are news when a namespace goes over its budget, and when it is within again', () => {
    const left = new LeftOutObjects();
    const news = (isCut = false): unknown => left.overBudgetNews('a', isCut);
    expect(news()).toBeUndefined();
    left.record('a', age('bad'), 'invalid', 'no');
    expect([news(), news(true)]).toEqual([undefined, undefined]);
    for (let index = 6; index > 0; index -= 1) left.record('a', age(`o${index}`, index), budget, undefined);
    expect(news()).toEqual({ count: 6, first: ['o1', 'o2', 'o3', 'o4', 'o5'] });
    expect(news()).toBeUndefined();
    for (let index = 1; index < 7; index += 1) left.forget('a', `o${index}`);
    // More may be over a budget than is recorded.
    expect(news(true)).toBeUndefined();
    expect([news(), news()]).toEqual([{ count: 0, first: [] }, undefined]);
    left.record('a', age('again'), budget, undefined);
    expect(news()).toEqual({ count: 1, first: ['again'] });
  });
});
