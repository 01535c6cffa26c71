import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countByAction, shownReport } from '../../../src/cli/check/report.ts';
import { LEVELS } from '../../../src/cli/output/level.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { NO_COVERAGE } from '../no-coverage.ts';
import type { CheckReport, PlacedViolation, Selection } from '../../../src/cli/check/report.ts';

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

interface Case {
  /** The findings: check, action, line and file. */
  readonly findings: readonly [string, PlacedViolation['action'], number, string][];
  readonly selection?: Partial<Selection>;
}

describe('what is shown of a report', () => {
  describeCases('test/fixtures/shown-reports.yaml', ['shown', 'counts', 'hidden', 'hasWarnings'], (given) => {
    const { findings, selection } = given as unknown as Case;
    const report = reportOf(...findings.map((one) => finding(...one)));
    const { violations, summary, warnings, problems } = shownReport(report, { ...EVERYTHING, ...selection });
    expect(problems).toEqual(report.problems);
    const { hidden, deny, warn, audit, excepted, ...others } = summary;
    expect(others).toEqual({ objects: 2, workloads: 1, coverage: NO_COVERAGE });
    return {
      shown: violations.map(({ file, line, check }) => `${file}:${line} ${check}`),
      counts: { deny, warn, audit, excepted },
      hidden: { ...hidden, notes: Object.entries(hidden.notes) },
      hasWarnings: warnings.length > 0,
    };
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
