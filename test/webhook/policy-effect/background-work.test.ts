import { expect, it } from 'vitest';
import { inBackground } from '../../../src/webhook/policy-effect/background-work.ts';
import type { Steps } from '../../../src/base/steps.ts';

/** A computation of this many steps of 1 ms each. */
function* work(steps: number, clock: { now: number }): Steps<string> {
  for (let step = 0; step < steps; step++) {
    clock.now += 1;
    yield;
  }
  return 'done';
}

it('works in slices of 5 ms, and pauses for as long as other work takes', async () => {
  const clock = { now: 0 };
  const events: string[] = [];
  const others = [0, 20, 400];
  const result = await inBackground(
    work(18, clock),
    {
      monotonic: () => clock.now,
      nextTurn: () => {
        events.push(`turn at ${clock.now}`);
        clock.now += others.shift() ?? 0;
        return Promise.resolve();
      },
      pause: (milliseconds) => {
        events.push(`pause of ${milliseconds}`);
        return Promise.resolve();
      },
    },
    () => false,
  );
  expect(result).toBe('done');
  expect(events).toEqual(['turn at 5', 'turn at 10', 'pause of 20', 'turn at 35', 'pause of 50']);
});

it('ends between two slices when the work is given up', async () => {
  const clock = { now: 0 };
  const turns = {
    monotonic: () => clock.now,
    nextTurn: () => Promise.resolve(),
    pause: () => Promise.resolve(),
  };
  expect(await inBackground(work(1000, clock), turns, () => clock.now >= 10)).toBeUndefined();
  expect(clock.now).toBe(10);
});
