import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW, WITH_SERVERS, WITH_TOOLS } from './test/support/test-groups.ts';

/** `npm test`: what needs nothing but Node and npm, and no network beyond loopback. Nothing is skipped. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...WITH_SERVERS, ...WITH_TOOLS, ...SLOW],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default, Vitest leaves one core free. Many tests wait for processes, so two files share two cores well.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
