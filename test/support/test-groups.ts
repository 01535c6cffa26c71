import { readFileSync } from 'node:fs';
import { filesBelow } from '../../scripts/size/measure.ts';

/** Tests with a control plane, attacks and faults: `npm run test:e2e`, `npm run test:robustness`. */
export const WITH_SERVERS = ['test/e2e/**', 'test/robustness/**'];

/** Tests that need helm, another program, or files that are not ours to store: `npm run test:chart`. */
export const WITH_TOOLS = [
  'test/chart/**/*.test.ts',
  'test/foreign/**/*.test.ts',
  'test/integrations/**/*.test.ts',
  'test/judged/**/*.test.ts',
  'test/observer/report-crds.test.ts',
  'test/release/release.test.ts',
];

/** Tests that pack the program, open pages in a browser, or wait: `npm run test:slow`. */
export const SLOW = [
  'test/cli/try/incidents.test.ts',
  'test/cli/try/library-programs.test.ts',
  'test/cli/try/recorded-events.test.ts',
  'test/package/package.test.ts',
  'test/pages/**/*.test.ts',
];

/**
 * Files of `npm test` that need a process of their own: they change modules, clocks or the environment, or measure time
 * and memory. All other files share a process, so that modules are loaded once.
 */
export function withOwnProcess(): readonly string[] {
  return testFilesWith(
    /\bvi\.(?:mock|useFakeTimers|stub|spyOn)|process\.(?:env\[|chdir|exitCode|on\(|cpuUsage|memoryUsage)|performance\.now/,
  );
}

/** The files whose properties have more runs in `npm run test:slow` than in `npm test`. */
export function withManyRuns(): readonly string[] {
  return testFilesWith(/from '(?:\.\.\/)+support\/runs\.ts'/);
}

function testFilesWith(pattern: RegExp): readonly string[] {
  return filesBelow('test').filter((file) => file.endsWith('.test.ts') && pattern.test(readFileSync(file, 'utf8')));
}
