import { objectsAt, valueAt } from '../../base/json/field-path.ts';
import { formatInstant } from '../../base/text/duration.ts';
import {
  endOf,
  exceptionRules,
  type ExceptionRules,
  type ProbeException,
  type ReportedStatus,
} from '../../engine/policy/probe-exception.ts';
import {
  EXCEPTION_STATES,
  exceptionState,
  isLimited,
  type ExceptionState,
  type LeftOutState,
} from '../../engine/policy/exception-state.ts';
import { reportedStatus } from './fact-kinds.ts';
import { updatedCondition } from './object-statuses.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';

/** The rules for the exceptions of a namespace, without policies for single workloads. */
export function rulesOf(snapshot: Snapshot, namespace: string): ExceptionRules {
  const { layers } = snapshot.policyFor(namespace, new Map());
  return exceptionRules(layers.filter(({ workloadSelector }) => workloadSelector === undefined));
}

/** The number of exceptions in each state. Files count too. */
export function exceptionCounts(snapshot: Snapshot | undefined, now: number): Readonly<Record<ExceptionState, number>> {
  const counts = Object.fromEntries(EXCEPTION_STATES.map((state) => [state, 0])) as Record<ExceptionState, number>;
  if (snapshot === undefined) return counts;
  for (const [namespace, exceptions] of snapshot.facts.exceptions.lists) {
    const rules = rulesOf(snapshot, namespace);
    for (const exception of exceptions) counts[exceptionState(exception, rules, exception.lastMatched, now)] += 1;
  }
  return counts;
}

export function isReported(exception: ProbeException, rules: ExceptionRules, now: number): boolean {
  const state = exceptionState(exception, rules, exception.lastMatched, now);
  return isReportedAs(exception, state, isLimited(exception, rules));
}

/** True if the status says this state of the newest version. */
export function isReportedAs(reported: ReportedStatus | undefined, state: string, limited: boolean): boolean {
  return reported?.state === state && reported.isLimited === limited;
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
  object: JsonObject,
  exception: ProbeException,
  rules: ExceptionRules,
  { now, count, last, writesState }: StatusNews,
): Record<string, unknown> {
  const matches = valueAt(object, ['status', 'matches']);
  const lastMatched = Math.max(reportedStatus(object).lastMatched ?? -Infinity, last ?? -Infinity);
  const written = {
    ...(count > 0 && { matches: (typeof matches === 'number' ? matches : 0) + count }),
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
  object: JsonObject,
  state: ExceptionState | LeftOutState,
  now: number,
  conditions: readonly Condition[],
): object {
  const observedGeneration = valueAt(object, ['metadata', 'generation']);
  const before = objectsAt(object, 'status', 'conditions');
  const updated = conditions.map(([type, isTrue, reason, message]) => {
    const condition = { type, status: isTrue ? 'True' : 'False', reason, message } as const;
    return updatedCondition(before, condition, observedGeneration, formatInstant(now));
  });
  return { observedGeneration, state, conditions: updated };
}

/** An exception without effect: a budget has no room for it, or it cannot be read. */
export interface LeftOutException {
  readonly state: LeftOutState;
  readonly problem: string | undefined;
}

/** Returns the fields of the status to write for an exception that is left out. */
export function leftOutStatus(object: JsonObject, { state, problem }: LeftOutException, now: number): object {
  const why =
    state === 'Invalid'
      ? `The exception cannot be read: ${problem ?? ''}`
      : 'Older exceptions of the namespace, or exceptions of other namespaces, use up a budget.';
  return stateFields(object, state, now, [['Active', false, state, `The exception is not honoured. ${why}`]]);
}
