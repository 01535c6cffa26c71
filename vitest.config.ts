import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';

const OTHER_SUITES = ['slow', 'tools', 'cluster', 'hostile'].map((suite) => `test/**/*.${suite}.test.ts`);

/**
 * Hostile tests that may run beside each other: they compare no times, and no memory that comes near a limit. A file that
 * is not in this list runs alone. The longest is first.
 */
const SIDE_BY_SIDE = [
  ...['hostile-policies-tiny', 'hostile-policies-large', 'random-worlds', 'policy-memory'],
  ...['entry-points', 'callers', 'surroundings', 'supply-chain'],
];
const sideBySide = SIDE_BY_SIDE.map((name) => `test/robustness/${name}.hostile.test.ts`);
const HOSTILE = { globalSetup: 'test/robustness/built-program.ts', testTimeout: 120_000, hookTimeout: 120_000 };

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;
const suite = (name: string, test: TestOptions) => ({ extends: true as const, test: { ...test, name } });

/** Only a test that hangs takes 300 s, even on a machine that has ten times as much to do as it can. */
const PATIENT = { testTimeout: 300_000, hookTimeout: 300_000 };
/** Many tests wait for timers and processes, so three files share two cores well. */
const FAST = { ...PATIENT, maxWorkers: availableParallelism() + 1 };

/** The suffix of a test's file says its suite, and each suite is a command. A file is in one suite only. */
export default defineConfig({
  test: {
    setupFiles: 'test/support/property-seed.ts',
    expect: { poll: { timeout: 120_000 } },
    sequence: {
      sequencer: longestFirst(['cluster', 'chart', 'observed-pods', 'startup-profiles', 'image', ...SIDE_BY_SIDE]),
    },
    projects: [
      // `npm test`: needs nothing but Node and npm, and no network beyond loopback. Nothing is skipped.
      suite('fast', {
        ...FAST,
        include: ['test/**/*.test.ts'],
        exclude: [...OTHER_SUITES, 'test/**/*.alone.test.ts'],
        isolate: false,
      }),
      // The files of it that change modules, clocks or the environment, or measure time and memory.
      suite('fast-alone', { ...FAST, include: ['test/**/*.alone.test.ts'], exclude: OTHER_SUITES }),
      // `npm run test:slow`: all runs of the properties, packed programs, and pages in a browser.
      suite('slow', {
        include: ['test/**/*.slow.test.ts', 'test/**/*.property*.test.ts'],
        exclude: OTHER_SUITES.slice(1),
        env: { FULL_RUNS: 'yes' },
        ...PATIENT,
        maxWorkers: Math.max(2, availableParallelism() - 1),
      }),
      // `npm run test:tools`: needs helm, another program, or files that are not ours to store. What is missing is
      // skipped, and the reason is printed.
      suite('tools', {
        include: ['test/**/*.tools.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        maxWorkers: Math.max(2, availableParallelism() - 1),
      }),
      // `npm run test:e2e`: each file starts a control plane of its own. Most tests wait for it, so two share a machine.
      suite('cluster', {
        include: ['test/**/*.cluster.test.ts'],
        testTimeout: 120_000,
        hookTimeout: 180_000,
        maxWorkers: 2,
      }),
      // `npm run test:robustness`: attacks, faults and random worlds.
      suite('hostile', {
        ...HOSTILE,
        include: ['test/**/*.hostile.test.ts'],
        exclude: sideBySide,
        fileParallelism: false,
        sequence: { groupOrder: 1 },
      }),
      // Each file of hostile policies keeps two processes busy.
      suite('hostile-together', { ...HOSTILE, include: sideBySide, maxWorkers: 2, sequence: { groupOrder: 2 } }),
    ],
  },
});
