import { formatPath } from '../../base/json/field-path.ts';
import { checkUrl, formatViolation, fullMessage, type AppliedException } from '../../engine/checks/violation.ts';
import { count } from '../../base/text/cut.ts';
import { findingKey, objectName, type PlacedViolation } from './report.ts';

/** The parts of a finding, in words. A format only arranges them, and asks `LEVELS_OF` for its level. */
export interface FindingParts {
  /** `Deployment apps/web` */
  readonly object: string;
  /** `app.livenessProbe`; empty for a finding about no container. */
  readonly subject: string;
  /** `spec.template.spec.containers[0].livenessProbe` */
  readonly path: string;
  /** For programs: the message and the remedy, without the path. */
  readonly message: string;
  /** For people, on one line: `path: message; remedy (check)`. */
  readonly text: string;
  /** The page of the check. */
  readonly url: string;
  /** Equal for the same finding of two runs. */
  readonly identity: string;
}

export function partsOf(violation: PlacedViolation): FindingParts {
  const { container, probe, path, check } = violation;
  return {
    object: objectName(violation),
    subject: [container, probe].filter(Boolean).join('.'),
    path: formatPath(path),
    message: fullMessage(violation),
    text: formatViolation({ ...violation, message: shownMessage(violation) }),
    url: checkUrl(check),
    identity: findingKey(violation),
  };
}

/**
 * The message for people. An excepted violation names its exception. A finding about a policy also says how many
 * workloads get the probe. The number is no part of the finding itself, because a message identifies a finding for
 * other tools.
 */
export function shownMessage({ message, workloads, exception }: PlacedViolation): string {
  if (exception !== undefined) return `${message}; allowed by ${formatException(exception)}`;
  if (workloads === undefined) return message;
  return `${message}; ${count(workloads, 'workload')} of the inputs ${workloads === 1 ? 'gets' : 'get'} the probe`;
}

/** Formats `ProbeException legacy (owner team-a) until 2027-01-31T00:00:00Z: reason`. */
export function formatException({ name, owner, reason, ticket, expires }: AppliedException): string {
  const people = [`owner ${owner}`, ...(ticket === undefined ? [] : [ticket])].join(', ');
  return `ProbeException ${name} (${people}) until ${expires}: ${reason}`;
}
