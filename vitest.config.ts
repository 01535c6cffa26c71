import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW, WITH_SERVERS, WITH_TOOLS, withOwnProcess } from './test/support/test-groups.ts';

const elsewhere = [...WITH_SERVERS, ...WITH_TOOLS, ...SLOW];
const own = [...withOwnProcess()];

/** `npm test`: what needs nothing but Node and npm, and no network beyond loopback. Nothing is skipped. */
export default defineConfig({
  test: {
    // Only a test that hangs takes so long, even on a machine that has ten times as much to do as it can.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Many tests wait for timers and processes, so three files share two cores well.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: [...elsewhere, ...own], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: own, exclude: elsewhere } },
    ],
  },
});
