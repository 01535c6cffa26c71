import {
  DAY_MILLISECONDS,
  endOf,
  exceptionSpec,
  EXPIRING_MILLISECONDS,
  mayExcept,
  type ExceptionRules,
  type ProbeException,
} from './probe-exception.ts';

/** True if the rules shorten an exception, or leave out some of its checks. */
export function isLimited(exception: ProbeException, rules: ExceptionRules): boolean {
  if (rules.action === 'Ignore') return true;
  return (
    endOf(exception, rules) < exception.expires ||
    exceptionSpec(exception).checks.some((check) => !mayExcept(rules, check))
  );
}

/** The states of an exception. Expiring: the end is within 14 days. Unused: no match for 30 days. */
export const EXCEPTION_STATES = ['Active', 'Expiring', 'Expired', 'Unused'] as const;
export type ExceptionState = (typeof EXCEPTION_STATES)[number];

/** The states of an exception that Probewright does not keep: a budget has no room for it, or it cannot be read. */
export const LEFT_OUT_STATES = ['OverBudget', 'Invalid'] as const;
export type LeftOutState = (typeof LEFT_OUT_STATES)[number];

/**
 * The state of an exception at an instant. An exception that is unused and expiring is expiring.
 * @param lastMatched when the exception last allowed a violation, in milliseconds since the epoch
 */
export function exceptionState(
  exception: ProbeException,
  rules: ExceptionRules,
  lastMatched: number | undefined,
  now: number,
): ExceptionState {
  const left = endOf(exception, rules) - now;
  if (left <= 0) return 'Expired';
  if (left <= EXPIRING_MILLISECONDS) return 'Expiring';
  const since = Math.max(exception.created ?? now, lastMatched ?? -Infinity);
  return now - since >= 30 * DAY_MILLISECONDS ? 'Unused' : 'Active';
}
