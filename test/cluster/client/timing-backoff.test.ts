import { expect, it } from 'vitest';
import { Backoff } from '../../../src/cluster/client/timing.ts';

const limits = { minimum: 100, maximum: 1_000 };

it('doubles the waiting time with each failure up to the maximum', () => {
  const backoff = new Backoff(limits, () => 1);
  expect(Array.from({ length: 6 }, () => backoff.next())).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

it('waits between half and the whole of it, as chance will have it', () => {
  const chances = [0, 0.5, 1];
  const backoff = new Backoff({ minimum: 100, maximum: 100 }, () => chances.shift() ?? 0);
  expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([50, 75, 100]);
});

it('starts over after a success', () => {
  const backoff = new Backoff(limits, () => 1);
  backoff.next();
  backoff.next();
  backoff.reset();
  expect(backoff.next()).toBe(100);
});
