import { describe, expect, it } from 'vitest';
import { listedFailure, printFailures, type WorkloadWithFailures } from '../../../src/cli/explain/failures.ts';
import { NOW } from '../../support/now.ts';
import type { CommandIo } from '../../../src/cli/io.ts';
import type { ListedFailure } from '../../../src/cli/output/json-outputs.ts';

describe('a failure for programs', () => {
  it('has the facts of the observer, and numbers as numbers', () => {
    const properties = {
      cause: 'http-503',
      container: 'app',
      probe: 'readinessProbe',
      fix: 'Repair it.',
      status: '503',
      timeoutSeconds: '2',
      exitCode: '0',
      times: '12',
      restarts: '3',
      pods: '2',
      reason: 'ImagePullBackOff',
      since: '2026-06-30T00:00:00Z',
      workloads: 'Deployment apps/web, Deployment apps/api',
      other: 'not listed',
    };
    expect(listedFailure({ message: 'it fails', properties })).toEqual({
      cause: 'http-503',
      container: 'app',
      probe: 'readinessProbe',
      message: 'it fails',
      remedy: 'Repair it.',
      status: 503,
      timeoutSeconds: 2,
      exitCode: 0,
      times: 12,
      restarts: 3,
      pods: 2,
      reason: 'ImagePullBackOff',
      since: '2026-06-30T00:00:00Z',
      together: 'Deployment apps/web, Deployment apps/api',
    });
  });

  it('has no members for what is not known', () => {
    expect(Object.entries(listedFailure({ message: 'it fails', properties: {} }))).toEqual([
      ['cause', ''],
      ['message', 'it fails'],
      ['remedy', ''],
    ]);
  });
});

/** What is printed for the failures of one workload. */
function printed(...failures: readonly Partial<ListedFailure>[]): string[] {
  let text = '';
  const io = { stdout: { write: (part: string) => (text += part) }, now: () => NOW } as unknown as CommandIo;
  const named = { kind: 'Deployment', namespace: 'apps' };
  const workloads = [
    { ...named, name: 'well' },
    { ...named, name: 'empty', failures: [] },
    {
      ...named,
      name: 'web',
      failures: failures.map((failure) => ({ cause: 'c', message: 'm', remedy: '', ...failure })),
    },
  ];
  printFailures(workloads as unknown as WorkloadWithFailures[], io);
  return text.split('\n').slice(0, -1);
}

/** The line with the facts of a failure. */
const factsOf = (failure: Partial<ListedFailure>): string | undefined => printed(failure)[3]?.slice(6);

describe('failures for people', () => {
  it('are below the name of the workload, and workloads without failures are left out', () => {
    expect(printed({ message: 'one', remedy: 'Repair one.', status: 404 }, { message: 'two' })).toEqual([
      '',
      'Why is Deployment apps/web not Ready?',
      '  one',
      '      status 404',
      '      Repair one.',
      '  two',
    ]);
    expect(printed()).toEqual([]);
  });

  it('are wrapped at 100 columns, and further lines of a message stand further to the right', () => {
    const long = 'word '.repeat(30).trim();
    const full = 'word '.repeat(20).trim();
    const rest = 'word '.repeat(10).trim();
    expect(printed({ message: long, remedy: long }).slice(2)).toEqual([
      `  ${full}`,
      `    ${rest}`,
      `      ${full}`,
      `      ${rest}`,
    ]);
  });

  it.each<[Partial<ListedFailure>, string | undefined]>([
    [{}, undefined],
    [{ status: 0 }, 'status 0'],
    [{ timeoutSeconds: 1 }, 'timeoutSeconds 1'],
    [{ exitCode: 0 }, 'exit code 0'],
    [{ reason: 'ImagePullBackOff' }, 'ImagePullBackOff'],
    [{ times: 1 }, 'seen once'],
    [{ times: 2 }, 'seen 2 times'],
    [{ restarts: 1 }, 'restarted once'],
    [{ restarts: 0 }, 'restarted 0 times'],
    [{ pods: 1 }, undefined],
    [{ pods: 2 }, 'in 2 Pods'],
    [{ since: 'some day' }, undefined],
    [{ status: 503, times: 12, pods: 3 }, 'status 503, seen 12 times, in 3 Pods'],
  ])('have the facts that are known: %j', (failure, facts) => {
    expect(factsOf(failure)).toBe(facts);
  });

  it.each([
    ['2026-07-01T00:00:00Z', '0 s'],
    ['2026-07-01T01:00:00Z', '0 s'],
    ['2026-06-30T23:59:59Z', '1 s'],
    ['2026-06-30T23:58:01Z', '119 s'],
    ['2026-06-30T23:58:00Z', '2 min'],
    ['2026-06-30T23:57:31Z', '2 min'],
    ['2026-06-30T23:57:30Z', '3 min'],
    ['2026-06-30T00:00:00Z', '1440 min'],
  ])('say since when: %s is %s ago', (since, ago) => {
    expect(factsOf({ since })).toBe(`not Ready since ${since} (${ago})`);
  });
});
