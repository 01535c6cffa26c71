import { describe, expect, it } from 'vitest';
import { duration } from '../../../src/base/text/duration.ts';

describe('seconds for people', () => {
  it.each([
    [28, '28 s'],
    [119, '119 s'],
    [120, '120 s (2 min)'],
    [290, '290 s (4 min 50 s)'],
    [3631, '3631 s (1 h)'],
    [90_061, '90061 s (1 d 1 h)'],
  ])('%i is %s', (seconds, text) => expect(duration(seconds)).toBe(text));
});
