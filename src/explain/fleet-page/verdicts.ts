import { count } from '../../base/text/count.ts';
import { figureOf } from '../timeline/figure.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { StripContainer } from '../drawing/start-strip.ts';
import type { WorkloadExplanation } from '../timeline/explanation.ts';
import type { ReportedWorkload } from './report.ts';

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

/** The content of a workload's strip, by container. */
export function stripContainers({ explanation, learned }: ReportedWorkload): StripContainer[] {
  return explanation.containers.map(({ name, figures }) => {
    const span = figureOf(figures, 'time-to-start')?.span;
    return {
      name,
      start: span && { guaranteed: span.earliest, longest: span.latest },
      learned: learned.get(name) ?? [],
    };
  });
}

/** The shortest time to start that a container of a workload is guaranteed. */
export function shortestGuarantee({ containers }: WorkloadExplanation): {
  /** False when no probe limits the start of any container. */
  readonly limited: boolean;
  readonly guaranteed: number;
} {
  let guaranteed = Infinity;
  for (const { figures } of containers)
    guaranteed = Math.min(guaranteed, figureOf(figures, 'time-to-start')?.span.earliest ?? Infinity);
  return { limited: guaranteed !== Infinity, guaranteed };
}
