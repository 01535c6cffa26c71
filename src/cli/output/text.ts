import { findingGroups } from './finding-groups.ts';
import { findingLine } from './finding-line.ts';
import { summaryBlocks } from './text-summary.ts';
import type { ReportFormat } from '../shown-report.ts';

/**
 * For people. On a terminal, findings are grouped by file and workload. Elsewhere each finding is one line, in the form
 * of compilers. A summary follows.
 */
export const textReport: ReportFormat = (report, screen) => {
  const { violations } = report;
  const findings =
    screen.columns === undefined
      ? violations.map((violation) => findingLine(violation, screen.paint, report))
      : findingGroups(violations, screen, report);
  const blocks = [findings, ...summaryBlocks(report, screen)].filter(({ length }) => length > 0);
  return blocks.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
};
