import type { LearnedSettings } from '../probe/startup-budget.ts';

export interface SlowStart {
  readonly startupSeconds?: number | null;
  readonly fromInitialDelaySeconds?: number | null;
  /** How a budget follows from learned start times. An empty object switches learned budgets on. */
  readonly learned?: Partial<LearnedSettings> | null;
}
