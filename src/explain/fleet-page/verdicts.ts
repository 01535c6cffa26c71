import { count } from '../../base/text/count.ts';
import type { Violation } from '../../engine/checks/violation.ts';

/** The verdict on a workload, by its worst finding. */
export interface Verdict {
  /** As the page names it, and its class in the style sheet. */
  readonly label: string;
  readonly tone: string;
}

/** The verdicts by the action of the worst finding, worst first. Clean has no action. */
const BY_ACTION: Readonly<Record<Violation['action'] | 'Excepted', Verdict & { readonly noun: string }>> = {
  Deny: { label: 'Denied', tone: 'deny', noun: 'denial' },
  Warn: { label: 'Warned', tone: 'warn', noun: 'warning' },
  Audit: { label: 'Noted', tone: 'note', noun: 'note' },
  Excepted: { label: 'Excepted', tone: 'excepted', noun: 'excepted finding' },
};
const CLEAN: Verdict = { label: 'Clean', tone: 'clean' };

/** Actions, worst first. */
export const FINDING_ACTIONS = Object.keys(BY_ACTION) as readonly Violation['action'][];

/** All verdicts, worst first. */
export const VERDICTS: readonly Verdict[] = [...FINDING_ACTIONS.map((action) => BY_ACTION[action]), CLEAN];

/** The verdict of one finding. */
export function verdictOfAction(action: Violation['action']): Verdict {
  return BY_ACTION[action];
}

/** The place of a workload's verdict in VERDICTS. */
export function levelOf(violations: readonly Pick<Violation, 'action'>[]): number {
  const level = FINDING_ACTIONS.findIndex((action) => violations.some((violation) => violation.action === action));
  return level === -1 ? FINDING_ACTIONS.length : level;
}

/** `1 denial, 2 warnings` */
export function findingsInWords(violations: readonly Pick<Violation, 'action'>[]): string {
  return FINDING_ACTIONS.flatMap((action) => {
    const number = violations.filter((violation) => violation.action === action).length;
    return number === 0 ? [] : [count(number, BY_ACTION[action].noun)];
  }).join(', ');
}
