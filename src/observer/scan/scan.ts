import { isoTimeOrNull } from '../../process/policies.ts';
import { hasControllerOwner } from '../../engine/workload/workload-of-pod.ts';
import { OBSERVED_POD } from '../observed-workload.ts';
import { registerReportMetrics, type ReportWrites } from '../reports/report-writer.ts';
import { LeadingScan } from './leading-scan.ts';
import { registerScanMetrics, ScanStatus } from './scan-status.ts';
import { StandalonePods } from './standalone-pods.ts';
import { unknownControllers, type ScanDependencies } from './verdicts.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObserverPart } from '../observer-part.ts';

/** Judges live workloads and writes reports, on the leader. A follower only remembers the Pods without a controller. */
export class Scan implements ObserverPart {
  readonly #dependencies: ScanDependencies;
  readonly #status = new ScanStatus();
  readonly #pods = new StandalonePods();
  readonly #noteController: ReturnType<typeof unknownControllers>;
  readonly #writes: ReportWrites;
  #leading: LeadingScan | undefined;

  constructor(dependencies: ScanDependencies) {
    this.#dependencies = dependencies;
    const { registers } = dependencies;
    registerScanMetrics(this.#status, () => this.#leading?.verdicts.records, registers);
    this.#writes = registerReportMetrics(() => this.#leading?.reports, registers);
    this.#noteController = unknownControllers(dependencies.log);
    dependencies.store.onChange(() => this.#leading?.policiesChanged());
    dependencies.extraResults.onChange((workload) => this.#leading?.reports.extraResultsChanged(workload));
    dependencies.podWatch.listen({
      seen: (pod) => this.#seen(pod),
      failed: (pod) => this.#seen(pod),
      gone: (pod) => this.#gone(pod),
      listing: () => this.#leading?.listing(OBSERVED_POD),
      listed: (uids) => {
        this.#pods.listed(uids);
        this.#leading?.podsListed(uids);
      },
    });
  }

  start(): void {
    // The scan begins when this replica leads.
  }

  stop(): void {
    this.lead(false);
  }

  lead(isLeader: boolean): void {
    if (isLeader === (this.#leading !== undefined)) return;
    this.#leading?.stop();
    this.#leading = isLeader ? new LeadingScan(this.#dependencies, this.#status, this.#pods, this.#writes) : undefined;
    this.#leading?.start();
  }

  readonly details = (): Readonly<Record<string, unknown>> => {
    const { isRunning, lastStart, lastEnd, runs } = this.#status;
    return {
      scan: { running: isRunning, count: runs, lastStart: isoTimeOrNull(lastStart), lastEnd: isoTimeOrNull(lastEnd) },
      ...(this.#leading && { reports: this.#leading.reports.details() }),
    };
  };

  #seen(pod: KubernetesObject): void {
    const { namespace, uid } = pod.metadata;
    if (namespace === undefined || uid === undefined) return;
    if (hasControllerOwner(pod as unknown as JsonObject)) {
      this.#noteController(pod, 'Pod');
      // It was adopted, and the owner is judged in its place. Most Pods have had an owner from the start.
      if (this.#pods.has(uid)) this.#gone(pod);
      return;
    }
    this.#pods.set(uid, namespace);
    this.#leading?.take(pod, OBSERVED_POD);
  }

  #gone(pod: KubernetesObject): void {
    if (pod.metadata.uid !== undefined) this.#pods.delete(pod.metadata.uid);
    this.#leading?.gone(pod, OBSERVED_POD);
  }
}
