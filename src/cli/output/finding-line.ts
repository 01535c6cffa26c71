import { formatViolation } from '../../engine/checks/violation.ts';
import { outputLine, visible } from '../../base/text/visible.ts';
import { isInCluster } from '../cluster-place.ts';
import { LEVEL_OF_ACTION } from '../level.ts';
import { shownMessage } from './shown-message.ts';
import { objectName } from '../check-report.ts';
import type { PlacedViolation } from '../check-report.ts';
import type { Origin } from '../cluster-place.ts';
import type { Paint } from '../colour.ts';

/**
 * A finding on one line: `file:line:column: level: Kind namespace/name: path: message; remedy (check)`. An object of a
 * cluster is its own place: `Kind namespace/name: level: path: message; remedy (check)`.
 */
export function findingLine(violation: PlacedViolation, paint: Paint, origin: Origin = {}): string {
  const level = LEVEL_OF_ACTION[violation.action];
  const { file, line, column } = violation;
  if (isInCluster(file, origin)) {
    const object = outputLine(`${objectName(violation)}:`);
    return `${paint('heading', object)} ${paint(level, `${level}:`)} ${visible(formatViolation({ ...violation, message: shownMessage(violation) }))}`;
  }
  const place = outputLine(`${file}:${line}:${column}:`);
  const finding = visible(
    `${objectName(violation)}: ${formatViolation({ ...violation, message: shownMessage(violation) })}`,
  );
  return `${paint('heading', place)} ${paint(level, `${level}:`)} ${finding}`;
}
