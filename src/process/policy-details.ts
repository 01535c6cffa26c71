import type { PolicySourcesStatus } from './policy-sources-status.ts';

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
