/** How many runs a property has in `npm test`, as a part of all. */
const PART = 20;
/** A property with fewer runs than this is always run whole. */
const FEWEST = 20;

/**
 * The runs of a property: all of them in `npm run test:slow`, which sets FULL_RUNS, and a twentieth in `npm test`, so that
 * `npm test` stays fast.
 *
 * @param fewest of a property whose single run is costly: how many are enough in `npm test`
 */
export function runs(all: number, fewest = FEWEST): number {
  return process.env['FULL_RUNS'] === undefined ? Math.max(Math.min(all, fewest), Math.ceil(all / PART)) : all;
}

/** Examples for a costly property: all of them in `npm run test:slow`, and each tenth from `first` on in `npm test`. */
export function someOf<T>(examples: readonly T[], first = 0): T[] {
  return examples.filter((_, index) => process.env['FULL_RUNS'] !== undefined || index % 10 === first % 10);
}
