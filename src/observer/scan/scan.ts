import { hasControllerOwner } from '../../engine/workload/controller-owner.ts';
import { registerReportMetrics } from '../reports/report-metrics.ts';
import { ReportWriter } from '../reports/report-writer.ts';
import { LeadingScan } from './leading-scan.ts';
import { POD_KIND_OBSERVED } from './list-plan.ts';
import { NamespaceNames } from './namespace-names.ts';
import { registerScanMetrics, ScanStatus } from './scan-status.ts';
import { UnknownControllers } from './unknown-controllers.ts';
import type { Registry } from 'prom-client';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ScanDependencies } from './scan-dependencies.ts';
import type { ObserverPart } from '../observer-part.ts';
import type { PodWatch } from '../pod-watch.ts';
import type { ReportCounts } from '../reports/report-metrics.ts';

/**
 * Judges live workloads and writes reports, on the leader. A follower only remembers which namespaces have Pods without
 * a controller. A new leader then need not list all Pods.
 */
export class Scan implements ObserverPart {
  readonly #dependencies: ScanDependencies;
  readonly #status: ScanStatus;
  readonly #pods = new NamespaceNames();
  readonly #unknown: UnknownControllers;
  #leading: { readonly scan: LeadingScan; readonly reports: ReportWriter } | undefined;
  #written: ReportCounts = { written: 0, deleted: 0, failed: 0 };

  constructor(dependencies: ScanDependencies, podWatch: PodWatch) {
    this.#dependencies = dependencies;
    this.#status = new ScanStatus(dependencies.now);
    this.#unknown = new UnknownControllers(dependencies.log);
    dependencies.store.onChange(() => this.#leading?.scan.policiesChanged());
    dependencies.extraResults.onChange((workload) => this.#leading?.reports.reread(workload));
    podWatch.listen({
      seen: (pod) => this.#seen(pod),
      gone: (pod) => this.#gone(pod),
      listing: () => {
        this.#pods.startList();
        this.#leading?.scan.began(POD_KIND_OBSERVED);
      },
      listed: () => {
        this.#pods.endList();
        this.#leading?.scan.listed(POD_KIND_OBSERVED);
        this.#leading?.scan.podsListed();
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
    if (this.#leading !== undefined) {
      const { scan, reports } = this.#leading;
      scan.stop();
      reports.stop();
      this.#written = added(this.#written, reports.counts);
      this.#leading = undefined;
      return;
    }
    const reports: ReportWriter = new ReportWriter(this.#dependencies, {
      records: () => scan.verdicts.records,
      isComplete: () => scan.isComplete,
      resolve: (workload, uid) => scan.resolve(workload, uid),
      read: (workload) => scan.read(workload),
    });
    const scan: LeadingScan = new LeadingScan(this.#dependencies, this.#status, this.#pods, reports);
    this.#leading = { scan, reports };
    reports.start();
    scan.start();
  }

  registerMetrics(registers: Registry[]): void {
    registerScanMetrics(this.#status, () => this.#leading?.scan.verdicts.records, registers);
    registerReportMetrics(() => {
      const reports = this.#leading?.reports;
      const counts = reports === undefined ? this.#written : added(this.#written, reports.counts);
      return { counts, waiting: reports?.waiting ?? 0, problem: reports?.problem };
    }, registers);
  }

  readonly details = (): Readonly<Record<string, unknown>> => {
    const { isRunning, lastStart, lastEnd, runs } = this.#status;
    const instant = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
    return {
      scan: { running: isRunning, count: runs, lastStart: instant(lastStart), lastEnd: instant(lastEnd) },
      ...(this.#leading && { reports: this.#leading.reports.details() }),
    };
  };

  #seen(pod: KubernetesObject): void {
    const { namespace, name } = pod.metadata;
    if (namespace === undefined) return;
    if (hasControllerOwner(pod as unknown as JsonObject)) {
      this.#unknown.note(pod as unknown as JsonObject, { namespace, name, kind: 'Pod' });
      return;
    }
    this.#pods.add(namespace, name);
    this.#leading?.scan.seen(pod, POD_KIND_OBSERVED);
  }

  #gone(pod: KubernetesObject): void {
    const { namespace, name } = pod.metadata;
    if (namespace === undefined) return;
    this.#pods.delete(namespace, name);
    this.#leading?.scan.gone(pod, POD_KIND_OBSERVED);
  }
}

function added(one: ReportCounts, other: ReportCounts): ReportCounts {
  return {
    written: one.written + other.written,
    deleted: one.deleted + other.deleted,
    failed: one.failed + other.failed,
  };
}
