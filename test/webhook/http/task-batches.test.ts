import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskBatches } from '../../../src/webhook/http/task-batches.ts';
import { ProcessorMeter } from '../../../src/webhook/http/processor-meter.ts';
import type { Step } from '../../../src/webhook/http/task-batches.ts';

const meter = new ProcessorMeter(() => 0);
const nothing = (): void => undefined;

/** A batch's turns are taken by hand; what is done is written down. */
function world(
  most = 100,
  least = 0,
): {
  done: string[];
  arrive: (name: string, steps: readonly (() => void)[], size?: number, isUrgent?: boolean) => void;
  turn: () => boolean;
} {
  const done: string[] = [];
  const turns: (() => void)[] = [];
  const batches = new TaskBatches({ most, least, meter, later: (work) => turns.push(work) });
  return {
    done,
    arrive: (name, steps, size = 1, isUrgent = false) => {
      const from = (index: number): Step | undefined => {
        const step = steps[index];
        return (
          step &&
          (() => {
            done.push(`${name}${index}`);
            step();
            return from(index + 1);
          })
        );
      };
      const step = from(0);
      if (step === undefined) throw new Error('a task without a step');
      batches.add({
        size,
        isUrgent,
        charge: nothing,
        step,
        failed: (error) => done.push(`${name}: ${String(error)}`),
      });
    },
    turn: () => {
      const work = turns.shift();
      work?.();
      return work !== undefined;
    },
  };
}

describe('work that arrives in one turn of the event loop', () => {
  it('goes through each step together, in the order of arrival, once the turn is over', () => {
    const { done, arrive, turn } = world();
    arrive('a', [nothing, nothing]);
    arrive('b', [nothing, nothing, nothing]);
    expect(done).toEqual([]);
    turn();
    expect(done).toEqual(['a0', 'b0', 'a1', 'b1', 'b2']);
    expect(turn()).toBe(false);
  });

  it('goes on where a step of something else throws, and who asked for that is told', () => {
    const { done, arrive, turn } = world();
    arrive('a', [nothing, nothing]);
    arrive('b', [
      () => {
        throw new Error('boom');
      },
      nothing,
    ]);
    arrive('c', [nothing, nothing]);
    turn();
    expect(done).toEqual(['a0', 'b0', 'b: Error: boom', 'c0', 'a1', 'c1']);
  });

  it('waits for the next turn when it arrives while others are worked on', () => {
    const { done, arrive, turn } = world();
    arrive('a', [
      () => {
        arrive('b', [nothing]);
      },
      nothing,
    ]);
    turn();
    expect(done).toEqual(['a0', 'a1']);
    turn();
    expect(done).toEqual(['a0', 'a1', 'b0']);
    expect(turn()).toBe(false);
  });

  it('is done at once when more comes than may wait, and that waits', () => {
    const { done, arrive, turn } = world(10);
    arrive('a', [nothing, nothing], 5);
    arrive('b', [nothing, nothing], 5);
    expect(done).toEqual([]);
    arrive('c', [nothing, nothing], 1);
    expect(done).toEqual(['a0', 'b0', 'a1', 'b1']);
    turn();
    expect(done.slice(4)).toEqual(['c0', 'c1']);
    turn();
    expect(turn()).toBe(false);
    expect(done).toHaveLength(6);
  });

  it('does not wait, and is alone, when it is too much by itself: those before it are done first', () => {
    const { done, arrive, turn } = world(10);
    arrive('a', [nothing, nothing], 1);
    arrive('huge', [nothing, nothing], 1000);
    arrive('b', [nothing, nothing], 1);
    expect(done).toEqual(['a0', 'a1', 'huge0', 'huge1']);
    turn();
    expect(done.slice(4)).toEqual(['b0', 'b1']);
  });

  it('is done at once when others wait for it, with what is there', () => {
    const { done, arrive, turn } = world();
    arrive('a', [nothing, nothing]);
    arrive('b', [nothing, nothing], 1, true);
    expect(done).toEqual(['a0', 'b0', 'a1', 'b1']);
    arrive('c', [nothing]);
    while (turn());
    expect(done.slice(4)).toEqual(['c0']);
  });

  it('is done whatever the one that is told of a fault does', () => {
    const done: string[] = [];
    const turns: (() => void)[] = [];
    const batches = new TaskBatches({ most: 10, least: 1, meter, later: (work) => turns.push(work) });
    const throwing = (): never => {
      throw new Error('boom');
    };
    batches.add({ size: 1, isUrgent: false, charge: nothing, step: throwing, failed: throwing });
    batches.add({ size: 1, isUrgent: false, charge: nothing, step: () => void done.push('b'), failed: throwing });
    turns.shift()?.();
    expect(done).toEqual(['b']);
  });

  it('counts for something even if it says that it is nothing', () => {
    const { done, arrive } = world(10, 5);
    arrive('a', [nothing], 0);
    arrive('b', [nothing], 0);
    expect(done).toEqual([]);
    arrive('c', [nothing], 0);
    expect(done).toEqual(['a0', 'b0']);
  });

  it('is all done, once and in order, whatever arrives when and however large it is', () => {
    const arrival = fc.record({
      steps: fc.integer({ min: 1, max: 4 }),
      size: fc.integer({ min: 0, max: 15 }),
      turns: fc.nat({ max: 2 }),
      isUrgent: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 20 }), (arrivals) => {
        const { done, arrive, turn } = world(10);
        for (const [index, { steps, size, turns, isUrgent }] of arrivals.entries()) {
          arrive(
            `${index}.`,
            Array.from({ length: steps }, () => nothing),
            size,
            isUrgent,
          );
          for (let count = 0; count < turns; count += 1) turn();
        }
        while (turn());
        const expected = arrivals.flatMap(({ steps }, index) =>
          Array.from({ length: steps }, (_, step) => `${index}.${step}`),
        );
        expect(done.toSorted()).toEqual(expected.toSorted());
        expect(done.filter((entry) => entry.endsWith('.0'))).toEqual(arrivals.map((_, index) => `${index}.0`));
      }),
    );
  });
});
