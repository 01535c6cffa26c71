import { validProbe } from '../../engine/checks/valid-probe.ts';
import type { ObjectTooLarge } from './object-size.ts';
import type { Violation } from '../../engine/checks/violation.ts';

/** The violation of an object that is too large to check. */
export function violationOfUnseen({ message }: ObjectTooLarge, action: Violation['action']): Violation {
  return { check: validProbe.id, action, container: '', path: ['spec'], message, reason: 'FieldValueTooMany' };
}
