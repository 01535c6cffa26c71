import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';

/** End-to-end tests against a real kube-apiserver: needs KUBEBUILDER_ASSETS (kube-apiserver, etcd, kubectl). */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Each file starts a control plane of its own. Most tests wait for the control plane, so two files share a machine well.
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(['cluster', 'chart', 'observed-pods', 'startup-profiles', 'image']) },
  },
});
