import { slowdownOfProcessor } from '../support/slowdown.ts';

/** What a run may be told by its environment; everything has a default. */

/**
 * Seed of everything random, fixed for the same reason as that of all properties. It is printed, and the same seed gives
 * the same inputs: `ROBUSTNESS_SEED=$RANDOM` hunts.
 */
export const SEED = integer('ROBUSTNESS_SEED', 20261129);
/** How many random inputs each call of the fuzzer gets. */
export const RUNS = integer('ROBUSTNESS_RUNS', 1500);
/** How many random worlds each property sees. */
export const WORLDS = integer('ROBUSTNESS_WORLDS', 3000);
/** How many requests the soak sends. */
export const SOAK_REQUESTS = integer('SOAK_REQUESTS', 20_000);
/** How much slower than one of 2026 the processor is, whatever others do: limits on single calls are multiplied by it. */
export const MACHINE_FACTOR = integer('ROBUSTNESS_MACHINE_FACTOR', slowdownOfProcessor);

function integer(name: string, fallback: number | (() => number)): number {
  const text = process.env[name];
  if (text === undefined || text === '') return typeof fallback === 'number' ? fallback : fallback();
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a whole number from 1, not ${text}`);
  return value;
}
