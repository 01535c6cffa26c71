import type { Readiness } from '../server/health.ts';
import type { PolicySourcesStatus } from '../running/policy-sources-status.ts';

/** What decides whether requests should be sent to this replica, and what `/readyz` says of it. */
export interface ServerState {
  /** True once the process is shutting down. */
  readonly isDraining: boolean;
  readonly isListening: boolean;
  /** How many policies are in force; undefined before all have been read. */
  readonly policiesInForce: number | undefined;
  readonly sources: PolicySourcesStatus;
  /** How many policies have no room; undefined without a cluster. */
  readonly overBudget: Readonly<Record<string, number>> | undefined;
  /** When the serving certificate ends, in milliseconds since the epoch; undefined before there is one. */
  readonly certificateNotAfter: number | undefined;
  /** What is wrong with certificates; undefined members count as nothing. */
  readonly certificateProblems: readonly (string | undefined)[];
  /** Undefined without a cluster. */
  readonly isLeader: boolean | undefined;
}

/**
 * Ready = all policies have been read, the port listens, the certificate has not expired, and the process is not
 * shutting down.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function readinessOf(state: ServerState, now: number): Readiness {
  const { isDraining, isListening, policiesInForce, sources, overBudget, certificateNotAfter, isLeader } = state;
  const expired = certificateNotAfter !== undefined && certificateNotAfter <= now;
  return {
    ready: !isDraining && policiesInForce !== undefined && isListening && !expired,
    details: {
      draining: isDraining,
      policies: {
        source: sources.description,
        inForce: policiesInForce ?? 0,
        lastSync: isoTime(sources.lastSync),
        problems: sources.problems,
        problemCount: sources.problemCount,
        ...(overBudget !== undefined && { overBudget }),
        troubles: sources.troubles,
      },
      certificate: {
        notAfter: isoTime(certificateNotAfter),
        expired,
        problems: state.certificateProblems.filter((problem) => problem !== undefined),
      },
      ...(isLeader !== undefined && { leader: isLeader }),
    },
  };
}

function isoTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
