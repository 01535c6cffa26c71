import { describe, expect, it } from 'vitest';
import { paintFor, PLAIN, type ColourChoice } from '../../src/cli/output/screen.ts';
import { shownReport, type PlacedViolation } from '../../src/cli/check/report.ts';
import { textReport } from '../../src/cli/check/text.ts';
import { NO_COVERAGE } from './no-coverage.ts';
import type { Coverage } from '../../src/cli/check/check-inputs.ts';
import type { CommandIo } from '../../src/cli/io.ts';

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
const other: PlacedViolation = { ...port, file: 'apps/api.yaml', line: 3, column: 1, name: 'api', kind: 'StatefulSet' };

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

describe('text on a terminal', () => {
  it('groups findings by file and workload, in line order, with the remedy on a line of its own', () =>
    expect(textOf([port, budget, other], 80)).toBe(`apps/web.yaml
  Deployment apps/web
     7:11  warning  startup-budget
      spec.template.spec.containers[0].startupProbe.failureThreshold
      container "app" is only guaranteed 0 s to start
    19:15  error    named-port
      spec.template.spec.containers[0].readinessProbe.httpGet.port
      container "app" declares no port named "htpp"
      advice: write port: http

apps/api.yaml
  StatefulSet apps/api
    3:1  error    named-port
      spec.template.spec.containers[0].readinessProbe.httpGet.port
      container "app" declares no port named "htpp"
      advice: write port: http

Findings by check:
  2  named-port (error)
  1  startup-budget (warning)

2 workloads in 3 objects: 2 errors, 1 warning
`));

  it('fits the width of the terminal, with paths broken behind dots', () =>
    expect(textOf([port], 46)).toBe(`apps/web.yaml
  Deployment apps/web
    19:15  error    named-port
      spec.template.spec.containers[0].
      readinessProbe.httpGet.port
      container "app" declares no port named
      "htpp"
      advice: write port: http

Findings by check:
  1  named-port (error)

2 workloads in 3 objects: 1 error, 0 warnings
`));

  it.each([30, 60, 80, 200])('has no line above %d columns, colours apart', (columns) => {
    const long = { ...port, message: 'word '.repeat(60).trim(), remedy: 'x'.repeat(300), file: 'f'.repeat(250) };
    const coloured = textOf([long, budget], columns, (_style, text) => `\u001b[1m${text}\u001b[0m`);
    const lines = coloured.replace(/\u001b\[\d*m/g, '').split('\n');
    // A head line has the position, the level and the check. None of them is broken.
    const wrapped = lines.filter((line) => !/^ +\d+:\d+ /.test(line));
    expect(Math.max(...wrapped.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  });
});

describe('text in a pipe', () =>
  it('has one line for each finding, in line order, and nothing is wrapped', () =>
    expect(textOf([port, budget], undefined)).toBe(
      'apps/web.yaml:7:11: warning: Deployment apps/web: spec.template.spec.containers[0].startupProbe.failureThreshold: ' +
        'container "app" is only guaranteed 0 s to start (startup-budget)\n' +
        'apps/web.yaml:19:15: error: Deployment apps/web: spec.template.spec.containers[0].readinessProbe.httpGet.port: ' +
        'container "app" declares no port named "htpp"; write port: http (named-port)\n' +
        '\nFindings by check:\n  1  named-port (error)\n  1  startup-budget (warning)\n\n' +
        '2 workloads in 3 objects: 1 error, 1 warning\n',
    )));

describe('coverage in text', () => {
  const coverage: Coverage = {
    containers: 14,
    livenessProbe: { have: 1, get: 1, lack: 12, reasons: { 'no-policy': 11, 'no-main-container': 1 } },
    readinessProbe: { have: 14, get: 0, lack: 0, reasons: {} },
    noMainContainer: [
      {
        ...{ file: 'apps/api.yaml', line: 1, column: 1, kind: 'StatefulSet', namespace: 'apps', name: 'api' },
        policies: ['ClusterProbePolicy/base', 'ProbePolicy/apps/web'],
        message: 'cannot tell its main container: "a", "b" all declare TCP ports',
      },
    ],
  };

  it('names each workload without a main container, and counts containers by reason', () => {
    expect(textOf([], undefined, PLAIN, coverage)).toBe(`No main container:
  apps/api.yaml:1:1: StatefulSet apps/api: cannot tell its main container: "a", "b" all declare TCP ports (wanted by ClusterProbePolicy/base, ProbePolicy/apps/web)

Coverage of 14 containers:
  livenessProbe: 1 has one, 1 gets one from a policy, 12 lack one
    11  no policy asks for probes (no-policy)
     1  no main container can be determined (no-main-container)
  readinessProbe: 14 have one

2 workloads in 3 objects: 0 errors, 0 warnings
`);
    const narrow = textOf([], 40, PLAIN, coverage).split('\n');
    expect(Math.max(...narrow.map(({ length }) => length))).toBeLessThanOrEqual(40);
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
