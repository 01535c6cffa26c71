/** The consequence of a violation, laxest first. */
export const ACTIONS = ['Off', 'Audit', 'Warn', 'Deny'] as const;
export type Action = (typeof ACTIONS)[number];

/** The outcome of a violation, laxest first. `Excepted`: an exception allows the violation, whatever policies say. */
const OUTCOMES = ['Excepted', 'Audit', 'Warn', 'Deny'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** No policy can set `Excepted`. */
const ORDER: readonly (Action | Outcome)[] = ['Off', ...OUTCOMES];

/** The stricter of two actions. */
export function stricter<T extends Action | Outcome>(a: T, b: T): T {
  return ORDER.indexOf(a) >= ORDER.indexOf(b) ? a : b;
}

/** The laxer of two actions. */
export function laxer<T extends Action | Outcome>(a: T, b: T): T {
  return ORDER.indexOf(a) <= ORDER.indexOf(b) ? a : b;
}
