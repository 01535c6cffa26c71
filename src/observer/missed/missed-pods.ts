import { MISSED_PODS_RULE } from '../../cluster/sources/observer-reports.ts';
import { workloadKey, type WorkloadName } from '../observed-workload.ts';
import { MISSED_CAUSES, type MissedCause, type MissedProbes } from './missed-probes.ts';
import { restartLine, type LiveProperties } from '../../explain/fleet-page/live-findings.ts';
import type { ReportResult } from '../reports/report-result.ts';

const CAUSE_MESSAGES: Readonly<Record<MissedCause, string>> = {
  missed: 'Pods lack probes that new Pods get: the webhook was away when they were created',
  predates: 'Pods lack probes that new Pods get: they are older than the policy',
  outdated: 'Pods have other probes than new Pods get: the policy has changed since they were created',
  unknown: 'Pods lack probes that new Pods get: it is not known when the policy last changed',
};

export function missedMessage(cause: MissedCause): string {
  return CAUSE_MESSAGES[cause];
}

interface MissedPod {
  readonly workload: WorkloadName;
  readonly missed: MissedProbes;
}

/** The Pods that lack probes: a few words for each, nothing for all other Pods. */
export class MissedPods {
  readonly #pods = new Map<string, MissedPod>();

  /** Keeps or forgets a Pod, by its UID. Returns true when something has changed. */
  set(uid: string, workload: WorkloadName, missed: MissedProbes | undefined): boolean {
    if (missed === undefined) return this.#pods.delete(uid);
    const before = this.#pods.get(uid)?.missed;
    this.#pods.set(uid, { workload, missed });
    return before?.cause !== missed.cause || before.sources.join() !== missed.sources.join();
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  delete(uid: string): boolean {
    return this.#pods.delete(uid);
  }

  retain(uids: ReadonlySet<string>): void {
    for (const uid of this.#pods.keys()) if (!uids.has(uid)) this.#pods.delete(uid);
  }

  /** The namespace and the cause of each Pod, for the metric. Exempt namespaces are left out. */
  causes(isExempt: (namespace: string) => boolean): (readonly [namespace: string, cause: MissedCause])[] {
    return [...this.#pods.values()]
      .filter(({ workload }) => !isExempt(workload.namespace))
      .map(({ workload, missed }) => [workload.namespace, missed.cause]);
  }

  /** The results of all workloads: one for each cause, with the number of Pods in a property. */
  results(): (readonly [WorkloadName, readonly ReportResult[]])[] {
    return [...Map.groupBy(this.#pods.values(), ({ workload }) => workloadKey(workload)).values()].flatMap((pods) => {
      const workload = pods[0]?.workload;
      if (workload === undefined) return [];
      const results = MISSED_CAUSES.flatMap((cause) => {
        const ofCause = pods.filter(({ missed }) => missed.cause === cause);
        return ofCause.length === 0 ? [] : [resultOf(workload, cause, ofCause)];
      });
      return [[workload, results] as const];
    });
  }
}

function resultOf(workload: WorkloadName, cause: MissedCause, pods: readonly MissedPod[]): ReportResult {
  const sources = [...new Set(pods.flatMap(({ missed }) => missed.sources))].toSorted();
  const policies = sources.filter((source) => source !== 'annotation' && source !== 'safety');
  return {
    policy: policies[0] ?? 'probewright',
    rule: MISSED_PODS_RULE,
    category: 'Missed Pods',
    severity: 'low',
    result: 'warn',
    scored: false,
    message: missedMessage(cause),
    properties: {
      cause,
      pods: String(pods.length),
      sources: sources.slice(0, MOST_SOURCES).join(', '),
      fix: restartLine(workload),
    } satisfies LiveProperties,
  };
}

const MOST_SOURCES = 20;
