import { outcomeOf } from './outcome.ts';
import type { PodStore, ProbeChange, ViolationChange } from './changes.ts';
import type { Workload } from '../judge.ts';
import type { Snapshot } from '../../facts/snapshot.ts';

export interface WorkloadEffect extends Readonly<Record<'kind' | 'namespace' | 'name', string>> {
  readonly probes: readonly ProbeChange[];
  readonly violations: readonly ViolationChange[];
}

export interface PlanSummary {
  readonly workloads: number;
  /** The workloads whose Pods get other probes at the next rollout. */
  readonly changedProbes: number;
  /** The workloads with a violation that denies after the change, and with none before. */
  readonly newlyDenied: number;
  readonly noLongerDenied: number;
  readonly newlyWarned: number;
  readonly noLongerWarned: number;
  readonly unchanged: number;
}

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
  const counts = { newlyDenied: 0, noLongerDenied: 0, newlyWarned: 0, noLongerWarned: 0 };
  let all = 0;
  for (const workload of workloads) {
    all += 1;
    const { probes, violations, denied, warned } = outcomeOf(workload, before, after, store, now);
    if (probes.length === 0 && violations.length === 0) continue;
    effects.push({ kind: workload.kind.kind, namespace: workload.namespace, name: workload.name, probes, violations });
    if (denied === 'new') counts.newlyDenied += 1;
    if (denied === 'gone') counts.noLongerDenied += 1;
    if (warned === 'new') counts.newlyWarned += 1;
    if (warned === 'gone') counts.noLongerWarned += 1;
  }
  const changedProbes = effects.filter(({ probes }) => probes.length > 0).length;
  return { effects, summary: { workloads: all, changedProbes, ...counts, unchanged: all - effects.length } };
}
