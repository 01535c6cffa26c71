import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countByAction, shownReport } from '../../src/cli/check/report.ts';
import { LEVELS } from '../../src/cli/output/level.ts';
import { NO_COVERAGE } from './no-coverage.ts';
import type { CheckReport, PlacedViolation, Selection } from '../../src/cli/check/report.ts';

const EVERYTHING: Selection = { minLevel: 'note', only: [], skip: [] };

function finding(check: string, action: PlacedViolation['action'], line = 1, file = 'a.yaml'): PlacedViolation {
  const named = { kind: 'Pod', namespace: 'apps', name: 'web', container: 'app' };
  return { check, action, file, line, column: 1, ...named, path: ['spec'], message: 'is wrong' };
}

function reportOf(...violations: PlacedViolation[]): CheckReport {
  const warning = { file: 'a.yaml', line: 1, column: 1, message: 'warning: an annotation has no effect' };
  const problem = { file: 'b.yaml', line: 1, column: 1, message: 'cannot be read' };
  const summary = { objects: 2, workloads: 1, ...countByAction(violations), coverage: NO_COVERAGE };
  return { violations, summary, warnings: [warning], problems: [problem] };
}

const checksOf = (report: CheckReport, selection: Partial<Selection>): string[] =>
  shownReport(report, { ...EVERYTHING, ...selection }).violations.map(({ check }) => check);

describe('what is shown of a report', () => {
  const report = reportOf(
    finding('named-port', 'Deny'),
    finding('startup-budget', 'Warn'),
    finding('slow-detection', 'Audit'),
  );

  it('ends at the lowest level that is asked for', () => {
    expect(checksOf(report, { minLevel: 'note' })).toEqual(['named-port', 'startup-budget', 'slow-detection']);
    expect(checksOf(report, { minLevel: 'warning' })).toEqual(['named-port', 'startup-budget']);
    expect(checksOf(report, { minLevel: 'error' })).toEqual(['named-port']);
  });

  it('has the checks of --only, without those of --skip', () => {
    expect(checksOf(report, { only: ['slow-detection', 'named-port'] })).toEqual(['named-port', 'slow-detection']);
    expect(checksOf(report, { skip: ['named-port'] })).toEqual(['startup-budget', 'slow-detection']);
    expect(checksOf(report, { only: ['named-port'], skip: ['named-port'] })).toEqual([]);
  });

  it('counts what is shown, and what each filter hides', () =>
    expect(shownReport(report, { minLevel: 'error', only: [], skip: ['slow-detection'] }).summary).toEqual({
      ...{ objects: 2, workloads: 1, deny: 1, warn: 0, audit: 0, excepted: 0, coverage: NO_COVERAGE },
      hidden: { otherChecks: 1, warn: 1, audit: 0, excepted: 0, notes: {} },
    }));

  it('counts the hidden notes by check, the most frequent check first', () => {
    const notes = reportOf(
      finding('timeout-over-period', 'Audit', 1),
      finding('shared-endpoint', 'Audit', 2),
      finding('shared-endpoint', 'Audit', 3),
      finding('exec-cost', 'Audit', 4),
      finding('exec-cost', 'Warn', 5),
    );
    const { hidden } = shownReport(notes, { minLevel: 'warning', only: [], skip: ['exec-cost'] }).summary;
    expect(Object.entries(hidden.notes)).toEqual([
      ['shared-endpoint', 2],
      ['timeout-over-period', 1],
    ]);
    expect(shownReport(notes, EVERYTHING).summary.hidden.notes).toEqual({});
  });

  it('has warnings about annotations from level warning on, and always what could not be read', () => {
    const { warnings, problems } = report;
    expect(shownReport(report, { ...EVERYTHING, minLevel: 'warning', only: ['named-port'] })).toMatchObject({
      warnings,
      problems,
    });
    expect(shownReport(report, { ...EVERYTHING, minLevel: 'error' })).toMatchObject({ warnings: [], problems });
  });

  it('is in the order of files and lines; findings at one place keep their order', () => {
    const shown = shownReport(
      reportOf(
        finding('named-port', 'Deny', 9, 'b.yaml'),
        finding('named-port', 'Deny', 20),
        finding('exec-cost', 'Warn', 3),
        finding('grace-period', 'Warn', 3),
        finding('exec-cost', 'Warn', 2, 'b.yaml'),
      ),
      EVERYTHING,
    );
    expect(shown.violations.map(({ file, line, check }) => `${file}:${line} ${check}`)).toEqual([
      'b.yaml:2 exec-cost',
      'b.yaml:9 named-port',
      'a.yaml:3 exec-cost',
      'a.yaml:3 grace-period',
      'a.yaml:20 named-port',
    ]);
  });

  it('and what is hidden are together all that was found', () => {
    const checks = ['named-port', 'exec-cost', 'grace-period'];
    const findings = fc.record({
      check: fc.constantFrom(...checks),
      action: fc.constantFrom('Deny' as const, 'Warn' as const, 'Audit' as const),
      line: fc.nat(9),
      file: fc.constantFrom('a.yaml', 'b.yaml'),
    });
    fc.assert(
      fc.property(
        fc.array(findings),
        fc.record({ minLevel: fc.constantFrom(...LEVELS), only: fc.subarray(checks), skip: fc.subarray(checks) }),
        (found, selection) => {
          const all = found.map(({ check, action, line, file }) => finding(check, action, line, file));
          const { violations, summary } = shownReport(reportOf(...all), selection);
          const { deny, warn, audit, excepted, hidden } = summary;
          expect({ deny, warn, audit, excepted }).toEqual(countByAction(violations));
          expect(violations.length + hidden.otherChecks + hidden.warn + hidden.audit + hidden.excepted).toBe(
            all.length,
          );
          for (const shown of violations) expect(all).toContain(shown);
        },
      ),
    );
  });
});
