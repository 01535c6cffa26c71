import { isoTimeOrNull, policyDetails, type PoliciesState } from '../process/policies.ts';
import type { Readiness } from '../process/health.ts';

/** The conditions under which this replica gets requests, and their texts for `/readyz`. */
export interface ServerState extends PoliciesState {
  /** True once the process is shutting down. */
  readonly isDraining: boolean;
  readonly isListening: boolean;
  /** When the serving certificate ends, in milliseconds since the epoch; undefined before there is one. */
  readonly certificateNotAfter: number | undefined;
  /** The problems with certificates; an undefined member means no problem. */
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
  const { isDraining, isListening, policiesInForce, certificateNotAfter, isLeader } = state;
  const expired = certificateNotAfter !== undefined && certificateNotAfter <= now;
  return {
    ready: !isDraining && policiesInForce !== undefined && isListening && !expired,
    details: {
      draining: isDraining,
      policies: policyDetails(state),
      certificate: {
        notAfter: isoTimeOrNull(certificateNotAfter),
        expired,
        problems: state.certificateProblems.filter((problem) => problem !== undefined),
      },
      ...(isLeader !== undefined && { leader: isLeader }),
    },
  };
}
