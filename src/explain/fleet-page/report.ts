import type { Violation } from '../../engine/checks/violation.ts';
import type { WorkloadExplanation } from '../timeline/explanation.ts';

/** The content of the page about a fleet. Texts are as the manifests have them: the page escapes them. */
export interface Report {
  readonly subject: string;
  /** The instant of the verdicts, in milliseconds since the epoch. */
  readonly now: number;
  readonly version: string;
  readonly workloads: readonly ReportedWorkload[];
  readonly policies: readonly ReportedPolicy[];
  readonly exceptions: readonly ReportedException[];
  readonly problems: readonly string[];
  /** The most workloads that have a row, the worst first. Summaries count all. Undefined = all have one. */
  readonly mostRows?: number;
  /** The checks of this build: what a finding means, and where its page is. */
  readonly checks: ReadonlyMap<string, ReportedCheck>;
}

export type ReportedCheck = Readonly<Record<'summary' | 'url', string>>;

export interface ReportedWorkload extends Readonly<Record<'kind' | 'namespace' | 'name', string>> {
  /** Times of all containers. Its texts are those of `explain`. */
  readonly explanation: WorkloadExplanation;
  readonly violations: readonly Violation[];
  readonly policies: readonly string[];
  readonly warnings: readonly string[];
  readonly learned: ReadonlyMap<string, readonly number[]>;
  /** The findings of an observer in live Pods, for people: `3 Pods lack probes that they would get today`. */
  readonly live: readonly LiveFinding[];
}

export interface LiveFinding {
  /** `missed-pods`, `probe-failing`. */
  readonly name: string;
  readonly message: string;
  readonly pods: number;
  /** The command to run: `kubectl rollout restart deployment/web -n apps`. */
  readonly command?: string;
}

export interface ReportedPolicy {
  /** `ProbePolicy/apps/web` */
  readonly source: string;
  readonly advice: readonly Pick<Violation, 'check' | 'message' | 'remedy'>[];
}

export interface ReportedException extends Readonly<Record<'namespace' | 'name' | 'owner' | 'reason', string>> {
  readonly checks: readonly string[];
  /** The target of the exception: `Deployment legacy`, `Pods with app=legacy`. */
  readonly workloads: string;
  readonly ticket?: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}
