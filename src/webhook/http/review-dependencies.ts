import type { Decision, Reviewed } from '../review/decision.ts';
import type { AdmissionRequest } from '../review/review.ts';
import type { TrustedControllers } from '../review/trusted-controllers.ts';
import type { Enforcement, MutationMode } from '../../engine/verdict/modes.ts';
import type { MissedNamespace } from '../../engine/facts/missed-namespace.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Steps } from '../../base/steps.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { Metrics, Webhook } from './metrics.ts';

/** The log entries about reviews. */
export interface ReviewLog {
  decided(webhook: Webhook, request: AdmissionRequest, decision: Decision, milliseconds: number): void;
  /** An internal error. */
  failed(path: string, error: Error): void;
}

/** The limits for computing the effect of a policy. */
export interface EffectLimits {
  /** The most time, in milliseconds. */
  readonly milliseconds: number;
  readonly isDryRun: boolean;
  /** Whether the client has disconnected. */
  readonly isAbandoned: () => boolean;
}

/** Resolves with warnings about the effect of a policy on live workloads. */
export type PolicyEffect = (reviewed: Reviewed, limits: EffectLimits) => Promise<readonly string[]>;

/** The dependencies of decisions, and the receivers of their reports. */
export interface ReviewDependencies {
  /** The policies in force. Undefined until the policies have been read. */
  readonly policies: () => Snapshot | undefined;
  /**
   * Undefined if the namespace is known. A Pod may come right after its new namespace, and then has to wait for a
   * promise. The promise resolves with undefined when the namespace is known, otherwise with the reason why the
   * namespace is not known. `no-room` if too many namespaces are awaited. Clients share the room by remote address.
   */
  readonly namespaceKnown?: (
    namespace: string,
    client: string,
  ) => Promise<MissedNamespace | undefined> | 'no-room' | undefined;
  /** Called for each exception that allows violations of a request, once for a request. Not called for dry runs. */
  readonly exceptionMatched?: (namespace: string, name: string) => void;
  readonly mutation: MutationMode;
  readonly enforcement: Enforcement;
  /** The kinds that `/validate` checks. */
  readonly kinds: readonly WorkloadKind[];
  /** The accounts whose controller references Probewright trusts. */
  readonly controllers: TrustedControllers;
  /** Undefined if the effects of policies are not computed. */
  readonly policyEffect?: PolicyEffect;
  readonly metrics: Metrics;
  readonly log: ReviewLog;
  /** The wall clock, in milliseconds since the epoch. Read once for each decision. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  /** Makes a decision. The default is the decision functions of src/webhook/review. */
  readonly decide?: (webhook: Webhook, request: AdmissionRequest, policies: Snapshot) => Steps<Decision>;
}
