import { readCheckIds, type ProbeException } from './probe-exception.ts';
import { nullable, optional, type Reader } from './reader.ts';
import type { CheckCatalogue } from './check-parameters.ts';

/** The rules of one ClusterProbePolicy about exceptions. Null removes the value of lower layers. */
export interface ExceptionSettings {
  readonly action?: 'Allow' | 'Ignore';
  readonly maximumDays?: number | null;
  readonly checks?: readonly string[] | null;
}

export interface ExceptionRules {
  readonly action: 'Allow' | 'Ignore';
  readonly maximumDays: number;
  readonly checks: 'all' | readonly string[];
}

export const MOST_EXCEPTION_DAYS = 3650;

export const EXCEPTION_ACTIONS = ['Allow', 'Ignore'] as const;

const DAY = 24 * 60 * 60 * 1000;

export function readExceptionSettings(catalogue: CheckCatalogue, reader: Reader): ExceptionSettings | undefined {
  return reader.fields<ExceptionSettings>({
    action: optional((field) => field.oneOf(EXCEPTION_ACTIONS)),
    maximumDays: nullable((field) => field.integer(1, MOST_EXCEPTION_DAYS)),
    checks: nullable((field) =>
      // No check at all is a rule too.
      Array.isArray(field.value) && field.value.length === 0 ? [] : readCheckIds(catalogue, field),
    ),
  });
}

export function exceptionRules(layers: readonly { readonly exceptions?: ExceptionSettings }[]): ExceptionRules {
  const set = layers.flatMap(({ exceptions }) => exceptions ?? []);
  const highest = <Rule extends keyof ExceptionSettings>(rule: Rule): ExceptionSettings[Rule] | undefined =>
    set.findLast((rules) => rules[rule] !== undefined)?.[rule];
  return {
    action: highest('action') ?? 'Allow',
    maximumDays: highest('maximumDays') ?? 365,
    checks: highest('checks') ?? 'all',
  };
}

export function mayExcept(rules: ExceptionRules, check: string): boolean {
  return rules.checks === 'all' || rules.checks.includes(check);
}

/**
 * The instant from which on an exception is not honoured: its end, or the longest time after its creation that the
 * rules allow. An exception in a file has no creation.
 */
export function endOf({ expires, created }: ProbeException, { maximumDays }: ExceptionRules): number {
  return created === undefined ? expires : Math.min(expires, created + maximumDays * DAY);
}

/** An exception within this time before its end causes warnings. */
export const EXPIRING_MILLISECONDS = 14 * DAY;

/** True if the rules shorten an exception, or leave out some of its checks. */
export function isLimited(exception: ProbeException, rules: ExceptionRules): boolean {
  if (rules.action === 'Ignore') return true;
  return endOf(exception, rules) < exception.expires || exception.spec.checks.some((check) => !mayExcept(rules, check));
}

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
  return now - since >= 30 * DAY ? 'Unused' : 'Active';
}
