import { describe, expect, it } from 'vitest';
import { duration } from '../../../src/base/text/duration.ts';

describe('seconds for people', () => {
  it.each([
    [28, '28 s'],
    [119, '119 s'],
    [120, '120 s (2 min)'],
    [290, '290 s (4 min 50 s)'],
    [121, '121 s (2 min 1 s)'],
    [3599, '3599 s (59 min 59 s)'],
    [3600, '3600 s (1 h)'],
    [3631, '3631 s (1 h)'],
    [86_399, '86399 s (23 h 59 min)'],
    [86_400, '86400 s (1 d)'],
    [90_061, '90061 s (1 d 1 h)'],
  ])('%i is %s', (seconds, text) => expect(duration(seconds)).toBe(text));
});
