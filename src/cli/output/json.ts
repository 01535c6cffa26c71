import type { CheckReport } from '../check-report.ts';

/** One object for programs. `path` is the field, `message` the text without it. */
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
  return `${JSON.stringify({ violations: listed, summary }, null, 2)}\n`;
}
