import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Unit, property and golden tests: no network beyond loopback, no cluster. `npm run test:e2e` has its own configuration. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/robustness/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default, Vitest leaves one core free. Many tests wait for processes, so two files share two cores well.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
