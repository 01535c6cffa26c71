import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW, withManyRuns } from './test/support/test-groups.ts';

/** `npm run test:slow`: property tests with all their runs, packed programs, and pages in a browser. */
export default defineConfig({
  test: {
    include: [...SLOW, ...withManyRuns()],
    env: { FULL_RUNS: 'yes' },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
