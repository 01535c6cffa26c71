import { afterAll, describe } from 'vitest';

/** Describes tests that are skipped, with the reason, where something is missing. */
export function describeUnless(problem: string | undefined, title: string, tests: () => void): void {
  if (problem !== undefined) console.warn(`skipped: ${title}: ${problem}`);
  describe.skipIf(problem !== undefined)(title, tests);
}

type Started = { stop(): unknown } | { readonly stop?: never; remove(): unknown };

/**
 * Ends what `beforeAll` has started when the tests are over: the newest first, also when `beforeAll` failed half-way.
 *
 * @returns takes what is started, and gives it
 */
export function endedAfterAll(): <T extends Started>(starting: Promise<T>) => Promise<T> {
  const running: Started[] = [];
  afterAll(async () => {
    for (const one of running.toReversed()) await (one.stop === undefined ? one.remove() : one.stop());
  });
  return async (starting) => {
    const started = await starting;
    running.push(started);
    return started;
  };
}
