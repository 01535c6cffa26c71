import { describe, expect, it } from 'vitest';
import { paintFor, PLAIN, type ColourChoice } from '../../../src/cli/output/screen.ts';
import { shownReport, type PlacedViolation } from '../../../src/cli/check/report.ts';
import { textReport } from '../../../src/cli/check/text.ts';
import { NO_COVERAGE } from '../no-coverage.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { Coverage } from '../../../src/cli/check/check-inputs.ts';
import type { CommandIo } from '../../../src/cli/io.ts';
import { describeCommands } from '../command-cases.ts';

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
