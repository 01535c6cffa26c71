import type { LabelSelector } from './label-selector.ts';

export const EXCEPTION_KIND = 'ProbeException';

export interface NamedWorkload {
  readonly kind: string;
  readonly name: string;
}

export interface ExceptionSpec {
  readonly checks: readonly string[];
  /** Either `workloads` or `workloadSelector` is set. */
  readonly workloads?: readonly NamedWorkload[];
  readonly workloadSelector?: LabelSelector;
  readonly containers?: readonly string[];
  readonly owner: string;
  readonly reason: string;
  readonly ticket?: string;
}

/** What is kept of the status of an exception, for the writer of statuses. */
export interface ReportedStatus {
  /** Undefined when the status is about an earlier version. */
  readonly state: string | undefined;
  readonly isLimited: boolean;
  /** When the exception last matched, in milliseconds since the epoch. */
  readonly lastMatched: number | undefined;
}

/** A ProbeException: violations that its namespace tolerates, until an instant; and what its status says. */
export interface ProbeException extends ReportedStatus {
  readonly name: string;
  /** The exception is not honoured at or after this instant, in milliseconds since the epoch. */
  readonly expires: number;
  /** In milliseconds since the epoch. Undefined for an exception in a file. */
  readonly created: number | undefined;
  /** The spec as JSON. The webhook keeps tens of thousands, and one text takes a third of the memory of its objects. */
  readonly text: string;
}

export function exceptionSpec({ text }: ProbeException): ExceptionSpec {
  return JSON.parse(text) as ExceptionSpec;
}

/** The longest time of an exception, in days, when no policy sets it. */
export const DEFAULT_EXCEPTION_DAYS = 365;

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

export const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

export function exceptionRules(layers: readonly { readonly exceptions?: ExceptionSettings }[]): ExceptionRules {
  const set = layers.flatMap(({ exceptions }) => exceptions ?? []);
  const highest = <Rule extends keyof ExceptionSettings>(rule: Rule): ExceptionSettings[Rule] | undefined =>
    set.findLast((rules) => rules[rule] !== undefined)?.[rule];
  return {
    action: highest('action') ?? 'Allow',
    maximumDays: highest('maximumDays') ?? DEFAULT_EXCEPTION_DAYS,
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
  return created === undefined ? expires : Math.min(expires, created + maximumDays * DAY_MILLISECONDS);
}

/** An exception within this time before its end causes warnings. */
export const EXPIRING_MILLISECONDS = 14 * DAY_MILLISECONDS;
