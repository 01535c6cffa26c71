import { isRecord } from '../client/kubernetes-object.ts';
import {
  ALL_EXCEPTION_STATES,
  endOf,
  exceptionState,
  isLimited,
  type ExceptionRules,
  type LeftOutState,
} from '../../engine/policy/exception-rules.ts';
import { formatInstant, parseInstant } from '../../base/text/duration.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { LeftOutReason } from './left-out-objects.ts';

/** The letters before the last match in a reported status. */
const REPORTED_LETTERS = 3;

/**
 * The parts of a status that are kept of each exception, as one short text: the state, whether it is limited, whether
 * the status is about the newest version, and the last match.
 */
export function reportedStatus(object: Readonly<Record<string, unknown>>): string {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const status = isRecord(object['status']) ? object['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? (status['conditions'] as unknown[]) : [];
  const limited = conditions.some((each) => isRecord(each) && each['type'] === 'Limited' && each['status'] === 'True');
  const isCurrent = status['observedGeneration'] === metadata['generation'];
  const { state, lastMatched } = status;
  const match = typeof lastMatched === 'string' ? parseInstant(lastMatched) : undefined;
  const at = match === undefined ? undefined : Math.floor(match / 1000) * 1000;
  return (
    reportedText(typeof state === 'string' ? state : '', limited, isCurrent) +
    (at === undefined ? '' : (at / 1000).toString(36))
  );
}

/** Three letters: one for the state, `L` for limited, `C` if the status is about the newest version. */
function reportedText(state: string, isLimitedThen: boolean, isCurrent: boolean): string {
  const index = (ALL_EXCEPTION_STATES as readonly string[]).indexOf(state);
  return `${index < 0 ? '-' : String(index)}${isLimitedThen ? 'L' : '-'}${isCurrent ? 'C' : '-'}`;
}

/** When the status says that the exception last matched, in milliseconds since the epoch. */
export function reportedLastMatch({ reported }: ProbeException): number | undefined {
  const text = reported?.slice(REPORTED_LETTERS) ?? '';
  return text === '' ? undefined : Number.parseInt(text, 36) * 1000;
}

/** True if the status already says what it should. */
export function isReported(exception: ProbeException, rules: ExceptionRules, now: number): boolean {
  const state = exceptionState(exception, rules, reportedLastMatch(exception), now);
  return exception.reported?.slice(0, REPORTED_LETTERS) === reportedText(state, isLimited(exception, rules), true);
}

/** The status to write. */
interface StatusNews {
  readonly now: number;
  /** Matches that the status lacks. */
  readonly count: number;
  /** The last of these matches. */
  readonly last: number | undefined;
  /** True for the leader, who alone writes the state and the conditions. */
  readonly writesState: boolean;
}

/** Returns the fields of the status to write, from the object as the API server has it. */
export function exceptionStatus(
  object: Readonly<Record<string, unknown>>,
  exception: ProbeException,
  rules: ExceptionRules,
  { now, count, last, writesState }: StatusNews,
): Record<string, unknown> {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const before = isRecord(object['status']) ? object['status'] : {};
  const known = typeof before['lastMatched'] === 'string' ? parseInstant(before['lastMatched']) : undefined;
  const lastMatched = Math.max(known ?? -Infinity, last ?? -Infinity);
  const matches = typeof before['matches'] === 'number' ? before['matches'] : 0;
  const written = {
    ...(count > 0 && { matches: matches + count }),
    ...(last !== undefined && { lastMatched: formatInstant(Math.floor(lastMatched / 1000) * 1000) }),
  };
  if (!writesState) return written;
  const state = exceptionState(exception, rules, Number.isFinite(lastMatched) ? lastMatched : undefined, now);
  const { generation } = metadata;
  const end = formatInstant(endOf(exception, rules));
  const condition = (type: string, isTrue: boolean, reason: string, message: string): object => {
    const old = conditionsOf(before).find((each) => each['type'] === type);
    const status = isTrue ? 'True' : 'False';
    const lastTransitionTime = old?.['status'] === status ? old['lastTransitionTime'] : formatInstant(now);
    return { type, status, reason, message, lastTransitionTime, observedGeneration: generation };
  };
  const limited = isLimited(exception, rules);
  const isHonoured = state !== 'Expired' && rules.action === 'Allow';
  return {
    ...written,
    observedGeneration: generation,
    state,
    conditions: [
      condition('Active', isHonoured, isHonoured ? 'Honoured' : 'NotHonoured', `The exception ends at ${end}.`),
      condition('Expired', state === 'Expired', state === 'Expired' ? 'Ended' : 'NotEnded', `The end is ${end}.`),
      condition(
        'Unused',
        state === 'Unused',
        state === 'Unused' ? 'NoMatch' : 'Matched',
        state === 'Unused' ? 'No violation was allowed at admission for 30 days.' : 'Used, or younger than 30 days.',
      ),
      condition(
        'Limited',
        limited,
        limited ? 'LimitedByPolicy' : 'NotLimited',
        limited ? 'Policies shorten the exception, or leave out checks.' : 'Policies allow the whole exception.',
      ),
    ],
  };
}

/** An exception without effect: a budget has no room for it, or it cannot be read. */
export interface LeftOutException {
  readonly namespace: string;
  readonly name: string;
  readonly reason: LeftOutReason;
  readonly problem: string | undefined;
  /** What the status says, as `reportedStatus` reads it. */
  readonly reported: string | undefined;
}

function leftOutState({ reason }: LeftOutException): LeftOutState {
  return reason === 'invalid' ? 'Invalid' : 'OverBudget';
}

/** True if the status of an exception that is left out already says so. */
export function isLeftOutReported(left: LeftOutException): boolean {
  return left.reported?.slice(0, REPORTED_LETTERS) === reportedText(leftOutState(left), false, true);
}

/** Returns the fields of the status to write for an exception that is left out. */
export function leftOutStatus(
  object: Readonly<Record<string, unknown>>,
  left: LeftOutException,
  now: number,
): Record<string, unknown> {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const before = isRecord(object['status']) ? object['status'] : {};
  const observedGeneration = metadata['generation'];
  const old = conditionsOf(before).find(({ type }) => type === 'Active');
  const state = leftOutState(left);
  const why =
    state === 'Invalid'
      ? `The exception cannot be read: ${left.problem ?? ''}`
      : 'Older exceptions of the namespace, or exceptions of other namespaces, use up a budget.';
  return {
    observedGeneration,
    state,
    conditions: [
      {
        type: 'Active',
        status: 'False',
        reason: state,
        message: `The exception is not honoured. ${why}`,
        lastTransitionTime: old?.['status'] === 'False' ? old['lastTransitionTime'] : formatInstant(now),
        observedGeneration,
      },
    ],
  };
}

function conditionsOf(status: Readonly<Record<string, unknown>>): readonly Record<string, unknown>[] {
  return Array.isArray(status['conditions']) ? (status['conditions'] as unknown[]).filter(isRecord) : [];
}
