import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../../scripts/size/measure.ts';

const files = filesBelow('test').filter((file) => file.endsWith('.test.ts'));
const fast = files.filter((file) => !/\.(?:slow|tools|cluster|hostile)\.test\.ts$/.test(file));
const textOf = (file: string): string => readFileSync(file, 'utf8');
/** The words between the name of the file and `.test.ts`. */
const marksOf = (file: string): readonly string[] => file.replace(/^.*\//, '').split('.').slice(1, -2);

describe('the suites of tests', () => {
  it('have no suffix that is in no suite', () => {
    const known = ['property', 'alone', 'slow', 'tools', 'cluster', 'hostile'];
    expect(files.filter((file) => marksOf(file).some((mark) => !known.includes(mark)))).toEqual([]);
  });

  it('have the control plane and the attacks in their own suites', () => {
    const misnamed = files.filter(
      (file) =>
        file.startsWith('test/e2e/') !== marksOf(file).includes('cluster') ||
        file.startsWith('test/robustness/') !== marksOf(file).includes('hostile'),
    );
    expect(misnamed).toEqual([]);
  });

  it('give a process of its own to a fast test that changes modules, clocks or the environment, or measures', () => {
    const own =
      /\bvi\.(?:mock|useFakeTimers|stub|spyOn)|process\.(?:env\[|chdir|exitCode|on\(|cpuUsage|memoryUsage)|performance\.now/;
    const together = fast.filter((file) => !file.endsWith('.alone.test.ts'));
    expect(together.filter((file) => own.test(textOf(file)))).toEqual([]);
  });

  it('run a property with all its runs where it has less of them in "npm test"', () => {
    const partly = fast.filter((file) => /from '(?:\.\.\/)+support\/runs\.ts'/.test(textOf(file)));
    expect(partly.filter((file) => !marksOf(file).includes('property'))).toEqual([]);
  });

  it('leave nothing to "npm test" that skips tests without another program or file', () => {
    // What Linux has and another system lacks (/dev/full) is a reason to skip.
    expect(fast.filter((file) => /\bskipIf\((?!!existsSync|!isLinux)/.test(textOf(file)))).toEqual([]);
  });

  it('are all run by .ci/run', () => {
    const ci = readFileSync('.ci/run', 'utf8');
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const suites = Object.keys(scripts).filter((name) => name.startsWith('test:'));
    for (const suite of ['npm test', ...suites.map((name) => `npm run ${name}`)]) expect(ci).toContain(suite);
  });
});
