import { judgeInSteps } from '../verdict/judge.ts';
import { probeChanges } from './probe-changes.ts';
import { violationChanges } from './violation-changes.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { Violation } from '../checks/violation.ts';
import type { Steps } from '../steps.ts';
import type { ProbeChange } from './probe-changes.ts';
import type { ViolationChange } from './violation-changes.ts';
import type { Workload } from './workload.ts';

/** What a change of policies does to one workload. */
export interface WorkloadEffect {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly probes: readonly ProbeChange[];
  readonly violations: readonly ViolationChange[];
}

/** How many workloads are affected, and in which way. */
export interface PlanSummary {
  /** The workloads that were looked at. */
  readonly workloads: number;
  /** The workloads whose Pods get other probes at the next rollout. */
  readonly changedProbes: number;
  /** The workloads with a violation that denies after the change, and with none before. */
  readonly newlyDenied: number;
  readonly noLongerDenied: number;
  /** Likewise for violations that warn. */
  readonly newlyWarned: number;
  readonly noLongerWarned: number;
  /** The workloads without any effect. */
  readonly unchanged: number;
}

/** The effects of a change of policies. Workloads without effect are counted only. */
export interface Plan {
  readonly effects: readonly WorkloadEffect[];
  readonly summary: PlanSummary;
}

/**
 * Computes what a change of policies does to workloads, in steps: the workloads of a cluster take long. The workloads
 * may come one by one, and none is kept.
 *
 * @param now the instant of all verdicts, in milliseconds since the epoch
 */
export function* planInSteps(
  workloads: Iterable<Workload>,
  before: Snapshot,
  after: Snapshot,
  now: number,
): Steps<Plan> {
  const effects: WorkloadEffect[] = [];
  const counts = { newlyDenied: 0, noLongerDenied: 0, newlyWarned: 0, noLongerWarned: 0 };
  let all = 0;
  for (const workload of workloads) {
    all += 1;
    const old = yield* violationsOf(workload, before, now);
    const later = yield* violationsOf(workload, after, now);
    const effect = {
      kind: workload.kind.kind,
      namespace: workload.namespace,
      name: workload.name,
      probes: probeChanges(workload, before, after),
      violations: violationChanges(old, later),
    };
    yield;
    if (effect.probes.length === 0 && effect.violations.length === 0) continue;
    effects.push(effect);
    const [denied, warned] = [transition(old, later, 'Deny'), transition(old, later, 'Warn')];
    if (denied === 'new') counts.newlyDenied += 1;
    if (denied === 'gone') counts.noLongerDenied += 1;
    if (warned === 'new') counts.newlyWarned += 1;
    if (warned === 'gone') counts.noLongerWarned += 1;
  }
  const changedProbes = effects.filter(({ probes }) => probes.length > 0).length;
  return { effects, summary: { workloads: all, changedProbes, ...counts, unchanged: all - effects.length } };
}

function* violationsOf(workload: Workload, policies: Snapshot, now: number): Steps<readonly Violation[]> {
  const { violations } = yield* judgeInSteps(workload.asSent ?? workload, policies, true, now);
  const ofText = workload.violationsOfText?.(policies) ?? [];
  return ofText.length === 0 ? violations : [...ofText, ...violations];
}

/** Whether the workload gets or loses violations with this action. Undefined if neither is the case. */
function transition(
  before: readonly Violation[],
  after: readonly Violation[],
  action: Violation['action'],
): 'new' | 'gone' | undefined {
  const has = (violations: readonly Violation[]): boolean => violations.some((found) => found.action === action);
  const [was, is] = [has(before), has(after)];
  return was === is ? undefined : is ? 'new' : 'gone';
}
