import type { PolicySource } from '../cluster/sources/policy-source.ts';

/** How all sources of policies are doing together. */
export interface PolicySourcesStatus {
  /** The names of the sources, for people. */
  readonly description: string;
  readonly problems: readonly string[];
  /** How many problems there are, also those that are not listed. */
  readonly problemCount: number;
  readonly troubles: readonly string[];
  /**
   * When every source was known to be the newest, in milliseconds since the epoch; undefined before the first reading.
   */
  readonly lastSync: number | undefined;
}

/** The status of several sources as one. */
export function policySourcesStatus(sources: readonly PolicySource[]): PolicySourcesStatus {
  const each = sources.map((source) => source.status());
  const times = each.map(({ lastSync }) => lastSync);
  return {
    description: each.map(({ description }) => description).join(', '),
    problems: each.flatMap(({ problems }) => problems),
    problemCount: each.reduce((sum, { problems, problemCount = problems.length }) => sum + problemCount, 0),
    troubles: each.flatMap(({ troubles }) => troubles ?? []),
    lastSync: times.includes(undefined) ? undefined : Math.min(...times.filter((time) => time !== undefined)),
  };
}

/** The details about policies in `/readyz`. */
export interface PoliciesState {
  /** How many policies are in force; undefined before all have been read. */
  readonly policiesInForce: number | undefined;
  readonly sources: PolicySourcesStatus;
  /** How many policies have no room; undefined without a cluster. */
  readonly overBudget: Readonly<Record<string, number>> | undefined;
}

/** The entry about policies in the answer of `/readyz`. */
export function policyDetails({
  policiesInForce,
  sources,
  overBudget,
}: PoliciesState): Readonly<Record<string, unknown>> {
  return {
    source: sources.description,
    inForce: policiesInForce ?? 0,
    lastSync: isoTimeOrNull(sources.lastSync),
    problems: sources.problems,
    problemCount: sources.problemCount,
    ...(overBudget !== undefined && { overBudget }),
    troubles: sources.troubles,
  };
}

/** An instant for `/readyz`: RFC 3339, or null for none. */
export function isoTimeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
