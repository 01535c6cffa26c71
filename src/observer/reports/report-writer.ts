import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, hasCode } from '../../cluster/client/api-error.ts';
import { Backoff } from '../../cluster/client/backoff.ts';
import { Pace } from '../../cluster/client/pace.ts';
import { CurrentProblem } from '../../base/text/current-problem.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { discoverReportApis, reportsPath } from './report-api.ts';
import { deleteReports, isForeign, putReport, removeReport } from './report-requests.ts';
import { ReportMirror } from './report-mirror.ts';
import { reportName } from './report-object.ts';
import { NamespacePauses } from './namespace-pauses.ts';
import { ReportQueue } from './report-queue.ts';
import type { ObservedWorkload } from '../observed-workload.ts';
import type { ScanDependencies } from '../scan/scan-dependencies.ts';
import type { WorkloadRecords } from '../scan/workload-records.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';
import type { ReportTarget } from './report-api.ts';
import type { ReportContent } from './report-object.ts';
import type { ReportCounts, ReportStatus } from './report-metrics.ts';
import type { QueuedReport } from './report-queue.ts';

/** The facts that the scan has about workloads. */
export interface JudgedWorkloads {
  readonly records: () => WorkloadRecords;
  /** True while every workload of the cluster has a record. */
  readonly isComplete: () => boolean;
  readonly resolve: (workload: WorkloadName, uid: string) => ObservedWorkload | undefined;
  /** Reads and judges a workload. Rejects as ApiClient.request does. */
  readonly read: (workload: WorkloadName) => Promise<ReportContent | undefined>;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

const WRITES_PER_SECOND = 10;
/** How often to ask which report APIs there are: their CRDs may be installed at any time. */
const DISCOVERY_MILLISECONDS = 60_000;
const IDLE_MILLISECONDS = 100;
const PAUSES = { minimum: 1_000, maximum: 60_000 };
const LONGEST_RETRY_AFTER = 60_000;

/**
 * Writes the reports of workloads, at a limited rate. A report is written only if its content hash differs from the
 * hash in the cluster. Only reports with our label and our prefix are touched.
 */
export class ReportWriter implements ReportStatus {
  readonly counts: Writable<ReportCounts> = { written: 0, deleted: 0, failed: 0 };
  readonly #dependencies: ScanDependencies;
  readonly #workloads: JudgedWorkloads;
  readonly #queue = new ReportQueue();
  readonly #stopped = new AbortController();
  readonly #pace: Pace;
  /** The pauses of all writes while the API server is not available. */
  readonly #backoff: Backoff;
  readonly #pauses: NamespacePauses;
  readonly #problem = new CurrentProblem();
  /** Undefined until the API server has been asked. */
  #found: ReportTarget | undefined;
  #mirror: ReportMirror | undefined;
  /** APIs in which no report of ours is left. */
  readonly #emptied = new Set<string>();

  constructor(dependencies: ScanDependencies, workloads: JudgedWorkloads) {
    this.#dependencies = dependencies;
    this.#workloads = workloads;
    this.#pace = new Pace(WRITES_PER_SECOND, dependencies.monotonic);
    this.#backoff = new Backoff(PAUSES, dependencies.random);
    this.#pauses = new NamespacePauses(PAUSES, dependencies.random);
  }

  start(): void {
    void this.#keepDiscovering();
    void this.#keepWriting();
  }

  stop(): void {
    this.#stopped.abort();
    this.#mirror?.stop();
    this.#queue.clear();
  }

  /** The verdict on a workload has changed. */
  changed(content: ReportContent): void {
    // Before the mirror is complete, `reconcile` compares all workloads with it at once.
    if (this.#mirror?.isSynced !== true) return;
    const { workload } = content;
    this.#queue.add({ namespace: workload.namespace, uid: workload.uid, workload, content });
  }

  /** The results that no check makes have changed. */
  reread(workload: WorkloadName): void {
    const record = this.#workloads.records().find(workload);
    if (record === undefined || this.#found?.target === undefined) return;
    this.#queue.add({ namespace: workload.namespace, uid: record.uid, workload, content: undefined });
  }

  gone(namespace: string, uid: string): void {
    this.#queue.add({ namespace, uid, workload: undefined, content: undefined });
  }

  /**
   * Compares all workloads with the reports in the cluster.
   *
   * @param isComplete every workload is known: a report of another workload is deleted
   */
  reconcile(isComplete: boolean): void {
    const mirror = this.#mirror;
    if (mirror?.isSynced !== true) return;
    const { includeClean } = this.#dependencies.reportSettings;
    const names = new Set<string>();
    this.#workloads.records().forEach((workload, { uid, digest, isClean }) => {
      const name = reportName(uid);
      names.add(`${workload.namespace}/${name}`);
      const wanted = isClean && !includeClean ? undefined : digest;
      if (mirror.hashOf(workload.namespace, name) !== wanted)
        this.#queue.add({ namespace: workload.namespace, uid, workload, content: undefined });
    });
    if (!isComplete) return;
    mirror.forEach((namespace, name) => {
      if (!names.has(`${namespace}/${name}`)) this.gone(namespace, name.slice(reportName('').length));
    });
  }

  details(): Readonly<Record<string, unknown>> {
    const problem = this.#problem.text;
    return {
      api: this.#found?.target?.apiVersion ?? null,
      reports: this.#mirror?.size ?? 0,
      waiting: this.#queue.size,
      ...(problem !== undefined && { problem }),
    };
  }

  /** Reports that wait to be written. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Why reports cannot be written now. Undefined while they can. */
  get problem(): string | undefined {
    return this.#problem.text;
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #keepDiscovering(): Promise<void> {
    const { client, reportSettings } = this.#dependencies;
    while (!this.#isStopped()) {
      let pause = DISCOVERY_MILLISECONDS;
      try {
        const found = await discoverReportApis(client, reportSettings.setting);
        if (!this.#isStopped()) await this.#use(found);
      } catch (error) {
        // Nothing is concluded from an answer that did not come: the reports stay where they are.
        this.#tell(messageOf(error));
        pause = this.#backoff.next();
      }
      await this.#pause(pause);
    }
  }

  async #use(found: ReportTarget): Promise<void> {
    const { log, client, now, random, watchRenewal, reportSettings } = this.#dependencies;
    const isOther = this.#found === undefined || this.#found.target?.name !== found.target?.name;
    this.#found = found;
    if (isOther) {
      log.info({ setting: reportSettings.setting, api: found.target?.apiVersion ?? null }, 'report API chosen');
      this.#mirror?.stop();
      this.#mirror = undefined;
      this.#queue.clear();
      this.#pauses.clear();
      this.#emptied.clear();
      if (found.target !== undefined) {
        const troubled = (problem: string | undefined): void => {
          this.#tell(problem);
        };
        const mirror = new ReportMirror(client, found.target, troubled, { now, random }, watchRenewal);
        this.#mirror = mirror;
        void mirror.start().then(() => {
          if (!this.#isStopped()) this.reconcile(this.#workloads.isComplete());
        });
      }
    }
    for (const api of found.served) {
      if (api.name === found.target?.name || this.#emptied.has(api.name)) continue;
      await this.#removeAll(api);
      this.#emptied.add(api.name);
    }
  }

  /** Deletes our reports of an API that is not written to. */
  async #removeAll(api: ReportApi): Promise<void> {
    const { client, log } = this.#dependencies;
    const { signal } = this.#stopped;
    const count = await deleteReports(client, api, this.#pace, signal);
    this.counts.deleted += count;
    if (count > 0) log.info({ api: api.apiVersion, reports: count }, 'reports of another API deleted');
  }

  async #keepWriting(): Promise<void> {
    while (!this.#isStopped()) {
      const mirror = this.#mirror;
      const now = this.#dependencies.monotonic();
      const isPaused = (namespace: string): boolean => this.#pauses.isPaused(namespace, now);
      const report = mirror?.isSynced === true ? this.#queue.take(isPaused) : undefined;
      if (mirror === undefined || report === undefined) {
        await this.#pause(IDLE_MILLISECONDS);
        continue;
      }
      try {
        await this.#bring(report, mirror);
        this.#backoff.reset();
        this.#pauses.succeeded(report.namespace);
        this.#tell(undefined);
      } catch (error) {
        if (this.#isStopped()) return;
        await this.#failed(report, error);
      }
    }
  }

  /** Makes the report in the cluster say what it has to say. */
  async #bring(report: QueuedReport, mirror: ReportMirror): Promise<void> {
    const { client, now, reportSettings } = this.#dependencies;
    const { signal } = this.#stopped;
    const { namespace, uid } = report;
    const name = reportName(uid);
    const content = await this.#contentOf(report);
    const isWanted = content !== undefined && (content.results.length > 0 || reportSettings.includeClean);
    const known = mirror.hashOf(namespace, name);
    if (known === (isWanted ? content.hash : undefined)) return;
    await this.#pace.turn(signal);
    const path = `${reportsPath(mirror.api, namespace)}/${name}`;
    if (isWanted) {
      await putReport(client, path, content, mirror.api, Math.floor(now() / 1000), signal);
      mirror.note(namespace, name, content.hash);
      this.counts.written += 1;
    } else {
      await removeReport(client, path, signal);
      mirror.note(namespace, name, undefined);
      this.counts.deleted += 1;
    }
  }

  /** Undefined when the workload is gone. */
  async #contentOf({ workload, content, uid }: QueuedReport): Promise<ReportContent | undefined> {
    if (workload === undefined) return undefined;
    const record = this.#workloads.records().find(workload);
    if (record?.uid !== uid) return undefined;
    if (content !== undefined && record.digest === content.hash) return content;
    try {
      await this.#pace.turn(this.#stopped.signal);
      const read = await this.#workloads.read(workload);
      if (read === undefined && this.#workloads.records().find(workload)?.uid === uid)
        throw new NotJudged(`${workload.namespace}/${workload.name} cannot be judged now`);
      return read;
    } catch (error) {
      if (hasCode(error, 404)) return undefined;
      throw error;
    }
  }

  /**
   * A busy or absent API server gets the same report later, and no other report meanwhile. Any other failure may be the
   * namespace's own: a foreign report, a quota, an admission webhook. Then only that namespace waits. A report that is
   * refused waits for the next scan.
   */
  async #failed(report: QueuedReport, error: unknown): Promise<void> {
    this.counts.failed += 1;
    if (isTerminating(error)) return;
    const { namespace } = report;
    const isOfAll = isAway(error);
    // A missing right may be granted again, and a conflict is another writer. Other refusals stay.
    const isPassing = isOfAll || (error instanceof ApiError && (error.code >= 500 || [403, 409].includes(error.code)));
    if (isPassing) this.#queue.add(report);
    this.#tell(messageOf(error));
    if (!isOfAll) return this.#pauses.failed(namespace, this.#dependencies.monotonic());
    const asked = error instanceof ApiError ? Math.min(error.retryAfterMilliseconds, LONGEST_RETRY_AFTER) : 0;
    await this.#pause(Math.max(asked, this.#backoff.next()));
  }

  #tell(problem: string | undefined): void {
    if (this.#isStopped()) return;
    const { log } = this.#dependencies;
    const news = this.#problem.note(problem);
    if (news === 'ended') log.info('reports can be written again');
    else if (news === 'began') log.warn({ problem }, 'reports cannot be written now');
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }
}

/** The workload is there without a verdict: its report stays as it is. */
class NotJudged extends Error {}

/** The API server cannot be reached, or takes no request now. */
function isAway(error: unknown): boolean {
  if (isForeign(error) || error instanceof NotJudged) return false;
  return !(error instanceof ApiError) || [401, 408, 429, 502, 503, 504].includes(error.code);
}

/** The namespace is being deleted, and the report would be deleted with it. */
function isTerminating(error: unknown): boolean {
  return hasCode(error, 403) && messageOf(error).includes('because it is being terminated');
}
