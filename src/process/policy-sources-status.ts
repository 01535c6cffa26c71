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
