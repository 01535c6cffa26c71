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

/** Calls back after so many milliseconds. The function that it returns cancels the call. */
export type Timer = (milliseconds: number, callback: () => void) => () => void;

/** The real timer. A pending call does not keep the process alive. */
export const realTimer: Timer = (milliseconds, callback) => {
  const timeout = setTimeout(callback, milliseconds).unref();
  return () => clearTimeout(timeout);
};
