import { count, cut } from '../../base/text/cut.ts';
import { isFailingRule, MISSED_PODS_RULE } from '../../engine/facts/live-rules.ts';
import { figureOf } from '../timeline/figures.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { LiveFinding, ReportedWorkload } from './report.ts';
import type { WorkloadExplanation } from '../timeline/explanation.ts';

/** The state of a workload, by its worst finding: the name on the page, the class of the style sheet, the meaning. */
export type ShownVerdict = Readonly<Record<'label' | 'tone' | 'meaning', string>>;

/** The meaning of a verdict that is counted only when a workload has it. */
export const EXCEPTED = 'with exceptions only';

const BY_ACTION: Readonly<Record<Violation['action'] | 'Excepted', ShownVerdict & { readonly noun: string }>> = {
  Deny: { label: 'Denied', tone: 'deny', meaning: 'denied when created', noun: 'denial' },
  Warn: { label: 'Warned', tone: 'warn', meaning: 'with warnings', noun: 'warning' },
  Audit: { label: 'Noted', tone: 'note', meaning: 'with notes only', noun: 'note' },
  Excepted: { label: 'Excepted', tone: 'excepted', meaning: EXCEPTED, noun: 'excepted finding' },
};

export const FINDING_ACTIONS = Object.keys(BY_ACTION) as readonly Violation['action'][];

/** What fails now is worse than what admission would say. */
export const FAILING: ShownVerdict = { label: 'Failing', tone: 'fail', meaning: 'failing now' };

export const VERDICTS: readonly ShownVerdict[] = [
  FAILING,
  ...FINDING_ACTIONS.map((action) => BY_ACTION[action]),
  { label: 'Clean', tone: 'clean', meaning: 'without findings' },
];

export function verdictOfAction(action: Violation['action']): ShownVerdict {
  return BY_ACTION[action];
}

/** The index of the workload's state in VERDICTS. A workload has one state, so it is counted once. */
export function levelOf({ violations, live }: Pick<ReportedWorkload, 'violations' | 'live'>): number {
  if (live.some(({ name }) => isFailingRule(name))) return 0;
  const level = FINDING_ACTIONS.findIndex((action) => violations.some((violation) => violation.action === action));
  return level === -1 ? VERDICTS.length - 1 : level + 1;
}

/** `http-404, crash-loop` */
export function causesInWords(live: readonly LiveFinding[]): string {
  const causes = live.flatMap(({ name, cause = name }) => (isFailingRule(name) ? [cut(cause, MOST_CAUSE)] : []));
  return [...new Set(causes)].slice(0, MOST_CAUSES).join(', ');
}

const MOST_CAUSE = 40;
const MOST_CAUSES = 3;

/** Pods that lack probes that new Pods get. */
export function lackingPods(live: readonly LiveFinding[]): number {
  return live.reduce((sum, { name, pods }) => (name === MISSED_PODS_RULE ? sum + pods : sum), 0);
}

/** `2 denials (named-port), 5 warnings`: the checks of denials stand beside their number, as causes do for failures. */
export function findingsInWords(violations: readonly Pick<Violation, 'action' | 'check'>[]): string {
  return FINDING_ACTIONS.flatMap((action) => {
    const found = violations.filter((violation) => violation.action === action);
    if (found.length === 0) return [];
    const checks = [...new Set(found.map(({ check }) => check))];
    const more = checks.length > MOST_CAUSES ? ', …' : '';
    const named = action === 'Deny' ? ` (${checks.slice(0, MOST_CAUSES).join(', ')}${more})` : '';
    return [count(found.length, BY_ACTION[action].noun) + named];
  }).join(', ');
}

/**
 * The shortest guaranteed time to start of a container, in seconds; Infinity when no probe limits any start, and
 * undefined when nobody knows.
 */
export function shortestGuarantee({ containers }: WorkloadExplanation): number | undefined {
  if (containers.some(({ unknown }) => unknown.includes('starts'))) return undefined;
  const starts = containers.map(({ figures }) => figureOf(figures, 'time-to-start')?.span.earliest);
  return Math.min(...starts.map((seconds) => seconds ?? Infinity));
}
