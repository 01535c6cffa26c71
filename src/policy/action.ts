/** What a violation of a check leads to, laxest first. */
export const ACTIONS = ['Off', 'Audit', 'Warn', 'Deny'] as const;
export type Action = (typeof ACTIONS)[number];

/** The stricter of two actions. */
export function stricter<T extends Action>(a: T, b: T): T {
  return ACTIONS.indexOf(a) >= ACTIONS.indexOf(b) ? a : b;
}

/** The laxer of two actions. */
export function laxer<T extends Action>(a: T, b: T): T {
  return ACTIONS.indexOf(a) <= ACTIONS.indexOf(b) ? a : b;
}
