import { describe, expect, it } from 'vitest';
import { paintFor, PLAIN, type ColourChoice } from '../../../src/cli/output/screen.ts';
import { shownReport, type PlacedViolation } from '../../../src/cli/check/report.ts';
import { findingLine, REASON_TEXTS, textReport, totalsOf } from '../../../src/cli/check/text.ts';
import { partsOf } from '../../../src/cli/check/finding-parts.ts';
import { NO_COVERAGE } from '../no-coverage.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { Coverage } from '../../../src/cli/check/coverage.ts';
import type { CommandIo } from '../../../src/cli/io.ts';
import { clusterPlace } from '../../../src/cli/input/cluster-object.ts';
import { describeCommands } from '../command-cases.ts';
import { REASON_CODES } from '../../../src/engine/defaulting/not-injected.ts';
import { LEGACY, placedViolation, reportWith } from './placed-violations.ts';

describeCommands('test/cli/check/text.test.ts');

const port: PlacedViolation = {
  ...{ check: 'named-port', action: 'Deny', container: 'app', file: 'apps/web.yaml', line: 19, column: 15 },
  ...{ kind: 'Deployment', namespace: 'apps', name: 'web', probe: 'readinessProbe' },
  path: ['spec', 'template', 'spec', 'containers', 0, 'readinessProbe', 'httpGet', 'port'],
  message: 'container "app" declares no port named "htpp"',
  remedy: 'write port: http',
};
const budget: PlacedViolation = {
  ...{ check: 'startup-budget', action: 'Warn', container: 'app', file: 'apps/web.yaml', line: 7, column: 11 },
  ...{ kind: 'Deployment', namespace: 'apps', name: 'web' },
  path: ['spec', 'template', 'spec', 'containers', 0, 'startupProbe', 'failureThreshold'],
  message: 'container "app" is only guaranteed 0 s to start',
};
interface Case {
  readonly violations?: readonly PlacedViolation[];
  readonly columns?: number;
  readonly coverage?: Coverage;
}

function textOf(
  violations: readonly PlacedViolation[],
  columns: number | undefined,
  paint = PLAIN,
  coverage = NO_COVERAGE,
): string {
  const report = {
    violations,
    summary: { objects: 3, workloads: 2, deny: 0, warn: 0, audit: 0, excepted: 0, coverage },
    warnings: [],
    problems: [],
  };
  return textReport(shownReport(report, { minLevel: 'warning', only: [], skip: [] }), { columns, paint });
}

describe('a report as text', () => {
  describeCases('test/fixtures/text-reports.yaml', ['text'], (given) => {
    const { violations = [], columns, coverage } = given as unknown as Case;
    return { text: textOf(violations, columns, PLAIN, coverage) };
  });

  it.each([30, 60, 80, 200])('has no line above %d columns, colours apart', (columns) => {
    const long = { ...port, message: 'word '.repeat(60).trim(), remedy: 'x'.repeat(300), file: 'f'.repeat(250) };
    const coloured = textOf([long, budget], columns, (_style, text) => `\u001b[1m${text}\u001b[0m`);
    const lines = coloured.replace(/\u001b\[\d*m/g, '').split('\n');
    // A head line has the position, the level and the check. None of them is broken.
    const wrapped = lines.filter((line) => !/^ +\d+:\d+ /.test(line));
    expect(Math.max(...wrapped.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  });
});

describe('colours', () => {
  const coloured = (choice: ColourChoice, stdoutColumns: number | undefined, env: Record<string, string>): boolean =>
    paintFor(choice, { env, stdoutColumns } as unknown as CommandIo)('error', 'x') !== 'x';

  it.each([
    ['auto', 80, {}, true],
    ['auto', undefined, {}, false],
    ['auto', 80, { NO_COLOR: '1' }, false],
    ['auto', 80, { NO_COLOR: '' }, true],
    ['auto', 80, { TERM: 'dumb' }, false],
    ['always', undefined, { NO_COLOR: '1', TERM: 'dumb' }, true],
    ['never', 80, {}, false],
  ] as const)('with --color %s, %j columns and %j: %j', (choice, columns, env, expected) =>
    expect(coloured(choice, columns, env)).toBe(expected),
  );
});

describe('the numbers of a report on one line', () => {
  const NUMBERS = '1 workload in 2 objects: 0 errors, 0 warnings, 0 notes';
  const edits = [{ path: ['spec'], value: 1 }];
  const advised = placedViolation({ edits });
  const FOUND = '1 workload in 2 objects: 1 error, 0 warnings, 0 notes';

  it('have only what there is', () => {
    expect(totalsOf(reportWith([]))).toBe(NUMBERS);
    expect(totalsOf(reportWith([], {}, { minLevel: 'error' }))).toBe('1 workload in 2 objects: 0 errors');
  });

  it('have other warnings, problems, known, ignored and hidden findings', () => {
    const problem = { file: 'a.yaml', line: 1, column: 1, message: 'is wrong' };
    const known = { baseline: 'known.json', findings: 1 };
    const others = { warnings: [problem, problem], problems: [problem], known, ignored: 1 };
    expect(
      totalsOf(reportWith([placedViolation({ check: 'exec-cost' })], others, { minLevel: 'note', only: ['a'] })),
    ).toBe(
      `${NUMBERS}; 2 other warnings; 1 input problem; 1 known finding of known.json hidden; ` +
        '1 finding ignored by comments; 1 finding of other checks hidden',
    );
    const warning = placedViolation({ action: 'Warn' });
    expect(totalsOf(reportWith([warning], {}, { minLevel: 'error' }))).toBe(
      '1 workload in 2 objects: 0 errors; 1 warning hidden (--min-level warning shows warnings)',
    );
    const excepted = placedViolation({ action: 'Excepted', exception: LEGACY, edits });
    expect(totalsOf(reportWith([excepted]))).toBe(`${NUMBERS}; 1 violation excepted`);
  });

  it('say how many findings fix --advice writes: of files, and not of rendered texts or a cluster', () => {
    expect(totalsOf(reportWith([advised]))).toBe(`${FOUND}; 1 of 1 by fix --advice`);
    expect(totalsOf(reportWith([advised], { isFromCluster: true }))).toBe(FOUND);
    const text = { file: advised.file, text: '' };
    expect(totalsOf(reportWith([advised], { texts: [text] }))).toContain('by fix --advice');
    expect(totalsOf(reportWith([{ ...advised, isRendered: true }], { texts: [text] }))).toBe(FOUND);
  });
});

describe('a finding on one line', () => {
  it('begins with its place, and for an object of a cluster with the object', () => {
    const { text } = partsOf(port);
    expect(findingLine(port, PLAIN)).toBe(`apps/web.yaml:19:15: error: Deployment apps/web: ${text}`);
    const metadata = { namespace: 'apps', name: 'web' };
    const live = { ...port, file: clusterPlace({ metadata }, { apiVersion: 'apps/v1', kind: 'Deployment' }) };
    expect(findingLine(live, PLAIN, { isFromCluster: true })).toBe(`Deployment apps/web: error: ${text}`);
  });
});

describe('the end of a report as text', () => {
  const endOf = (...given: Parameters<typeof reportWith>): string =>
    textReport(reportWith(...given), { columns: undefined, paint: PLAIN });

  it('counts hidden notes by check, one or several', () => {
    const note = (line: number, check = 'exec-cost') => placedViolation({ action: 'Audit', check, line });
    const shown = { minLevel: 'warning' } as const;
    expect(endOf([note(1)], {}, shown)).toMatch(/1 note is hidden: 1 exec-cost; --min-level note shows it\n$/);
    const many = [note(1, 'grace-period'), note(2), note(3)];
    expect(endOf(many, {}, shown)).toMatch(/3 notes are hidden: 2 exec-cost, 1 grace-period; .* shows them\n$/);
    expect(endOf([], {}, shown)).not.toContain('hidden');
  });

  it('counts findings by check: the worst level first, then the most frequent check', () => {
    const of = (check: string, action: PlacedViolation['action'], line: number) =>
      placedViolation({ check, action, line });
    const found = [
      ...[of('a-warning', 'Warn', 1), of('a-note', 'Audit', 2), of('an-error', 'Deny', 3)],
      ...Array.from({ length: 10 }, (_, index) => of('two-levels', index === 0 ? 'Deny' : 'Audit', 10 + index)),
    ];
    const [, table = ''] = endOf(found).split('Findings by check:\n');
    expect(table.split('\n\n')[0]?.split('\n')).toEqual([
      '  10  two-levels (error, note)',
      '   1  an-error (error)',
      '   1  a-warning (warning)',
      '   1  a-note (note)',
    ]);
    expect(endOf([])).not.toContain('Findings by check');
  });

  it('lists live Pods that lack probes', () => {
    const lacking = [{ kind: 'Deployment', namespace: 'shop', name: 'web', message: '2 of 2 Pods lack a probe' }];
    expect(endOf([], { lacking })).toContain('Live Pods:\n  Deployment shop/web: 2 of 2 Pods lack a probe\n');
    expect(endOf([], { lacking: [] })).not.toContain('Live Pods');
  });

  it('counts the containers of each probe, and the reasons', () => {
    const counts = { have: 1, get: 1, lack: 1, reasons: { 'no-port': 1 } };
    const coverage = {
      containers: 3,
      livenessProbe: counts,
      readinessProbe: { have: 2, get: 0, lack: 12, reasons: { 'no-policy': 10, 'no-port': 2 } },
      noMainContainer: [
        {
          file: 'a.yaml',
          line: 2,
          column: 1,
          kind: 'Pod',
          namespace: 'b',
          name: 'c',
          policies: ['P', 'Q'],
          message: 'm',
        },
      ],
    };
    const text = textOf([], undefined, PLAIN, coverage);
    expect(text).toContain(`Coverage of 3 containers:
  livenessProbe: 1 has one, 1 gets one from a policy, 1 lacks one
    1  ${REASON_TEXTS['no-port']} (no-port)
  readinessProbe: 2 have one, 12 lack one
    10  ${REASON_TEXTS['no-policy']} (no-policy)
     2  ${REASON_TEXTS['no-port']} (no-port)
`);
    expect(text).toContain('No main container:\n  a.yaml:2:1: Pod b/c: m (wanted by P, Q)\n');
    expect(Object.keys(REASON_TEXTS)).toEqual(expect.arrayContaining([...REASON_CODES]));
  });
});
