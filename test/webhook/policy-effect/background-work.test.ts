import { expect, it } from 'vitest';
import { inBackground } from '../../../src/webhook/policy-effect/background-work.ts';

const items = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

it('works in slices of 5 ms, and pauses for as long as other work takes', async () => {
  const clock = { now: 0 };
  const events: string[] = [];
  const others = [0, 20, 400];
  const done: number[] = [];
  await inBackground(
    items(18),
    (item) => {
      clock.now += 1;
      done.push(item);
    },
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
  expect(done).toEqual(items(18));
  expect(events).toEqual(['turn at 5', 'turn at 10', 'pause of 20', 'turn at 35', 'pause of 50']);
});

it('ends when the work is given up', async () => {
  const clock = { now: 0 };
  const turns = {
    monotonic: () => clock.now,
    nextTurn: () => Promise.resolve(),
    pause: () => Promise.resolve(),
  };
  const work = (): void => {
    clock.now += 1;
  };
  await inBackground(items(1000), work, turns, () => clock.now >= 10);
  expect(clock.now).toBe(10);
});
