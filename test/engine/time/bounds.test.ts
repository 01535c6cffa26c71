import { describe, expect, it } from 'vitest';
import {
  expectedStartSeconds,
  roundGraceUpTo,
  roundPeriodFrom,
  roundPeriodUpTo,
} from '../../../src/engine/time/bounds.ts';

it.each([
  [0, undefined, 1],
  [1, 1, 1],
  [1.5, 1, 2],
  [34, 30, 60],
  [60, 60, 60],
  [61, 60, undefined],
])('%d s lies between the round periods of %s and %s s', (seconds, below, above) => {
  expect([roundPeriodUpTo(seconds), roundPeriodFrom(seconds)]).toEqual([below, above]);
});

it.each([
  [0.5, undefined],
  [59, 30],
  [60, 60],
  [119, 60],
  [120, 120],
])('a grace period of at most %d s is %s s', (seconds, grace) => expect(roundGraceUpTo(seconds)).toBe(grace));

describe('a readiness probe', () => {
  const numbers = { initialDelaySeconds: 0, periodSeconds: 10, failureThreshold: 3 };

  it.each([
    [{}, 0],
    [{ failureThreshold: 5 }, 0],
    [{ failureThreshold: 6 }, 50],
    [{ initialDelaySeconds: 1 }, 21],
    [{ initialDelaySeconds: 20, failureThreshold: 11 }, 120],
    [{ failureThreshold: 61 }, 600],
    [{ failureThreshold: 62 }, 0],
    [{ initialDelaySeconds: 700, failureThreshold: 61 }, 700],
  ])('with %j expects a start of %i s', (given, seconds) =>
    expect(expectedStartSeconds({ ...numbers, ...given })).toBe(seconds),
  );
});
