import { describe, expect, it } from 'vitest';
import { boundProblem, choicesBound, textLength } from '../../../src/engine/policy/bound.ts';

describe('a bound', () =>
  it('is told with its unit and the count, from one above the maximum on', () => {
    const bound = { maximum: 64, unit: 'names', at: 'containers' };
    for (const count of [0, 63, 64]) expect(boundProblem(bound, count)).toBeUndefined();
    expect(boundProblem(bound, 65)).toBe('must have at most 64 names, not 65');
  }));

describe('the length of a text', () =>
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['😀', 1],
    ['a😀b😀', 4],
    ['e\u0301', 2],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
  ])('of %j is %d code points, as a JSON schema counts', (text, length) => expect(textLength(text)).toBe(length)));

describe('a list of choices', () =>
  it('has at most as many values as there are choices', () => {
    expect(boundProblem(choicesBound(['a', 'b']), 2)).toBeUndefined();
    expect(boundProblem(choicesBound(['a', 'b']), 3)).toBe('must have at most 2 values, not 3');
  }));
