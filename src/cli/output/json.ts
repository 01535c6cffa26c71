import { jsonText } from '../../base/text/json-text.ts';
import { placedViolation } from './listed-violation.ts';
import type { ShownReport } from '../shown-report.ts';
import type { CheckOutput } from './json-outputs.ts';

/**
 * One object for programs, with the values of the manifests unchanged. `path` is the field, `message` the problem
 * without the field, `remedy` what to write. `advice` has the remedy as edits; a null value removes a field. `problems`
 * lists what could not be read.
 */
export function jsonReport({ violations, problems, summary }: ShownReport): string {
  const report: CheckOutput = {
    violations: violations.map(placedViolation),
    problems: problems.map(({ file, line, column, message }) => ({ file, line, column, message })),
    summary,
  };
  return `${jsonText(report, undefined, 2)}\n`;
}
