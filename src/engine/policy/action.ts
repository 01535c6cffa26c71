/** The consequence of a violation, laxest first. */
export const ACTIONS = ['Off', 'Audit', 'Warn', 'Deny'] as const;
export type Action = (typeof ACTIONS)[number];

/** The outcome of a violation, laxest first. `Excepted`: an exception allows the violation, whatever policies say. */
const OUTCOMES = ['Excepted', 'Audit', 'Warn', 'Deny'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** No policy can set `Excepted`. */
const ORDER: readonly (Action | Outcome)[] = ['Off', ...OUTCOMES];

export function stricter<T extends Action | Outcome>(a: T, b: T): T {
  return ORDER.indexOf(a) >= ORDER.indexOf(b) ? a : b;
}

export function laxer<T extends Action | Outcome>(a: T, b: T): T {
  return stricter(a, b) === a ? b : a;
}

/** Limits the action of all violations, for the whole server. A first rollout goes from Audit to Warn to Deny. */
export const ENFORCEMENTS = ['Deny', 'Warn', 'Audit'] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

/** On sends patches. Audit only reports the patches that On would send. */
export const MUTATION_MODES = ['On', 'Audit', 'Off'] as const;
export type MutationMode = (typeof MUTATION_MODES)[number];
