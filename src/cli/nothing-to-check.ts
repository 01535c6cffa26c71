import { STDIN_NAME } from './input/manifest-texts.ts';
import type { FileProblem } from '../cluster/sources/policy-documents.ts';
import type { CheckReport } from './check-report.ts';

/**
 * Adds a problem for each input when no input has an object. A pipeline whose rendering printed nothing, or whose
 * directory has moved, would otherwise pass for ever.
 *
 * @param files the inputs of the command line
 */
export function withoutObjects(report: CheckReport, files: readonly string[]): CheckReport {
  if (report.summary.objects > 0 || report.problems.length > 0) return report;
  const message = 'has no Kubernetes object, so nothing is checked; --allow-empty accepts that';
  const problems = files.map((name): FileProblem => ({
    file: name === '-' ? STDIN_NAME : name,
    line: 1,
    column: 1,
    message,
  }));
  return { ...report, problems };
}
