import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { WITH_TOOLS } from './test/support/test-groups.ts';

/**
 * `npm run test:chart`: the chart as helm renders it, integrations in their hosts, and other tools' cases. Needs helm at
 * KUBEBUILDER_ASSETS. What another program or file is missing for is skipped, and the reason is printed.
 */
export default defineConfig({
  test: {
    include: WITH_TOOLS,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
