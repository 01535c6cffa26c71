import { count } from '../../base/text/cut.ts';
import { figureOf } from '../timeline/figures.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { WorkloadExplanation } from '../timeline/explanation.ts';

/** The verdict on a workload, by its worst finding: the name on the page, the class of the style sheet, the meaning. */
type Verdict = Readonly<Record<'label' | 'tone' | 'meaning', string>>;

/** The meaning of a verdict that is counted only when a workload has it. */
export const EXCEPTED = 'with exceptions only';

const BY_ACTION: Readonly<Record<Violation['action'] | 'Excepted', Verdict & { readonly noun: string }>> = {
  Deny: { label: 'Denied', tone: 'deny', meaning: 'would be denied', noun: 'denial' },
  Warn: { label: 'Warned', tone: 'warn', meaning: 'with warnings', noun: 'warning' },
  Audit: { label: 'Noted', tone: 'note', meaning: 'with notes only', noun: 'note' },
  Excepted: { label: 'Excepted', tone: 'excepted', meaning: EXCEPTED, noun: 'excepted finding' },
};

export const FINDING_ACTIONS = Object.keys(BY_ACTION) as readonly Violation['action'][];

export const VERDICTS: readonly Verdict[] = [
  ...FINDING_ACTIONS.map((action) => BY_ACTION[action]),
  { label: 'Clean', tone: 'clean', meaning: 'without findings' },
];

export function verdictOfAction(action: Violation['action']): Verdict {
  return BY_ACTION[action];
}

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

/** The shortest guaranteed time to start of a container, in seconds; Infinity when no probe limits any start. */
export function shortestGuarantee({ containers }: WorkloadExplanation): number {
  const starts = containers.map(({ figures }) => figureOf(figures, 'time-to-start')?.span.earliest);
  return Math.min(...starts.map((seconds) => seconds ?? Infinity));
}
