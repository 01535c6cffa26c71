import { outcomeOf, type WorkloadOutcome } from './outcome.ts';
import { count } from '../../../base/text/cut.ts';
import type { Enforcement, MutationMode } from '../../policy/action.ts';
import type { PodStore, ProbeChange, ViolationChange } from './changes.ts';
import type { Workload } from '../judge.ts';
import type { Snapshot } from '../../facts/snapshot.ts';

export interface WorkloadEffect extends Readonly<Record<'kind' | 'namespace' | 'name', string>> {
  readonly probes: readonly ProbeChange[];
  readonly violations: readonly ViolationChange[];
}

/** The figures of a plan, each with the workloads that it counts. */
const FIGURES = {
  workloads: () => true,
  /** Their Pods get other probes at the next rollout. */
  changedProbes: ({ probes }) => probes.length > 0,
  /** They would be denied, if they were created again or at updates, and were not before. */
  newlyDenied: isNewlyDenied,
  noLongerDenied: ({ denied }) => denied === 'gone',
  /** They would be denied even at an update that adds no violation. */
  newlyDeniedAtUpdate: ({ deniedAtUpdate }) => deniedAtUpdate === 'new',
  newlyWarned: ({ warned }) => warned === 'new',
  /** Without those that would be denied instead. */
  noLongerWarned: (outcome) => outcome.warned === 'gone' && !isNewlyDenied(outcome),
  unchanged: (outcome) => !isAffected(outcome),
} satisfies Record<string, (outcome: WorkloadOutcome) => boolean>;

export type PlanSummary = Readonly<Record<keyof typeof FIGURES, number>>;

/** The effects of a change of policies. Workloads without effect are counted only. */
export interface Plan {
  readonly effects: readonly WorkloadEffect[];
  readonly summary: PlanSummary;
}

/** What a change of policies does to workloads at an instant, in milliseconds since the epoch. No workload is kept. */
export function planOf(
  workloads: Iterable<Workload>,
  before: Snapshot,
  after: Snapshot,
  store: PodStore,
  now: number,
): Plan {
  const effects: WorkloadEffect[] = [];
  const summary = emptySummary();
  for (const workload of workloads) {
    const outcome = outcomeOf(workload, before, after, store, now);
    addTo(summary, outcome);
    const { kind, namespace, name } = workload;
    const { probes, violations } = outcome;
    if (isAffected(outcome)) effects.push({ kind: kind.kind, namespace, name, probes, violations });
  }
  return { effects, summary };
}

type Counts = { -readonly [Figure in keyof PlanSummary]: number };
const NAMES = Object.keys(FIGURES) as (keyof PlanSummary)[];

export function emptySummary(): Counts {
  return Object.fromEntries(NAMES.map((name) => [name, 0])) as Counts;
}

/** Counts the effect on one more workload. */
export function addTo(counts: Counts, outcome: WorkloadOutcome): void {
  for (const name of NAMES) counts[name] += Number(FIGURES[name](outcome));
}

function isNewlyDenied({ denied, deniedAtUpdate }: WorkloadOutcome): boolean {
  return denied === 'new' || deniedAtUpdate === 'new';
}

/** Whether a change of policies does anything to a workload. */
function isAffected({ probes, violations, deniedAtUpdate }: WorkloadOutcome): boolean {
  return probes.length + violations.length > 0 || deniedAtUpdate === 'new';
}

/** The settings of a server on a lower rung of a rollout, which does less than the policies ask for. */
export interface Rung {
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
}

/** Names the workloads behind a figure: nothing, or `: Deployment apps/web (named-port)`. */
type Names = (of: 'atCreation' | 'atUpdates') => string;

/**
 * The effect of a change of policies in words, for `plan` and for the review of a policy. A workload that exists is
 * mostly warned: an update is denied for violations that it adds, and for those whose exception has ended.
 */
export function effectSentence(summary: PlanSummary, rung?: Rung, names: Names = () => ''): string {
  const { workloads, changedProbes, newlyDenied, newlyDeniedAtUpdate, unchanged } = summary;
  if (unchanged === workloads)
    return `no effect on ${count(workloads, 'workload')}: no other probes, no new warnings or denials.`;
  const parts: readonly (readonly [number, string])[] = [
    [
      newlyDenied - newlyDeniedAtUpdate,
      `would be denied if created again, and warned at updates${names('atCreation')}`,
    ],
    [newlyDeniedAtUpdate, `would be denied even at updates${names('atUpdates')}`],
    [summary.noLongerDenied, 'would no longer be denied'],
    [summary.newlyWarned, 'would get warnings'],
    [summary.noLongerWarned, 'would no longer get warnings'],
    [changedProbes, `would get other probes at ${changedProbes === 1 ? 'its' : 'their'} next rollout`],
    [unchanged, 'would not change'],
  ];
  const told = parts.filter(([figure]) => figure > 0).map(([figure, text]) => `${figure} ${text}`);
  const affected = workloads - unchanged;
  if (told.length === (unchanged > 0 ? 1 : 0)) told.unshift(`${affected} would get other notes`);
  return `of ${count(workloads, 'workload')}, ${told.join('; ')}.${rung === undefined ? '' : heldBack(summary, rung)}`;
}

/** What the server does not do on its rung, of the effects that the sentence has told. */
function heldBack({ newlyDenied, newlyWarned, changedProbes }: PlanSummary, { enforcement, mutation }: Rung): string {
  const parts = [
    enforcement === 'Warn' && newlyDenied > 0 && `only warns (enforcement ${enforcement})`,
    enforcement === 'Audit' && newlyDenied + newlyWarned > 0 && `neither denies nor warns (enforcement ${enforcement})`,
    mutation !== 'On' && changedProbes > 0 && `adds no probes (mutation ${mutation})`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? '' : ` For now, the server ${parts.join(' and ')}.`;
}
