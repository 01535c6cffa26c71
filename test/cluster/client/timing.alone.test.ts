import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inParallel, repeat, RepeatedWork, WriteLimit } from '../../../src/cluster/client/timing.ts';
import { waitUntil } from './wait-until.ts';

const MINUTE = 60_000;

describe('calls that are repeated', () => {
  it.each<[string, number | (() => number)]>([
    ['a number', 1],
    ['a function', () => 1],
  ])('come with the pauses of %s, until the signal', async (_, pauses) => {
    const stopped = new AbortController();
    let count = 0;
    await repeat(pauses, stopped.signal, () => {
      if (++count === 3) stopped.abort();
    });
    expect(count).toBe(3);
  });
});

describe('rounds', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('go at once, and then at every check', async () => {
    let count = 0;
    const rounds = new RepeatedWork(
      () => Promise.resolve(++count > 0),
      MINUTE,
      () => 1,
    );
    rounds.start();
    expect(count).toBe(1);
    await vi.advanceTimersByTimeAsync(3 * MINUTE);
    expect(count).toBe(4);
    rounds.stop();
    rounds.ask();
    await vi.advanceTimersByTimeAsync(3 * MINUTE);
    expect(count).toBe(4);
  });

  it('leave no timer when they are stopped during one of them', async () => {
    const work = Promise.withResolvers<boolean>();
    const rounds = new RepeatedWork(
      () => work.promise,
      MINUTE,
      () => 1,
    );
    rounds.start();
    rounds.stop();
    work.resolve(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('come again after a failure, later each time, up to once a minute', async () => {
    const at: number[] = [];
    let now = 0;
    // Checks do not come into it.
    const rounds = new RepeatedWork(
      () => Promise.resolve(at.push(now) > 9),
      1_000_000_000,
      () => 1,
    );
    rounds.start();
    for (; now < 400_000; now += 1000) await vi.advanceTimersByTimeAsync(1000);
    const pauses = at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 1000));
    // The first is counted from the start, where the clock of this test stands a step behind.
    expect(pauses.slice(1)).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
    rounds.stop();
  });

  it('never go two at a time, and go once more when one was asked for meanwhile', async () => {
    let running = 0;
    let most = 0;
    let count = 0;
    const rounds = new RepeatedWork(
      async () => {
        most = Math.max(most, ++running);
        await sleep(1);
        running--;
        return ++count > 0;
      },
      MINUTE,
      () => 1,
    );
    rounds.start();
    for (let times = 0; times < 5; times++) rounds.ask();
    await waitUntil('both rounds have ended', () => count === 2);
    await sleep(20);
    expect([count, most]).toEqual([2, 1]);
    rounds.stop();
  });
});

describe('a limit of writes', () => {
  const tenAt = (limit: WriteLimit, from: number): boolean[] =>
    Array.from({ length: 10 }, (_, at) => limit.take(from + at));

  it('has room for ten within half a minute, and does not count the eleventh', () => {
    const limit = new WriteLimit();
    expect(tenAt(limit, 0)).toEqual(Array(10).fill(true));
    expect([limit.take(10), limit.take(29_999), limit.take(30_000), limit.take(30_000)]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it('has room again after a clock that was set back by more', () => {
    const limit = new WriteLimit();
    tenAt(limit, 100_000);
    expect([limit.take(99_000), limit.take(10_000)]).toEqual([false, true]);
  });
});

describe('calls in parallel', () => {
  it('are at most so many at once, and their results have the order of the items', async () => {
    let [running, most] = [0, 0];
    const call = async (item: number): Promise<number> => {
      most = Math.max(most, (running += 1));
      await sleep(5 - item);
      running -= 1;
      return item * 2;
    };
    expect(await inParallel([0, 1, 2, 3, 4], 2, call)).toEqual([0, 2, 4, 6, 8]);
    expect(most).toBe(2);
    expect(await inParallel([], 2, call)).toEqual([]);
  });
});
