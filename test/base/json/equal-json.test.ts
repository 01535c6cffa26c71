import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson, equalJsonInSteps } from '../../../src/base/json/equal-json.ts';
import { runToEnd } from '../../../src/base/steps.ts';

const json = fc.jsonValue({ maxDepth: 4 });

describe('equalJson', () => {
  it('says of any two JSON values what Node says', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(equalJson(one, other)).toBe(isDeepStrictEqual(one, other));
      }),
    );
  });

  it('finds a value equal to its copy, and unequal to the copy with one more member', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (object) => {
        const copy = structuredClone(object);
        expect(equalJson(object, copy)).toBe(true);
        expect(equalJson(object, { ...copy, 'one more': null })).toBe(Object.hasOwn(object, 'one more'));
      }),
    );
  });

  it('tells -0 from 0, as Node does', () => {
    expect(equalJson([-0], [0])).toBe(isDeepStrictEqual([-0], [0]));
  });

  it('takes a member that is undefined for absent', () => {
    expect(equalJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(equalJson({ a: undefined }, { b: undefined })).toBe(true);
    expect(equalJson({ a: null }, {})).toBe(false);
  });

  it('tells a list from an object with the same members', () => {
    expect(equalJson([1], { 0: 1 })).toBe(false);
    expect(equalJson({ 0: 1 }, [1])).toBe(false);
  });
});

describe('equalJsonInSteps', () => {
  it('says what equalJson says, of values that differ and of copies', () => {
    const odd = fc.oneof(json, fc.constantFrom(-0, undefined, { a: undefined }, [], {}, [undefined]));
    fc.assert(
      fc.property(odd, odd, (one, other) => {
        expect(runToEnd(equalJsonInSteps(one, other))).toBe(equalJson(one, other));
        expect(runToEnd(equalJsonInSteps(one, structuredClone(one)))).toBe(true);
      }),
    );
  });

  it.each([
    ['members', (): unknown => Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]))],
    ['elements', (): unknown => Array.from({ length: 100_000 }, (_, index) => [index])],
  ])('pauses often for 100,000 %s', (_, make) => {
    const steps = equalJsonInSteps(make(), make());
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    expect(step.value).toBe(true);
    expect(count).toBeGreaterThanOrEqual(50);
  });

  it('compares what is nested deeper than the stack allows', () => {
    const deep = (): unknown => JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(runToEnd(equalJsonInSteps(deep(), deep()))).toBe(true);
  });
});
