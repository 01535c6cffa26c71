import type { Timer } from './timer.ts';

/** The wall clock and a source of random numbers. Tests pass their own. */
export interface ClockAndRandom {
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** The same with a timer. Without one, the real timer is used. */
export interface ClockRandomAndTimer extends ClockAndRandom {
  readonly timer?: Timer;
}
