import { formatViolation } from '../../checks/violation.ts';
import { outputLine, visible } from '../../text/visible.ts';
import { LEVEL_OF_ACTION } from '../level.ts';
import { shownMessage } from './shown-message.ts';
import { objectName } from '../check-report.ts';
import type { PlacedViolation } from '../check-report.ts';
import type { Paint } from '../colour.ts';

/** A finding on one line: `file:line:column: level: Kind namespace/name: path: message; remedy (check)`. */
export function findingLine(violation: PlacedViolation, paint: Paint): string {
  const level = LEVEL_OF_ACTION[violation.action];
  const { file, line, column } = violation;
  const place = outputLine(`${file}:${line}:${column}:`);
  const finding = visible(
    `${objectName(violation)}: ${formatViolation({ ...violation, message: shownMessage(violation) })}`,
  );
  return `${paint('heading', place)} ${paint(level, `${level}:`)} ${finding}`;
}
