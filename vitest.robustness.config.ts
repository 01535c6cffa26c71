import { defineConfig } from 'vitest/config';

/** Attacks, faults and random worlds: `npm run test:robustness`. One file after the other, as some measure times. */
export default defineConfig({
  test: {
    include: ['test/robustness/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
