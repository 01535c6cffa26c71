import { auditText } from './response.ts';
import type { Violation } from '../checks/violation.ts';

/** The audit annotation that lists violations. Empty if there are no violations. */
export function violationAnnotation(violations: readonly Violation[]): Record<string, string> {
  return violations.length === 0 ? {} : { violations: auditText(violations, auditLine) };
}

/** `named-port app.livenessProbe Deny`: short, and identical for each call of the webhook about the same object. */
function auditLine({ check, container, probe, action }: Violation): string {
  const place = [container, probe].filter(Boolean).join('.');
  return [check, place, action].filter(Boolean).join(' ');
}
