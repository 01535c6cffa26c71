import { formatPath } from '../../json/field-path.ts';
import { jsonText } from '../../text/json-text.ts';
import type { ShownReport } from '../shown-report.ts';

/**
 * One object for programs, with the values of the manifests unchanged. `path` is the field, `message` the problem
 * without the field, `remedy` what to write. `advice` has the remedy as edits; a null value removes a field.
 */
export function jsonReport({ violations, summary }: ShownReport): string {
  const listed = violations.map(
    ({ check, action, message, remedy, edits, path, file, line, column, kind, namespace, name, container, probe }) => ({
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
    }),
  );
  return `${jsonText({ violations: listed, summary }, undefined, 2)}\n`;
}
