import type { Action } from './action.ts';
import type { CheckParameters } from './check-parameters.ts';

/** A check as policies may speak of it. What it looks for is the business of src/engine/checks. */
export interface CheckDefinition {
  /** The key in `spec.checks`, the end of each message, and the heading in docs/checks.md. */
  readonly id: string;
  readonly summary: string;
  readonly action: Action;
  readonly parameters: CheckParameters;
}

export type CheckCatalogue = Readonly<Record<string, CheckDefinition>>;
