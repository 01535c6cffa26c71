import { expect, it } from 'vitest';
import { RateLimiter } from '../../../src/cluster/client/rate-limiter.ts';

function limiter(): { readonly limiter: RateLimiter; readonly clock: { now: number } } {
  const clock = { now: 5000 };
  return { limiter: new RateLimiter(10, () => clock.now), clock };
}

it('gives the first turn at once, and each further turn an interval later', () => {
  const made = limiter();
  expect([made.limiter.take(), made.limiter.take(), made.limiter.take()]).toEqual([0, 100, 200]);
});

it('saves no turns for later', () => {
  const made = limiter();
  made.limiter.take();
  made.clock.now += 10_000;
  expect([made.limiter.take(), made.limiter.take()]).toEqual([0, 100]);
  made.clock.now += 150;
  expect(made.limiter.take()).toBe(50);
});

it('refuses a turn after the signal, and during the wait for the turn', async () => {
  const made = limiter();
  const stopped = new AbortController();
  await made.limiter.turn(stopped.signal);
  const waiting = made.limiter.turn(stopped.signal);
  stopped.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(made.limiter.turn(stopped.signal)).rejects.toThrow('stopped');
});

it('does not wait for a turn that is free', async () => {
  let isTaken = false;
  void limiter()
    .limiter.turn(new AbortController().signal)
    .then(() => (isTaken = true));
  // Before any timer.
  await new Promise((resolve) => process.nextTick(resolve));
  await Promise.resolve();
  expect(isTaken).toBe(true);
});
