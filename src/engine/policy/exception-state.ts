import { endOf, EXPIRING_MILLISECONDS, type ExceptionRules } from './exception-rules.ts';
import type { ProbeException } from './probe-exception.ts';

/** The states of an exception. Expiring: the end is within 14 days. Unused: no match for 30 days. */
export const EXCEPTION_STATES = ['Active', 'Expiring', 'Expired', 'Unused'] as const;
export type ExceptionState = (typeof EXCEPTION_STATES)[number];

/** The states of an exception that Probewright does not keep: a budget has no room for it, or it cannot be read. */
const LEFT_OUT_STATES = ['OverBudget', 'Invalid'] as const;
export type LeftOutState = (typeof LEFT_OUT_STATES)[number];

export const ALL_EXCEPTION_STATES: readonly (ExceptionState | LeftOutState)[] = [
  ...EXCEPTION_STATES,
  ...LEFT_OUT_STATES,
];

/** An exception without a match for this time is unused. */
const UNUSED_MILLISECONDS = 30 * 24 * 60 * 60 * 1000;

/** @param lastMatched when the exception last allowed a violation, in milliseconds since the epoch */
function isUnused({ created }: ProbeException, lastMatched: number | undefined, now: number): boolean {
  const since = Math.max(created ?? now, lastMatched ?? -Infinity);
  return now - since >= UNUSED_MILLISECONDS;
}

/** The state of an exception at an instant. An exception that is unused and expiring is expiring. */
export function exceptionState(
  exception: ProbeException,
  rules: ExceptionRules,
  lastMatched: number | undefined,
  now: number,
): ExceptionState {
  const left = endOf(exception, rules) - now;
  if (left <= 0) return 'Expired';
  if (left <= EXPIRING_MILLISECONDS) return 'Expiring';
  return isUnused(exception, lastMatched, now) ? 'Unused' : 'Active';
}
