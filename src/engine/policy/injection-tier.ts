/**
 * What injects probes into the new Pods of a cluster. With `both`, the webhook adds what the native policy leaves out,
 * so Pods get what the webhook gives.
 */
export const INJECTION_TIERS = ['webhook', 'native', 'both', 'none'] as const;
export type InjectionTier = (typeof INJECTION_TIERS)[number];

/** The MutatingAdmissionPolicy that `probewright export` prints. */
export const NATIVE_POLICY_NAME = 'probewright-inject';

/** The tiers as the start of a sentence. */
export const TIER_WORDS: Readonly<Record<InjectionTier, string>> = {
  webhook: 'The webhook injects',
  native: 'The native policy injects',
  both: 'The native policy and the webhook inject',
  none: 'Nothing injects: the cluster has no webhook that injects, and no native policy',
};
