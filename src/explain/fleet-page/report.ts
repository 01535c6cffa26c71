import type { Violation } from '../../engine/checks/violation.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { InjectionTier } from '../../engine/policy/injection-tier.ts';
import type { WorkloadExplanation } from '../timeline/explanation.ts';

/** The content of the page about a fleet. Texts are as the manifests have them: the page escapes them. */
export interface Report {
  readonly subject: string;
  /** The instant of the verdicts, in milliseconds since the epoch. */
  readonly now: number;
  readonly workloads: readonly ReportedWorkload[];
  /** What injects probes, where that is known. */
  readonly tier?: InjectionTier | undefined;
  /** The policies and exceptions in force. */
  readonly snapshot: Snapshot;
  /** The advice on policies, by source: `ProbePolicy/apps/web`. */
  readonly advice?: ReadonlyMap<string, readonly ReportedAdvice[]>;
  readonly problems: readonly string[];
  /** What to do when there are no workloads. */
  readonly nextSteps?: readonly NextStep[];
  /** The state of live Pods is known: a workload without a finding about its Pods does not fail. */
  readonly isLive?: boolean;
  /** The most workloads that have a row, the worst first. Summaries count all. Undefined = all have one. */
  readonly mostRows?: number;
}

/** A sentence that ends with a colon, and the command that follows it. */
export type NextStep = Readonly<Record<'text' | 'command', string>>;

export const LIST_WORKLOADS = 'kubectl get deployments,statefulsets,daemonsets,cronjobs,jobs,pods -A';

export type ReportedAdvice = Pick<Violation, 'check' | 'message' | 'remedy'>;

export interface ReportedWorkload {
  /** The name, and the times of all containers. Its texts are those of `explain`. */
  readonly explanation: WorkloadExplanation;
  readonly violations: readonly Violation[];
  readonly policies: readonly string[];
  readonly warnings: readonly string[];
  /** The findings in live Pods, for people: `3 Pods lack probes that they would get today`. */
  readonly live: readonly LiveFinding[];
}

export interface LiveFinding {
  /** `missed-pods`, `probe-failing`. */
  readonly name: string;
  /** Why Pods fail: `http-404`. */
  readonly cause?: string;
  readonly message: string;
  /** `status: 503`, `since: 2026-11-20T11:40:00Z` */
  readonly facts?: readonly string[];
  /** What helps, where it is no command. */
  readonly remedy?: string;
  readonly pods: number;
  /** The command to run: `kubectl rollout restart deployment/web -n apps`. */
  readonly command?: string;
}
