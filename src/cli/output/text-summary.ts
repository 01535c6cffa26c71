import { count } from '../../base/text/count.ts';
import { isShownAt, LEVEL_OF_ACTION, LEVELS } from '../level.ts';
import { coverageLines, noMainContainerLines } from './coverage-text.ts';
import { paragraph } from '../screen.ts';
import type { PlacedViolation } from '../check-report.ts';
import type { Level } from '../level.ts';
import type { Screen } from '../screen.ts';
import type { ShownReport } from '../shown-report.ts';

/** The end of the text, in blocks of lines: coverage, findings by check, the totals, and the hidden notes. */
export function summaryBlocks(report: ShownReport, screen: Screen): string[][] {
  const { coverage } = report.summary;
  return [
    noMainContainerLines(coverage.noMainContainer, screen, report),
    coverageLines(coverage, screen),
    countsByCheck(report.violations, screen),
    [...totals(report, screen), ...hiddenNotes(report, screen)],
  ];
}

/** The checks with findings: errors first, then the checks with most findings. */
function countsByCheck(violations: readonly PlacedViolation[], screen: Screen): string[] {
  if (violations.length === 0) return [];
  const checks = [...Map.groupBy(violations, ({ check }) => check)]
    .map(([check, found]) => {
      const ofFound = new Set(found.map(({ action }) => LEVEL_OF_ACTION[action]));
      return { check, number: found.length, levels: LEVELS.filter((level) => ofFound.has(level)) };
    })
    .sort((a, b) => worstOf(a.levels) - worstOf(b.levels) || b.number - a.number);
  const width = Math.max(...checks.map(({ number }) => String(number).length));
  return [
    screen.paint('heading', 'Findings by check:'),
    ...checks.map(({ check, number, levels }) => {
      const painted = levels.map((level) => screen.paint(level, level)).join(', ');
      return `  ${String(number).padStart(width)}  ${check} (${painted})`;
    }),
  ];
}

function worstOf(levels: readonly Level[]): number {
  return Math.min(...levels.map((level) => LEVELS.indexOf(level)));
}

/** The numbers of inputs, of findings and of hidden findings: one line, unless the screen is narrow. */
function totals({ summary, warnings, problems, selection: { minLevel } }: ShownReport, screen: Screen): string[] {
  const { objects, workloads, deny, warn, audit, excepted, hidden } = summary;
  const counts: Readonly<Record<Level, number>> = { error: deny, warning: warn, note: audit };
  const found = LEVELS.filter((level) => isShownAt(level, minLevel)).map((level) => count(counts[level], level));
  const parts = [`${count(workloads, 'workload')} in ${count(objects, 'object')}: ${found.join(', ')}`];
  if (excepted > 0) parts.push(`${count(excepted, 'violation')} excepted`);
  if (warnings.length > 0) parts.push(count(warnings.length, 'other warning'));
  if (problems.length > 0) parts.push(count(problems.length, 'input problem'));
  const { known } = hidden;
  if (known !== undefined) parts.push(`${count(known.findings, 'known finding')} of ${known.baseline} hidden`);
  if (hidden.otherChecks > 0) parts.push(`${count(hidden.otherChecks, 'finding')} of other checks hidden`);
  if (hidden.warn > 0) parts.push(`${count(hidden.warn, 'warning')} hidden (--min-level warning shows warnings)`);
  const worst = problems.length > 0 ? 'error' : LEVELS.find((level) => counts[level] > 0);
  return paragraph(screen, { text: parts.join('; '), style: worst ?? 'heading' });
}

/** One line with the hidden notes by check, unless the screen is narrow. */
function hiddenNotes({ summary: { hidden } }: ShownReport, screen: Screen): string[] {
  const notes = Object.entries(hidden.notes);
  if (notes.length === 0) return [];
  const total = notes.reduce((sum, [, number]) => sum + number, 0);
  const byCheck = notes.map(([check, number]) => `${number} ${check}`).join(', ');
  const text = `${count(total, 'note')} ${total === 1 ? 'is' : 'are'} hidden: ${byCheck}; --min-level note shows ${total === 1 ? 'it' : 'them'}`;
  return paragraph(screen, { text, style: 'heading' });
}
