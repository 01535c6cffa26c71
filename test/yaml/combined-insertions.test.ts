import { expect, it } from 'vitest';
import { combineInsertions } from '../../src/yaml/editing/combined-insertions.ts';
import type { Insertion } from '../../src/yaml/editing/key-insertion.ts';

it('every insertion is looked at alone, however many there are', () => {
  let looks = 0;
  const counted = (path: Insertion['path']): Insertion['path'] =>
    new Proxy(path, {
      get: (target, property, receiver): unknown => {
        looks += 1;
        return Reflect.get(target, property, receiver);
      },
    });
  const insertions = (count: number): Insertion[] =>
    Array.from({ length: count }, (_, index) => ({
      document: 0,
      path: counted(['spec', 'containers', index]),
      key: 'livenessProbe',
      value: {},
    }));
  const looksAt = (count: number): number => {
    looks = 0;
    expect(combineInsertions(insertions(count))).toHaveLength(count);
    return looks;
  };
  expect(looksAt(1000)).toBe(10 * looksAt(100));
});

it('an insertion into the value of an earlier one becomes part of it, whether its index is a number or text', () => {
  const insertion = (path: Insertion['path'], key: string, value: unknown): Insertion => ({
    document: 0,
    path,
    key,
    value,
  });
  const combined = combineInsertions([
    insertion(['a', 0], 'b', { c: [{}] }),
    insertion(['a', '0', 'b', 'c', 0], 'd', 1),
    insertion(['a', 1], 'b', 2),
  ]);
  expect(combined).toEqual([insertion(['a', 0], 'b', { c: [{ d: 1 }] }), insertion(['a', 1], 'b', 2)]);
});
