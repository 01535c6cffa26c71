import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson } from '../../../src/base/json/json-value.ts';

const json = fc.jsonValue({ maxDepth: 4 });

describe('equalJson', () => {
  it('says of any two JSON values what Node says', () =>
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(equalJson(one, other)).toBe(isDeepStrictEqual(one, other));
      }),
    ));

  it('finds a value equal to its copy, and unequal to the copy with one more member', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (object) => {
        const copy = structuredClone(object);
        expect(equalJson(object, copy)).toBe(true);
        expect(equalJson(object, { ...copy, 'one more': null })).toBe(Object.hasOwn(object, 'one more'));
      }),
    ));

  it('tells -0 from 0, as Node does', () => expect(equalJson([-0], [0])).toBe(isDeepStrictEqual([-0], [0])));

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
