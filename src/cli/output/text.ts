import { count } from '../../text/count.ts';
import { outputLine } from '../../text/visible.ts';
import { formatViolation } from '../../checks/violation.ts';
import { isShownAt, LEVEL_OF_ACTION } from '../level.ts';
import type { ShownReport } from '../shown-report.ts';

/** A line for each finding, in the form of compilers, and a summary. */
export function textReport(report: ShownReport): string {
  const lines = report.violations.map(
    (violation) =>
      `${violation.file}:${violation.line}:${violation.column}: ${LEVEL_OF_ACTION[violation.action]}: ` +
      `${violation.kind} ${violation.namespace}/${violation.name}: ${formatViolation(violation)}`,
  );
  return [...lines.map(outputLine), summaryLine(report)].map((line) => `${line}\n`).join('');
}

/** One line: what was looked at, how much was found, and how much is hidden. */
function summaryLine({ summary, selection: { minLevel } }: ShownReport): string {
  const { objects, workloads, deny, warn, audit, hidden } = summary;
  const found = [
    count(deny, 'error'),
    ...(isShownAt('warning', minLevel) ? [count(warn, 'warning')] : []),
    ...(isShownAt('note', minLevel) ? [count(audit, 'note')] : []),
  ];
  const parts = [`${count(workloads, 'workload')} in ${count(objects, 'object')}: ${found.join(', ')}`];
  if (hidden.otherChecks > 0) parts.push(`${count(hidden.otherChecks, 'finding')} of other checks hidden`);
  if (hidden.warn > 0) parts.push(`${count(hidden.warn, 'warning')} hidden (--min-level warning shows warnings)`);
  if (hidden.audit > 0) parts.push(`${count(hidden.audit, 'note')} hidden (--min-level note shows notes)`);
  return parts.join('; ');
}
