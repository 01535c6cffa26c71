import { formatPath } from '../json/field-path.ts';
import type { FieldPath } from '../json/field-path.ts';
import type { Action } from '../policy/action.ts';
import type { ProbeKind } from '../probes/probe.ts';

/** A violation of a check by a container, with the resulting action. */
export interface Violation {
  readonly check: string;
  readonly action: Exclude<Action, 'Off'>;
  readonly container: string;
  /** True when the parameters of a floor cause the violation. Policies in namespaces cannot remove such a violation. */
  readonly isFloored?: boolean;
  /**
   * Name of the Pod template, for objects with several. The name stays the same when list elements are added or
   * removed.
   */
  readonly template?: string;
  readonly probe?: ProbeKind;
  /** Path of the field that causes the violation, in the object that the user applied. */
  readonly path: FieldPath;
  /** The problem and what to write instead, without the path and the check's id. */
  readonly message: string;
  /** The API server's cause type, if the API server itself has the rule. */
  readonly reason?: string;
}

/** Formats a violation on one line: `path: message (check)`. The id names the section in docs/checks.md. */
export function formatViolation({ path, message, check }: Violation): string {
  return `${formatPath(path)}: ${message} (${check})`;
}

/** Returns the identity of a violation. A violation before and after an update is the same even if values change. */
export function violationKey({ check, template, container, probe }: Violation): string {
  return JSON.stringify([check, template, container, probe]);
}
