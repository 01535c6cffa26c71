/** How many runs a property has in `npm test`, as a part of all. */
const PART = 10;
/** A property with fewer runs than this is always run whole. */
const FEWEST = 20;

/**
 * The runs of a property: all of them in `npm run test:slow`, which sets FULL_RUNS, and a tenth in `npm test`, so that
 * `npm test` stays fast.
 */
export function runs(all: number): number {
  return process.env['FULL_RUNS'] === undefined ? Math.max(Math.min(all, FEWEST), Math.ceil(all / PART)) : all;
}
