import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Steps } from '../../base/steps.ts';

/** The time of a slice, in milliseconds. Other work gets its turn after each slice. */
const SLICE_MILLISECONDS = 5;
/** The longest pause for other work, in milliseconds. */
const LONGEST_PAUSE = 50;

/** How background work waits. Tests pass their own. */
export interface Turns {
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  /** Resolves in the next turn of the event loop. */
  readonly nextTurn: () => Promise<unknown>;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** The turns of this process. */
export function realTurns(monotonic: () => number): Turns {
  return { monotonic, nextTurn: () => nextTurn(), pause: (milliseconds) => sleep(milliseconds) };
}

/**
 * Runs a computation in short slices, one slice in each turn of the event loop. If other work has taken time in a turn,
 * the computation pauses for as long again. So the computation uses at most half of a busy processor.
 *
 * @param isOver true = the computation is given up
 * @returns undefined when the computation was given up
 */
export async function inBackground<T>(steps: Steps<T>, turns: Turns, isOver: () => boolean): Promise<T | undefined> {
  const { monotonic, nextTurn: turn, pause } = turns;
  while (!isOver()) {
    const begun = monotonic();
    while (monotonic() - begun < SLICE_MILLISECONDS) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
    const end = monotonic();
    await turn();
    const others = monotonic() - end;
    if (others > SLICE_MILLISECONDS) await pause(Math.min(others, LONGEST_PAUSE));
  }
  return undefined;
}
