/**
 * A computation in small steps. At each `yield` the caller may do other work, so a long decision does not block the
 * event loop. The computation reads no clock. It yields after every few microseconds to milliseconds, and the caller
 * decides when to pause.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs the computation to its end without a pause and returns the result. */
export function runToEnd<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
