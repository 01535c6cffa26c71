import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

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
 * Does a piece of work for each item, in short slices: one slice in each turn of the event loop. If other work has
 * taken time in a turn, the work pauses for as long again. So it uses at most half of a busy processor.
 *
 * @param isOver true = the rest is given up
 */
export async function inBackground<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  turns: Turns,
  isOver: () => boolean,
): Promise<void> {
  const { monotonic, nextTurn: turn, pause } = turns;
  let begun = monotonic();
  for (const item of items) {
    if (monotonic() - begun >= SLICE_MILLISECONDS) {
      const end = monotonic();
      await turn();
      const others = monotonic() - end;
      if (others > SLICE_MILLISECONDS) await pause(Math.min(others, LONGEST_PAUSE));
      begun = monotonic();
    }
    if (isOver()) return;
    work(item);
  }
}
