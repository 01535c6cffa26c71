/** Limits the action of all violations, for the whole server. A first rollout goes from Audit to Warn to Deny. */
export const ENFORCEMENTS = ['Deny', 'Warn', 'Audit'] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

/** On sends patches. Audit only reports the patches that On would send. */
export const MUTATION_MODES = ['On', 'Audit', 'Off'] as const;
export type MutationMode = (typeof MUTATION_MODES)[number];
