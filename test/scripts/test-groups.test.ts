import { matchesGlob } from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../../scripts/size/measure.ts';
import { SLOW, WITH_SERVERS, WITH_TOOLS } from '../support/test-groups.ts';

const files = filesBelow('test').filter((file) => file.endsWith('.test.ts'));

describe('the groups of tests', () => {
  it.each([...SLOW, ...WITH_SERVERS, ...WITH_TOOLS])('%s names a test', (pattern) => {
    expect(files.filter((file) => matchesGlob(file, pattern))).not.toEqual([]);
  });

  it('leave nothing to "npm test" that skips tests without another program or file', () => {
    const elsewhere = [...SLOW, ...WITH_SERVERS, ...WITH_TOOLS];
    const fast = files.filter((file) => !elsewhere.some((pattern) => matchesGlob(file, pattern)));
    // What Linux has and another system lacks (/dev/full) is a reason to skip.
    const skipping = fast.filter((file) => /\bskipIf\((?!!existsSync|!isLinux)/.test(readFileSync(file, 'utf8')));
    expect(skipping).toEqual([]);
  });

  it('are all run by .ci/run', () => {
    const ci = readFileSync('.ci/run', 'utf8');
    for (const command of ['npm test', 'npm run test:slow', 'npm run test:chart', 'npm run test:e2e']) {
      expect(ci).toContain(command);
    }
  });
});
