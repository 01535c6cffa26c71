import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../support/runs.ts';
import { RotationWorld } from './rotation-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const settings = { caLifetime: 30 * DAY, leafLifetime: 7 * DAY, caOverlap: HOUR };

/** A small generator of numbers from 0 to 1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

it('serves no leaf that a client does not trust, whatever gets lost or late', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 4 }), (seed, replicas) => {
      const world = new RotationWorld(settings, numbers(seed), replicas);
      expect(world.run(90 * DAY)).toBeUndefined();
      for (const step of world.steps) seen.set(step, (seen.get(step) ?? 0) + 1);
    }),
    { numRuns: runs(60, 12) },
  );
  // All of it has happened, and not only once.
  for (const step of ['stage', 'trust', 'distrust', 'promote', 'retire'])
    expect(seen.get(step), step).toBeGreaterThan(5);
});

/** The first world needs the overlap, and so do two of the next twenty. */
const FIRST_SEED = 20;

it('would notice an overlap that is too short for how late replicas and clients are', () => {
  // CAs that change often give it more chances; with the overlap that is wanted nothing happens in the very same worlds.
  const worlds = (overlap: number): boolean[] =>
    Array.from({ length: runs(60, 6) }, (_, index) => {
      const often = { caLifetime: 5 * DAY, leafLifetime: HOUR, caOverlap: overlap };
      return new RotationWorld(often, numbers(FIRST_SEED + index), 3).run(90 * DAY) !== undefined;
    });
  expect(worlds(0)).toContain(true);
  expect(worlds(HOUR)).not.toContain(true);
});
