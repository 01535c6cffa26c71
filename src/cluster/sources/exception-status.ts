import { isRecord } from '../client/kubernetes-object.ts';
import {
  ALL_EXCEPTION_STATES,
  endOf,
  exceptionState,
  isLimited,
  type ExceptionRules,
  type ExceptionState,
  type LeftOutState,
} from '../../engine/policy/exception-rules.ts';
import { formatInstant, parseInstant } from '../../base/text/duration.ts';
import { updatedCondition } from './status-writer.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { LeftOutReason } from './left-out-objects.ts';

const REPORTED_LETTERS = 3;

/** What is kept of a status, as a short text: the state, whether it is limited and current, and the last match. */
export function reportedStatus(object: ApiObject): string {
  const status = recordIn(object, 'status');
  const { state, lastMatched } = status;
  const limited = conditionsOf(status).some((each) => each['type'] === 'Limited' && each['status'] === 'True');
  const isCurrent = status['observedGeneration'] === recordIn(object, 'metadata')['generation'];
  const match = typeof lastMatched === 'string' ? parseInstant(lastMatched) : undefined;
  const at = match === undefined ? '' : Math.floor(match / 1000).toString(36);
  return reportedText(typeof state === 'string' ? state : '', limited, isCurrent) + at;
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

export function isReported(exception: ProbeException, rules: ExceptionRules, now: number): boolean {
  const state = exceptionState(exception, rules, reportedLastMatch(exception), now);
  return exception.reported?.slice(0, REPORTED_LETTERS) === reportedText(state, isLimited(exception, rules), true);
}

interface StatusNews {
  readonly now: number;
  readonly count: number;
  readonly last: number | undefined;
  /** True for the leader, who alone writes the state and the conditions. */
  readonly writesState: boolean;
}

/** Returns the fields of the status to write, from the object as the API server has it. */
export function exceptionStatus(
  object: ApiObject,
  exception: ProbeException,
  rules: ExceptionRules,
  { now, count, last, writesState }: StatusNews,
): Record<string, unknown> {
  const before = recordIn(object, 'status');
  const known = typeof before['lastMatched'] === 'string' ? parseInstant(before['lastMatched']) : undefined;
  const lastMatched = Math.max(known ?? -Infinity, last ?? -Infinity);
  const matches = typeof before['matches'] === 'number' ? before['matches'] : 0;
  const written = {
    ...(count > 0 && { matches: matches + count }),
    ...(last !== undefined && { lastMatched: formatInstant(Math.floor(lastMatched / 1000) * 1000) }),
  };
  if (!writesState) return written;
  const state = exceptionState(exception, rules, Number.isFinite(lastMatched) ? lastMatched : undefined, now);
  const end = formatInstant(endOf(exception, rules));
  const [isExpired, isUnused, limited] = [state === 'Expired', state === 'Unused', isLimited(exception, rules)];
  const isHonoured = !isExpired && rules.action === 'Allow';
  const unused = isUnused ? 'No violation was allowed at admission for 30 days.' : 'Used, or younger than 30 days.';
  const policies = limited
    ? 'Policies shorten the exception, or leave out checks.'
    : 'Policies allow the whole exception.';
  const conditions: readonly Condition[] = [
    ['Active', isHonoured, isHonoured ? 'Honoured' : 'NotHonoured', `The exception ends at ${end}.`],
    ['Expired', isExpired, isExpired ? 'Ended' : 'NotEnded', `The end is ${end}.`],
    ['Unused', isUnused, isUnused ? 'NoMatch' : 'Matched', unused],
    ['Limited', limited, limited ? 'LimitedByPolicy' : 'NotLimited', policies],
  ];
  return { ...written, ...stateFields(object, state, now, conditions) };
}

type Condition = readonly [type: string, isTrue: boolean, reason: string, message: string];

/** The fields of a status that the leader writes. */
function stateFields(
  object: ApiObject,
  state: ExceptionState | LeftOutState,
  now: number,
  conditions: readonly Condition[],
): object {
  const observedGeneration = recordIn(object, 'metadata')['generation'];
  const before = conditionsOf(recordIn(object, 'status'));
  const updated = conditions.map(([type, isTrue, reason, message]) => {
    const condition = { type, status: isTrue ? 'True' : 'False', reason, message } as const;
    return updatedCondition(before, condition, observedGeneration, formatInstant(now));
  });
  return { observedGeneration, state, conditions: updated };
}

/** An exception without effect: a budget has no room for it, or it cannot be read. */
export interface LeftOutException {
  readonly namespace: string;
  readonly name: string;
  readonly reason: LeftOutReason;
  readonly problem: string | undefined;
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
export function leftOutStatus(object: ApiObject, left: LeftOutException, now: number): object {
  const state = leftOutState(left);
  const why =
    state === 'Invalid'
      ? `The exception cannot be read: ${left.problem ?? ''}`
      : 'Older exceptions of the namespace, or exceptions of other namespaces, use up a budget.';
  return stateFields(object, state, now, [['Active', false, state, `The exception is not honoured. ${why}`]]);
}

type ApiObject = Readonly<Record<string, unknown>>;

function recordIn(object: ApiObject, name: string): Record<string, unknown> {
  const value = object[name];
  return isRecord(value) ? value : {};
}

function conditionsOf(status: ApiObject): readonly Record<string, unknown>[] {
  return Array.isArray(status['conditions']) ? (status['conditions'] as unknown[]).filter(isRecord) : [];
}
