import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findingKey,
  objectName,
  selectedFindings,
  shownReport,
  withoutRepeatsByObject,
} from '../../../src/cli/check/report.ts';
import { LEVELS } from '../../../src/engine/verdict/levels.ts';
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
  const summary = { objects: 2, workloads: 1, coverage: NO_COVERAGE };
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
          const actions = ['Deny', 'Warn', 'Audit', 'Excepted'] as const;
          const counts = actions.map((action) => violations.filter((shown) => shown.action === action).length);
          expect([deny, warn, audit, excepted]).toEqual(counts);
          expect(violations.length + hidden.otherChecks + hidden.warn + hidden.audit + hidden.excepted).toBe(
            all.length,
          );
          for (const shown of violations) expect(all).toContain(shown);
        },
      ),
    );
  });
});

it('the summary keeps the order of its members, which is that of the JSON output', () => {
  const { summary } = shownReport(reportOf(finding('exec-cost', 'Deny')), EVERYTHING);
  const counts = ['deny', 'warn', 'audit', 'excepted'];
  expect(Object.keys(summary)).toEqual(['objects', 'workloads', ...counts, 'coverage', 'hidden']);
});

describe('the numbers of what is hidden', () => {
  const hiddenOf = (report: CheckReport, selection: Partial<Selection> = {}) =>
    shownReport(report, { ...EVERYTHING, ...selection }).summary.hidden;

  it('have ignored findings only where comments ignore some, and known findings only with a baseline', () => {
    const report = reportOf();
    expect(Object.keys(hiddenOf(report))).toEqual(['otherChecks', 'warn', 'audit', 'excepted', 'notes']);
    expect(hiddenOf({ ...report, ignored: 0 })).not.toHaveProperty('ignored');
    expect(hiddenOf({ ...report, ignored: 1 }).ignored).toBe(1);
    const known = { baseline: 'known.json', findings: 0 };
    expect(hiddenOf({ ...report, known }).known).toEqual(known);
  });

  it('have the notes of each check, the most frequent check first', () => {
    const report = reportOf(
      finding('exec-cost', 'Audit'),
      finding('grace-period', 'Audit', 2),
      finding('grace-period', 'Audit', 3),
      finding('named-port', 'Warn'),
    );
    const { notes, audit, warn } = hiddenOf(report, { minLevel: 'warning' });
    expect(Object.entries(notes)).toEqual([
      ['grace-period', 2],
      ['exec-cost', 1],
    ]);
    expect([audit, warn]).toEqual([3, 0]);
    expect(hiddenOf(report, { minLevel: 'error' })).toMatchObject({ audit: 3, warn: 1 });
  });
});

describe('the findings of a selection', () => {
  it('are of its checks, and at its level or above, without what an exception allows', () => {
    const report = reportOf(
      finding('exec-cost', 'Deny', 1),
      finding('exec-cost', 'Audit', 2),
      finding('named-port', 'Deny', 3),
      finding('exec-cost', 'Excepted', 4),
    );
    const lines = (selection: Partial<Selection>): readonly number[] =>
      selectedFindings(report, { minLevel: 'warning', only: [], skip: [], ...selection }).map(({ line }) => line);
    expect(lines({})).toEqual([1, 3]);
    expect(lines({ only: ['exec-cost'] })).toEqual([1]);
    expect(lines({ skip: ['exec-cost'] })).toEqual([3]);
    expect(lines({ minLevel: 'error' })).toEqual([1, 3]);
    expect(lines({ minLevel: 'note', skip: ['named-port'] })).toEqual([1, 2]);
  });
});

describe('advice that repeats', () => {
  it('is left out within an object, and not between two objects', () => {
    const path = ['spec'];
    const of = (check: string, place: readonly string[]): PlacedViolation => ({
      ...finding(check, 'Warn'),
      ...{ object: { document: 0, path: place }, edits: [{ path: ['spec', 'periodSeconds'], value: 5 }] },
      ...{ probe: 'livenessProbe', remedy: 'write periodSeconds: 5' },
    });
    const [first, second] = [of('exec-cost', path), of('timeout-over-period', path)];
    const elsewhere = of('timeout-over-period', ['items', '1']);
    const left = withoutRepeatsByObject([first, second, elsewhere]);
    expect(left).toContain(elsewhere);
    expect(withoutRepeatsByObject([first, elsewhere])).toEqual([first, elsewhere]);
    expect(left.length).toBe(withoutRepeatsByObject([first, second]).length + 1);
  });
});

describe('the name of an object', () => {
  it('has the namespace, if there is one', () => {
    expect(objectName({ kind: 'Pod', namespace: 'apps', name: 'web' })).toBe('Pod apps/web');
    expect(objectName({ kind: 'ClusterProbePolicy', namespace: '', name: 'safe' })).toBe('ClusterProbePolicy safe');
  });
});

describe('the identities of findings', () => {
  it('differ by check, kind, namespace, name, container and probe', () => {
    const one = finding('exec-cost', 'Deny');
    const changes = [
      { check: 'named-port' },
      { kind: 'Job' },
      { namespace: 'b' },
      { name: 'b' },
      { container: 'b' },
      { probe: 'livenessProbe' as const },
    ];
    const keys = [one, ...changes.map((change) => ({ ...one, ...change }))].map(findingKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(findingKey({ ...one, line: 7, message: 'other', file: 'b' } as PlacedViolation)).toBe(findingKey(one));
  });
});
