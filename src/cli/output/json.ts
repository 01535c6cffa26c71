import { jsonText } from '../../text/json-text.ts';
import type { CheckReport } from '../check-report.ts';

/** One object for programs, with the very values of the manifests. `path` is the field, `message` the text without it. */
export function jsonReport({ violations, summary }: CheckReport): string {
  const listed = violations.map(
    ({ check, action, message, path, file, line, column, kind, namespace, name, container, probe }) => ({
      check,
      action,
      message,
      path,
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
