import type { Violation } from '../../engine/checks/violation.ts';

/** The levels of findings in reports, most severe first. */
export const LEVELS = ['error', 'warning', 'note'] as const;
export type Level = (typeof LEVELS)[number];

/** The level that reports give to the violations of an action. */
export const LEVEL_OF_ACTION = {
  Deny: 'error',
  Warn: 'warning',
  Audit: 'note',
  Excepted: 'note',
} as const satisfies Record<Violation['action'], Level>;

/** True when findings of this level are shown with `--min-level minimum`. */
export function isShownAt(level: Level, minimum: Level): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(minimum);
}
