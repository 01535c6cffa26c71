import { readFileSync } from 'node:fs';
import { filesBelow } from '../../scripts/size/measure.ts';

/** Tests with a control plane, attacks and faults: `npm run test:e2e`, `npm run test:robustness`. */
export const WITH_SERVERS = ['test/e2e/**', 'test/robustness/**'];

/** Tests that need helm, another program, or files that are not ours to store: `npm run test:chart`. */
export const WITH_TOOLS = [
  'test/chart/**/*.test.ts',
  'test/foreign/**/*.test.ts',
  'test/integrations/**/*.test.ts',
  'test/observer/report-crds.test.ts',
  'test/release/release.test.ts',
];

/** Tests that pack the program or open pages in a browser: `npm run test:slow`. */
export const SLOW = ['test/package/package.test.ts', 'test/pages/**/*.test.ts'];

/** The files whose properties have more runs in `npm run test:slow` than in `npm test`. */
export function withManyRuns(): readonly string[] {
  const uses = /from '(?:\.\.\/)+support\/runs\.ts'/;
  return filesBelow('test').filter((file) => file.endsWith('.test.ts') && uses.test(readFileSync(file, 'utf8')));
}
