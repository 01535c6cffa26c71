import { formatPath, type FieldEdit, type FieldPath } from '../../base/json/field-path.ts';
import { without } from '../../base/json/json-value.ts';
import type { Outcome } from '../policy/action.ts';
import type { ProbeKind } from '../probe/probe.ts';

/** A violation of a check by a container, with the resulting action. */
export interface Violation {
  readonly check: string;
  readonly action: Outcome;
  readonly container: string;
  /** True when the parameters of a floor cause the violation. Policies in namespaces cannot remove such a violation. */
  readonly isFloored?: boolean;
  /** True when the command or script at the path is too long to be read: nobody knows if it violates the check. */
  readonly isUnread?: true;
  /** Name of the Pod template, for objects with several. It survives changes of the list. */
  readonly template?: string;
  readonly probe?: ProbeKind;
  /** Path of the field that causes the violation, in the object that the user applied. */
  readonly path: FieldPath;
  /** The problem, without the path, the check's id and the remedy. */
  readonly message: string;
  /** The field and value to write instead. */
  readonly remedy?: string;
  /** The remedy as edits of the object that the user applied. Absent when no value is known to work. */
  readonly edits?: readonly FieldEdit[];
  /** The policy that has to change. Present when a policy injects the probe that violates the check. */
  readonly policy?: PolicyAtFault;
  /** Measured figures, which change from day to day. */
  readonly properties?: Readonly<Record<string, number>>;
  /** The API server's cause type, if the API server itself has the rule. */
  readonly reason?: string;
  /** The exception that allows the violation. Set if the action is `Excepted`. */
  readonly exception?: AppliedException;
  /** The exception that allowed the violation until its end. */
  readonly ended?: AppliedException;
}

/** A ProbeException that covers a violation, now or until its end. */
export interface AppliedException {
  /** The name of the object. The namespace is that of the workload. */
  readonly name: string;
  readonly owner: string;
  /** Empty in the webhook, which keeps neither `reason` nor `ticket`. */
  readonly reason: string;
  readonly ticket?: string;
  /** The instant from which on the exception does not count, as RFC 3339 in UTC. */
  readonly expires: string;
  /** The exception ends within 14 days, or has ended. */
  readonly isEnding: boolean;
}

/** The policy whose value causes a violation of an injected probe. */
export interface PolicyAtFault {
  /** The policy as `kind/namespace/name`. */
  readonly source: string;
  /** The field that is written in the policy's document. */
  readonly path: FieldPath;
  /** The field that nobody wrote and whose default is the problem. */
  readonly lacking?: FieldPath;
  /** The remedy without the note that names the policy to the workload's author. */
  readonly remedy?: string;
  /** The action before the rule for injected probes made it laxer for the workload's author. */
  readonly action: Violation['action'];
}

/** Formats a violation on one line: `path: message; remedy (check)`. The id names the section in docs/checks.md. */
export function formatViolation(violation: Violation): string {
  return `${formatPath(violation.path)}: ${fullMessage(violation)} (${violation.check})`;
}

/** Returns the problem and the remedy as one text: `message; remedy`. */
export function fullMessage({ message, remedy, ended }: Pick<Violation, 'message' | 'remedy' | 'ended'>): string {
  const text = remedy === undefined ? message : `${message}; ${remedy}`;
  return ended === undefined ? text : `${text}; ProbeException ${ended.name} ended at ${ended.expires}`;
}

/**
 * Returns the identity of a violation. A violation before and after an update is the same even if values change. What
 * could not be read is no violation that was known before.
 */
export function violationKey({ check, template, container, probe, isUnread }: Violation): string {
  return JSON.stringify([check, template, container, probe, isUnread]);
}

/** Returns a violation without edits. The remedy in words remains. */
export function withoutEdits(violation: Violation): Violation {
  return violation.edits === undefined ? violation : without(violation, 'edits');
}

/** The page of the project. package.json and the chart name the same page. */
export const HOMEPAGE = 'https://github.com/probewright/probewright';

/** Returns the URL of a page of docs/. */
export function docsUrl(page: string): string {
  return `${HOMEPAGE}/blob/main/docs/${page}`;
}

/** Returns the URL of a check's section in docs/checks.md. */
export function checkUrl(id: string): string {
  return `${docsUrl('checks.md')}#${encodeURIComponent(id)}`;
}
