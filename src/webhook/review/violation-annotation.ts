import { auditText } from './response.ts';
import type { Violation } from '../../engine/checks/violation.ts';

/** The audit annotation that lists violations. Empty if there are no violations. */
export function violationAnnotation(violations: readonly Violation[]): Record<string, string> {
  return violations.length === 0 ? {} : { violations: auditText(violations, auditLine) };
}

/**
 * `named-port app.livenessProbe Deny`, or `... Excepted by legacy (team-a) until 2027-01-31T00:00:00Z`: short, and
 * identical for each call of the webhook about the same object.
 */
function auditLine({ check, container, probe, action, exception }: Violation): string {
  const place = [container, probe].filter(Boolean).join('.');
  const excuse = exception && `by ${exception.name} (${exception.owner}) until ${exception.expires}`;
  return [check, place, action, excuse].filter(Boolean).join(' ');
}
