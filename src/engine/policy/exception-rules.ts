import { readCheckIds } from './probe-exception.ts';
import type { CheckCatalogue } from './check-catalogue.ts';
import type { ProbeException } from './probe-exception.ts';
import type { Reader } from './reader.ts';

/** The rules of one ClusterProbePolicy about exceptions. Null removes the value of lower layers. */
export interface ExceptionSettings {
  readonly action?: 'Allow' | 'Ignore';
  readonly maximumDays?: number | null;
  readonly checks?: readonly string[] | null;
}

/** The rules for the exceptions of a workload, from all layers. */
export interface ExceptionRules {
  readonly action: 'Allow' | 'Ignore';
  readonly maximumDays: number;
  /** The checks that exceptions may name. */
  readonly checks: 'all' | readonly string[];
}

/** The rules without any policy. */
const BUILT_IN_EXCEPTION_RULES: ExceptionRules = { action: 'Allow', maximumDays: 365, checks: 'all' };

/** The highest value of `maximumDays`. */
export const MOST_EXCEPTION_DAYS = 3650;

export const EXCEPTION_ACTIONS = ['Allow', 'Ignore'] as const;

const DAY = 24 * 60 * 60 * 1000;

/** Reads `spec.exceptions` of a ClusterProbePolicy. */
export function readExceptionSettings(catalogue: CheckCatalogue, reader: Reader): ExceptionSettings | undefined {
  if (reader.object(['action', 'maximumDays', 'checks']) === undefined) return undefined;
  const given = reader.at('action');
  const action = given.isAbsent || given.isNull ? undefined : given.oneOf(EXCEPTION_ACTIONS);
  const maximumDays = setting(reader.at('maximumDays'), (field) => field.integer(1, MOST_EXCEPTION_DAYS));
  const checks = setting(reader.at('checks'), (field) =>
    // No check at all is a rule too.
    Array.isArray(field.value) && field.value.length === 0 ? [] : readCheckIds(catalogue, field),
  );
  return {
    ...(action !== undefined && { action }),
    ...(maximumDays !== undefined && { maximumDays }),
    ...(checks !== undefined && { checks }),
  };
}

function setting<T>(reader: Reader, read: (reader: Reader) => T | undefined): T | null | undefined {
  return reader.isAbsent ? undefined : reader.isNull ? null : read(reader);
}

/** Merges the rules of layers, the lowest layer first. */
export function exceptionRules(layers: readonly { readonly exceptions?: ExceptionSettings }[]): ExceptionRules {
  let rules = BUILT_IN_EXCEPTION_RULES;
  for (const { exceptions } of layers) {
    if (exceptions === undefined) continue;
    const { action, maximumDays, checks } = exceptions;
    rules = {
      action: action ?? rules.action,
      maximumDays:
        maximumDays === undefined ? rules.maximumDays : (maximumDays ?? BUILT_IN_EXCEPTION_RULES.maximumDays),
      checks: checks === undefined ? rules.checks : (checks ?? BUILT_IN_EXCEPTION_RULES.checks),
    };
  }
  return rules;
}

/** True if exceptions may name the check. */
export function mayExcept(rules: ExceptionRules, check: string): boolean {
  return rules.checks === 'all' || rules.checks.includes(check);
}

/**
 * The instant from which on an exception is not honoured: its end, or the end of the longest time that the rules allow
 * after its creation. An exception in a file has no creation, so its end counts.
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
