import type { Action } from './action.ts';
import type { CheckParameters } from './check-parameters.ts';

/** A check as policies may speak of it. What it looks for is the business of src/engine/checks. */
export interface CheckDefinition {
  /** The key in `spec.checks`, the end of each message, and the heading in docs/checks.md. */
  readonly id: string;
  /** The meaning of a violation, in one sentence. */
  readonly summary: string;
  /** The action for a violation when no policy sets one. */
  readonly action: Action;
  readonly parameters: CheckParameters;
}

/** All checks by id, in the order in which violations are reported. */
export type CheckCatalogue = Readonly<Record<string, CheckDefinition>>;
