import { checkUrl } from '../../engine/checks/violation.ts';
import { projectLines } from '../input/passed-over.ts';
import { markdownDocument } from '../output/markdown.ts';
import { PLAIN } from '../output/screen.ts';
import { findingLine, totalsOf } from './text.ts';
import type { ShownReport } from './report.ts';

/** A summary for a job of GitHub, or for a comment: the numbers, and the findings of each check. */
export function markdownReport(shown: ShownReport): string {
  const ofChecks = [...Map.groupBy(shown.violations, ({ check }) => check)].map(([check, found]) => ({
    title: `[${check}](${checkUrl(check)})`,
    lines: found.map((of) => findingLine(of, PLAIN, shown)),
  }));
  const ofInputs = shown.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
  const sections = [
    { title: 'Project file', lines: projectLines(shown.project) },
    ...ofChecks,
    { title: 'Inputs that cannot be read', lines: ofInputs },
  ];
  const filled = sections.filter((section) => section.lines.length > 0);
  return markdownDocument(`**Probewright: ${totalsOf(shown)}**\n`, filled, 'check', 'probewright check');
}
