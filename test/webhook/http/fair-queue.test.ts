import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { FairQueue } from '../../../src/webhook/http/fair-queue.ts';
import { ProcessorMeter } from '../../../src/webhook/http/processor-meter.ts';
import type { Steps } from '../../../src/base/steps.ts';

interface Arrival {
  readonly from: string;
  readonly name: string;
  /** Milliseconds of each step. */
  readonly steps: readonly number[];
  readonly weight?: number;
}

/** The turns of the event loop are taken by hand; what is done is written down. */
function world(most = 100): {
  done: string[];
  arrive: (arrival: Arrival & { readonly isAbandoned?: () => boolean }) => void;
  turn: () => boolean;
  now: () => number;
  weightUnderWay: () => number;
} {
  let now = 0;
  const addresses = new Addresses(() => now);
  const done: string[] = [];
  const turns: (() => void)[] = [];
  let weightUnderWay = 0;
  const meter = new ProcessorMeter(() => now);
  const queue = new FairQueue({
    most,
    mostOfAddress: (most * 2) / 3,
    slice: 10,
    meter,
    later: (work) => turns.push(work),
  });
  function* stepsOf({ name, steps, weight = 1 }: Arrival): Steps<void> {
    weightUnderWay += weight;
    for (const [index, milliseconds] of steps.entries()) {
      if (index > 0) yield;
      now += milliseconds;
      done.push(`${name}${index}`);
    }
    weightUnderWay -= weight;
  }
  return {
    done,
    arrive: (arrival) => {
      queue.add({
        address: addresses.of({ remoteAddress: arrival.from }),
        weigh: () => arrival.weight ?? 1,
        steps: stepsOf(arrival),
        isAbandoned: arrival.isAbandoned ?? ((): boolean => false),
        failed: (error) => done.push(`${arrival.name}: ${String(error)}`),
      });
    },
    turn: () => {
      const work = turns.shift();
      work?.();
      return work !== undefined;
    },
    now: () => now,
    weightUnderWay: () => weightUnderWay,
  };
}

const TENS = (count: number): number[] => Array.from({ length: count }, () => 10);

describe('long work', () => {
  it('is done in slices, one in a turn of the event loop', () => {
    const { done, arrive, turn } = world();
    arrive({ from: 'a', name: 'a', steps: [4, 4, 4, 4, 4] });
    expect(done).toEqual([]);
    turn();
    expect(done).toEqual(['a0', 'a1', 'a2']);
    turn();
    expect(done).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
    expect(turn()).toBe(false);
  });

  it('that is short is done with other short work in the same turn, until the slice is used up', () => {
    const { done, arrive, turn, now } = world();
    for (let count = 0; count < 12; count += 1) arrive({ from: 'a', name: `${count}.`, steps: [1, 1] });
    turn();
    expect([done.length, now()]).toEqual([10, 10]);
    turn();
    expect([done.length, now()]).toEqual([20, 20]);
  });

  it('that is long has what others have left of the slice', () => {
    const { arrive, turn, now } = world();
    arrive({ from: 'a', name: 'short', steps: [6] });
    arrive({ from: 'b', name: 'long', steps: Array.from({ length: 50 }, () => 2) });
    turn();
    expect(now()).toBe(10);
  });

  it('of an address that has used little goes before what another address has sent earlier', () => {
    const { done, arrive, turn } = world();
    for (let count = 0; count < 90; count += 1) arrive({ from: 'flood', name: `f${count}.`, steps: TENS(3) });
    for (let count = 0; count < 100; count += 1) turn();
    const before = done.length;
    arrive({ from: 'other', name: 'o', steps: TENS(3) });
    for (let count = 0; count < 3; count += 1) turn();
    expect(done.slice(before)).toEqual(['o0', 'o1', 'o2']);
  });

  it('of one address is done in turns, so that a short job does not wait for a long one', () => {
    const { done, arrive, turn } = world();
    arrive({ from: 'a', name: 'long', steps: TENS(50) });
    for (let count = 0; count < 10; count += 1) turn();
    const before = done.length;
    arrive({ from: 'a', name: 'short', steps: TENS(2) });
    for (let count = 0; count < 2; count += 1) turn();
    expect(done.slice(before)).toEqual(['short0', 'short1']);
  });

  it('of another address begins at once when one address has begun all that it may', () => {
    const { done, arrive, turn } = world(90);
    arrive({ from: 'a', name: 'a', steps: TENS(50), weight: 60 });
    arrive({ from: 'a', name: 'second', steps: TENS(2), weight: 20 });
    for (let count = 0; count < 5; count += 1) turn();
    const before = done.length;
    arrive({ from: 'b', name: 'b', steps: TENS(2), weight: 30 });
    for (let count = 0; count < 2; count += 1) turn();
    expect(done.slice(before)).toEqual(['b0', 'b1']);
    expect(done).not.toContain('second0');
  });

  it('that is heavy finds room, though busier addresses send lighter work without end', () => {
    const { done, arrive, turn } = world(90);
    let count = 0;
    for (; count < 10; count += 1)
      arrive({ from: `flood ${count % 3}`, name: `f${count}.`, steps: TENS(4), weight: 25 });
    for (let turns = 0; turns < 40; turns += 1) turn();
    arrive({ from: 'other', name: 'heavy', steps: TENS(2), weight: 60 });
    for (let turns = 0; turns < 40 && !done.includes('heavy1'); turns += 1, count += 1) {
      arrive({ from: `flood ${count % 3}`, name: `f${count}.`, steps: TENS(4), weight: 25 });
      turn();
    }
    expect(done).toContain('heavy1');
  });

  it('whose client is gone is not done, and who asked is told', () => {
    const { done, arrive, turn } = world();
    let isGone = false;
    arrive({ from: 'a', name: 'a', steps: TENS(3), isAbandoned: () => isGone });
    turn();
    isGone = true;
    turn();
    expect(done).toEqual(['a0', 'a: Error: the caller hung up before the review had its turn']);
    expect(turn()).toBe(false);
  });

  it('is all done, in order within a job, and what is under way never weighs more than it may unless it is alone', () => {
    const arrival = fc.record({
      from: fc.constantFrom('a', 'b', 'c'),
      steps: fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 6 }),
      weight: fc.integer({ min: 1, max: 150 }),
      turns: fc.nat({ max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 15 }), (arrivals) => {
        const { done, arrive, turn, weightUnderWay } = world(100);
        const largest = Math.max(100, ...arrivals.map(({ weight }) => weight));
        for (const [index, { turns, ...rest }] of arrivals.entries()) {
          arrive({ ...rest, name: `${index}.` });
          for (let count = 0; count < turns; count += 1) turn();
          expect(weightUnderWay()).toBeLessThanOrEqual(largest);
        }
        while (turn()) expect(weightUnderWay()).toBeLessThanOrEqual(largest);
        for (const [index, { steps }] of arrivals.entries())
          expect(done.filter((entry) => entry.startsWith(`${index}.`))).toEqual(
            steps.map((_, step) => `${index}.${step}`),
          );
      }),
    );
  });

  it('of others is done when a job throws, and whatever is told of that', () => {
    const turns: (() => void)[] = [];
    const done: string[] = [];
    const queue = new FairQueue({
      most: 10,
      mostOfAddress: 10,
      slice: 10,
      meter: new ProcessorMeter(() => 0),
      later: (work) => turns.push(work),
    });
    const address = new Addresses(() => 0).of({ remoteAddress: 'a' });
    const throwing = (): never => {
      throw new Error('boom');
    };
    const job = { address, isAbandoned: () => false, failed: throwing };

    const steps = function* (): Steps<void> {
      done.push('done');
    };
    queue.add({ ...job, weigh: throwing, steps: steps() });
    queue.add({ ...job, weigh: () => 1, steps: steps() });
    while (turns.length > 0) turns.shift()?.();
    expect(done).toEqual(['done']);
  });
});
