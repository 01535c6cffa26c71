import { formatPath } from '../../json/field-path.ts';
import { jsonText } from '../../text/json-text.ts';
import { checkUrl } from '../check-url.ts';
import type { PlacedViolation } from '../check-report.ts';
import type { ShownReport } from '../shown-report.ts';

/**
 * One object for programs, with the values of the manifests unchanged. `path` is the field, `message` the problem
 * without the field, `remedy` what to write. `advice` has the remedy as edits; a null value removes a field. `problems`
 * lists what could not be read.
 */
export function jsonReport({ violations, problems, summary }: ShownReport): string {
  const report = {
    violations: violations.map(listedViolation),
    problems: problems.map(({ file, line, column, message }) => ({ file, line, column, message })),
    summary,
  };
  return `${jsonText(report, undefined, 2)}\n`;
}

function listedViolation({ check, action, message, remedy, edits, path, ...violation }: PlacedViolation): unknown {
  const { file, line, column, kind, namespace, name, container, probe, workloads } = violation;
  return {
    check,
    action,
    message,
    ...(remedy !== undefined && { remedy }),
    ...(edits !== undefined && { advice: edits.map((edit) => ({ ...edit, path: formatPath(edit.path) })) }),
    path: formatPath(path),
    file,
    line,
    column,
    kind,
    namespace,
    name,
    container,
    ...(probe !== undefined && { probe }),
    ...(workloads !== undefined && { workloads }),
    url: checkUrl(check),
  };
}
