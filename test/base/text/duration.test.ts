import { describe, expect, it } from 'vitest';
import { duration, tickStep } from '../../../src/base/text/duration.ts';

describe('seconds for people', () => {
  it.each([
    [28, '28 s'],
    [119, '119 s'],
    [120, '120 s (2 min)'],
    [290, '290 s (4 min 50 s)'],
    [3631, '3631 s (1 h)'],
    [90_061, '90061 s (1 d 1 h)'],
  ])('%i is %s', (seconds, text) => expect(duration(seconds)).toBe(text));

  it.each([
    [5, 1],
    [70, 10],
    [640, 120],
    [1e7, 2e6],
  ])('an axis of %i s has a mark every %i s', (end, step) => expect(tickStep(end, 8)).toBe(step));
});
