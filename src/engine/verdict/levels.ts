import type { Outcome } from '../policy/action.ts';

/** The levels of findings in reports, most severe first. */
export const LEVELS = ['error', 'warning', 'note'] as const;
export type Level = (typeof LEVELS)[number];

/**
 * What each output calls a finding, by its action. `level`: texts, JSON and SARIF. `alert`: the severities that GitHub
 * filters code scanning by. `gitlab`: of info, minor, major, critical and blocker. `result` and `severity`: report
 * objects, in which only what the webhook would deny counts as failed.
 */
// prettier-ignore
export const LEVELS_OF = {
  Deny:     { level: 'error',   alert: 'error',          github: 'error',   gitlab: 'critical', junit: 'failure', krm: 'error',   result: 'fail', severity: 'high' },
  Warn:     { level: 'warning', alert: 'warning',        github: 'warning', gitlab: 'major',    junit: 'passed',  krm: 'warning', result: 'warn', severity: 'medium' },
  Audit:    { level: 'note',    alert: 'recommendation', github: 'notice',  gitlab: 'info',     junit: 'passed',  krm: 'info',    result: 'warn', severity: 'low' },
  Excepted: { level: 'note',    alert: 'recommendation', github: 'notice',  gitlab: 'info',     junit: 'passed',  krm: 'info',    result: 'skip', severity: 'info' },
} as const satisfies Record<Outcome, { readonly level: Level } & Readonly<Record<string, string>>>;

/** True when findings of this level are shown with `--min-level minimum`. */
export function isShownAt(level: Level, minimum: Level): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(minimum);
}
