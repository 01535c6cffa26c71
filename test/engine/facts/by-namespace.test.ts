import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';

interface Thing {
  readonly name: string;
  readonly from: string;
}

const of = (from: string, lists: Readonly<Record<string, readonly string[]>>): ByNamespace<Thing> =>
  new ByNamespace(
    new Map(Object.entries(lists).map(([namespace, names]) => [namespace, names.map((name) => ({ name, from }))])),
  );

const below = of('below', { apps: ['a', 'c'], db: ['x'] });
const above = of('above', { apps: ['b', 'c'], web: ['y'] });

describe('objects by namespace', () => {
  it('are listed and found in their namespace alone', () => {
    expect(below.ofNamespace('apps').map(({ name }) => name)).toEqual(['a', 'c']);
    expect(below.ofNamespace('other')).toEqual([]);
    expect(below.find('apps', 'c')).toEqual({ name: 'c', from: 'below' });
    expect(below.find('apps', 'x')).toBeUndefined();
    expect(below.find('other', 'a')).toBeUndefined();
  });

  it('with others are those of both, by name, and of two with one name the other', () => {
    const both = below.with(above);
    expect(Object.fromEntries(both.lists)).toEqual({
      apps: [
        { name: 'a', from: 'below' },
        { name: 'b', from: 'above' },
        { name: 'c', from: 'above' },
      ],
      db: [{ name: 'x', from: 'below' }],
      web: [{ name: 'y', from: 'above' }],
    });
    expect(
      above
        .with(below)
        .ofNamespace('apps')
        .map(({ name, from }) => `${name} ${from}`),
    ).toEqual(['a below', 'b above', 'c below']);
    expect(below.ofNamespace('apps')).toHaveLength(2);
    expect(above.ofNamespace('apps')).toHaveLength(2);
  });

  it('can be kept in part, by namespace and object', () => {
    const kept = below.filter((namespace, { name }) => namespace === 'apps' && name !== 'a');
    expect(kept.ofNamespace('apps').map(({ name }) => name)).toEqual(['c']);
    expect(kept.ofNamespace('db')).toEqual([]);
    expect(below.ofNamespace('db')).toHaveLength(1);
  });
});
