import type { Action } from '../policy/check-catalogue.ts';
import type { ProbeKind } from '../probes/probe.ts';

/** A violation of a check by a container, and what it leads to. */
export interface Violation {
  readonly check: string;
  readonly action: Exclude<Action, 'Off'>;
  readonly container: string;
  readonly probe?: ProbeKind;
  /** The offending field, in the object that the user applied. */
  readonly path: string;
  /** What is wrong and what to write instead, without path and id. */
  readonly message: string;
  /** The API server's cause type, where the rule is the API server's. */
  readonly reason?: string;
}

/** One line, one violation: `path: message (check)`. The id finds its section in docs/checks.md. */
export function formatViolation({ path, message, check }: Violation): string {
  return `${path}: ${message} (${check})`;
}

/** What makes two violations the same one, before and after an update: values may change, the fault stays. */
export function violationKey({ check, container, probe }: Violation): string {
  return `${check} ${container} ${probe ?? ''}`;
}
