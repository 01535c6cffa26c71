import type { Action } from '../policy/check-catalogue.ts';
import type { ProbeKind } from '../probes/probe.ts';

/** A violation of a check by a container, and what it leads to. */
export interface Violation {
  readonly check: string;
  readonly action: Exclude<Action, 'Off'>;
  readonly container: string;
  /** The parameters of a floor find it, whatever namespaces say. */
  readonly isFloored?: boolean;
  /** Which of several Pod templates the container is in, by a name that stays when list elements come and go. */
  readonly template?: string;
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
export function violationKey({ check, template, container, probe }: Violation): string {
  return JSON.stringify([check, template, container, probe]);
}
