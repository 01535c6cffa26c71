import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';

/**
 * Files that may run beside each other: their tests compare no times, and no memory that comes near a limit.
 * A file that is not in this list runs alone. The longest file is first.
 */
const NAMES = [
  ...['hostile-policies-tiny', 'hostile-policies-large', 'random-worlds', 'policy-memory'],
  ...['entry-points', 'callers', 'surroundings', 'supply-chain'],
];
const SIDE_BY_SIDE = NAMES.map((name) => `test/robustness/${name}.test.ts`);

/** Attacks, faults and random worlds: `npm run test:robustness`. Some files measure times, so those run one after the other. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/robustness/**/*.test.ts'],
          exclude: SIDE_BY_SIDE,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'side by side',
          include: SIDE_BY_SIDE,
          // Each file of hostile policies keeps two processes busy.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    globalSetup: 'test/robustness/built-program.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: longestFirst(NAMES) },
  },
});
