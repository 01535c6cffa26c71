import { describe, expect, it } from 'vitest';
import { celProgram, celValue, plainValue } from '../../src/native/evaluate.ts';

const evaluated = (expression: string, object: unknown = {}): unknown =>
  plainValue(celProgram('test', expression)({ object: celValue(object) }));

describe('an expression of Kubernetes’ CEL', () => {
  it.each([
    ['lists.range(3)', [0, 1, 2]],
    ["'abc'.matches('^B') || 'abc'.matches('(?i)^B')", false],
    ["'abc'.matches('(?i)^AB')", true],
    ["'a1b22'.find('[0-9]{2}')", '22'],
    ["'ab'.find('[0-9]')", ''],
    ["'a-b-c'.replace('-', '.')", 'a.b.c'],
    ['[[1], [2, 3], []].flatten()', [1, 2, 3]],
    ["jsonpatch.escapeKey('a/b~c')", 'a~1b~0c'],
    ["['x', 'y'].transformMapEntry(i, e, {e: e + '!'})", { x: 'x!', y: 'y!' }],
    [`['x'].transformMapEntry(i, e, {e: ')"' + "'(" + '\\\\'})`, { x: `)"'(\\` }],
    ["[['x'].transformMapEntry(i, e, {e: 1}), ['y'].transformMapEntry(i, e, {e: (2)})]", [{ x: 1 }, { y: 2 }]],
  ])('has the value of the API server: %s', (expression, value) => {
    expect(evaluated(expression)).toEqual(value);
  });

  it('sees objects without null members, and integers as ints', () => {
    const object = { a: { b: [1, 'x', null], c: null }, d: 1.5, e: true };
    expect(evaluated('has(object.a.c)', object)).toBe(false);
    expect(evaluated('object.a.b[0] + 1', object)).toBe(2);
    expect(evaluated('object', object)).toEqual({ a: { b: [1, 'x', null] }, d: 1.5, e: true });
  });

  it('that fails is named, and the error shows the place', () => {
    expect(() => evaluated('object.a.b', { a: {} })).toThrow(/^test: .*No such key: b/);
    expect(() => evaluated('1 +')).toThrow(/^test: /);
    expect(() => evaluated("[1].transformMapEntry(i, e, {e: ')'}")).toThrow('a bracket is open');
  });

  it('that is long is not repeated in an error', () => {
    const long = `[${Array.from({ length: 1000 }, (_, index) => index).join(', ')}].map(x, object.a)`;
    const thrown = ((): string => {
      try {
        return String(evaluated(long));
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(thrown).toContain('object.a');
    expect(thrown.length).toBeLessThan(300);
  });
});
