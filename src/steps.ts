/**
 * Work in small pieces. At each `yield` the caller may do other work before it continues, so a long decision does not block the event loop. The work
 * knows no clock: it yields after every few microseconds to milliseconds, and the caller decides when to pause.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of the work without a pause, and gives its result. */
export function runToEnd<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
