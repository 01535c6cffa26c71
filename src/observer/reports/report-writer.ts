import { objectPath } from '../../cluster/client/api-path.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import { ApiError, hasCode, isUnavailable, unlessMissing } from '../../cluster/client/api-client.ts';
import { RateLimiter } from '../../cluster/client/rate-limiter.ts';
import { RepeatedWork } from '../../cluster/client/timing.ts';
import { Reconciler, type Setback, type Task } from '../../cluster/reconcile.ts';
import { gauge } from '../gauges.ts';
import {
  KnownReports,
  ReportRefused,
  discoverReportApis,
  removeReports,
  reportKey,
  writeReport,
} from './report-api.ts';
import { reportName, type ReportContent } from './report-object.ts';
import { Counter, type Registry } from 'prom-client';
import { workloadKey, type NamedObject } from '../observed-workload.ts';
import {
  recordOf,
  type Outdated,
  type ScanDependencies,
  type WorkloadRecord,
  type WorkloadRecords,
} from '../scan/verdicts.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';

export interface JudgedWorkloads {
  readonly verdicts: { readonly records: WorkloadRecords };
  readonly isComplete: boolean;
  /** Reads and judges a workload. Rejects as ApiClient.request does. */
  read(workload: NamedObject): Promise<ReportContent | Outdated | undefined>;
}

/** A report that may have to be written. The namespace is its lane: a tenant's failures delay no other tenant. */
interface ReportTask extends Task {
  readonly lane: string;
  readonly uid: string;
  /** Undefined = the workload is gone, so its report goes, too. */
  readonly workload: NamedObject | undefined;
}

const WRITES_PER_SECOND = 10;
const PAUSES = { minimum: 1_000, maximum: 60_000 };
/** How often to ask which report APIs there are: their CRDs may be installed at any time. */
const DISCOVERY_MILLISECONDS = 60_000;

/**
 * Writes the reports of workloads, at a limited rate. Each workload is read and judged again when its turn comes. A
 * report is written only if its content hash differs from the hash in the cluster. Only reports with our label and our
 * prefix are touched.
 */
export class ReportWriter {
  readonly #dependencies: ScanDependencies;
  readonly #workloads: JudgedWorkloads;
  readonly #writes: ReportWrites;
  readonly #queue: Reconciler<ReportTask>;
  readonly #discovery: RepeatedWork;
  readonly #stopped = new AbortController();
  readonly #pace: RateLimiter;
  readonly #problem = new CurrentProblem();
  /** The API that is written to; `unknown` until the API server has been asked. */
  #target: ReportApi | 'unknown' | undefined = 'unknown';
  #known: KnownReports | undefined;
  /** Resolves once all reports are known. */
  #synced: Promise<void> = Promise.resolve();
  /** Workloads with live findings that have come while there was no API to write to. */
  readonly #early = new Map<string, NamedObject>();
  /** APIs in which no report of ours is left. */
  readonly #emptied = new Set<string>();

  constructor(dependencies: ScanDependencies, workloads: JudgedWorkloads, writes: ReportWrites) {
    this.#dependencies = dependencies;
    this.#workloads = workloads;
    this.#writes = writes;
    this.#discovery = new RepeatedWork(() => this.#discover(), DISCOVERY_MILLISECONDS, dependencies.random);
    this.#pace = new RateLimiter(WRITES_PER_SECOND, dependencies.monotonic);
    this.#queue = new Reconciler<ReportTask>({
      write: (report, signal) => this.#write(report, signal),
      succeeded: () => this.#note(undefined),
      failed: (_, error) => this.#failed(error),
      pauses: { all: PAUSES, lane: PAUSES },
      pace: this.#pace,
      random: dependencies.random,
    });
  }

  start(): void {
    this.#discovery.start();
  }

  stop(): void {
    this.#stopped.abort();
    this.#discovery.stop();
    this.#known?.reflector.stop();
    this.#queue.setActive(false);
  }

  changed({ workload, digest, isClean }: WorkloadRecord): void {
    const { namespace, uid } = workload;
    const wanted = isClean && !this.#dependencies.reportSettings.includeClean ? undefined : digest;
    // Before all reports are known, `reconcile` compares all workloads with them at once.
    if (this.#known?.isSynced !== true) return;
    const task = taskOf(namespace, uid, workload);
    // What waits or is under way may be the deletion of the report: the workload was gone, and is there again.
    if (this.#known.get(task.key) !== wanted || this.#queue.has(task)) this.#queue.put(task);
  }

  extraResultsChanged(workload: NamedObject): void {
    if (this.#known === undefined) return this.#noteEarly(workload);
    const record = recordOf(this.#workloads.verdicts.records, workload);
    if (record !== undefined) this.#queue.put(taskOf(workload.namespace, record.workload.uid, workload));
  }

  gone(namespace: string, uid: string): void {
    const task = taskOf(namespace, uid, undefined);
    const mayHaveReport = this.#known?.isSynced !== true || this.#known.has(task.key);
    if (mayHaveReport || this.#queue.has(task)) this.#queue.put(task);
  }

  /** Compares all workloads with the reports. `isComplete`: a report of an unknown workload is deleted. */
  reconcile(isComplete: boolean): void {
    if (this.#known?.isSynced !== true) return;
    const ofWorkloads = new Set<string>();
    for (const record of this.#workloads.verdicts.records.values()) {
      const { namespace, uid } = record.workload;
      ofWorkloads.add(taskOf(namespace, uid, undefined).key);
      this.changed(record);
    }
    if (!isComplete) return;
    for (const key of this.#known.keys()) {
      const [namespace = '', name = ''] = key.split('/');
      if (!ofWorkloads.has(key)) this.gone(namespace, name.slice(reportName('').length));
    }
  }

  details(): Readonly<Record<string, unknown>> {
    const { problem, waiting } = this;
    return {
      api: this.#known?.api.apiVersion ?? null,
      reports: this.#known?.size ?? 0,
      waiting,
      ...(problem !== undefined && { problem }),
    };
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get problem(): string | undefined {
    return this.#problem.text;
  }

  #noteEarly(workload: NamedObject): void {
    const key = workloadKey(workload);
    if (this.#dependencies.extraResults.of(workload).length > 0) this.#early.set(key, workload);
    else this.#early.delete(key);
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #discover(): Promise<boolean> {
    const { log, client, reportSettings } = this.#dependencies;
    const { setting } = reportSettings;
    try {
      const { target, served } = await discoverReportApis(client, setting);
      if (this.#isStopped()) return true;
      if (this.#target === 'unknown' || this.#target?.name !== target?.name) {
        log.info({ setting, api: target?.apiVersion ?? null }, 'report API chosen');
        this.#inform(target);
      }
      // Our reports in an API that is not written to are deleted.
      for (const api of served) {
        if (api.name === target?.name || this.#emptied.has(api.name)) continue;
        const count = await removeReports(client, api, this.#pace, this.#stopped.signal);
        this.#writes.inc({ result: 'deleted' }, count);
        if (count > 0) log.info({ api: api.apiVersion, reports: count }, 'reports of another API deleted');
        this.#emptied.add(api.name);
      }
      return true;
    } catch (error) {
      // Nothing is concluded from an answer that did not come: the reports stay where they are.
      this.#note(messageOf(error));
      return false;
    }
  }

  #inform(target: ReportApi | undefined): void {
    this.#target = target;
    this.#queue.setActive(false);
    this.#emptied.clear();
    this.#known?.reflector.stop();
    this.#known = target && new KnownReports(this.#dependencies, target, (problem) => this.#note(problem));
    if (this.#known === undefined) return;
    this.#queue.setActive(true);
    this.#synced = this.#known.reflector.start();
    void this.#synced.then(() => {
      this.reconcile(this.#workloads.isComplete);
      for (const workload of this.#early.values()) this.extraResultsChanged(workload);
      this.#early.clear();
    });
  }

  async #write(report: ReportTask, signal: AbortSignal): Promise<void> {
    const { client, now, reportSettings } = this.#dependencies;
    const { key, lane: namespace, uid } = report;
    await this.#synced;
    const known = this.#known;
    const judged = await this.#contentOf(report);
    const content = judged?.results.length === 0 && !reportSettings.includeClean ? undefined : judged;
    if (known === undefined || known.get(key) === content?.hash) return;
    const path = objectPath(known.api, { namespace, name: reportName(uid) });
    const seconds = Math.floor(now() / 1000);
    const written = await writeReport(client, path, content, known.api, seconds, signal).catch((error: unknown) => {
      if (mayBeDone(error)) known.doubt(key);
      throw error;
    });
    known.wrote(key, content?.hash, written);
    this.#writes.inc({ result: content === undefined ? 'deleted' : 'written' });
  }

  /** Undefined when the workload is gone. Rejects when it is there without a verdict: its report stays as it is. */
  async #contentOf({ workload, uid }: ReportTask): Promise<ReportContent | undefined> {
    if (workload === undefined) return undefined;
    const isKnown = (): boolean => recordOf(this.#workloads.verdicts.records, workload)?.workload.uid === uid;
    if (!isKnown()) return undefined;
    const answer = () => unlessMissing(this.#workloads.read(workload).then((read) => ({ read })));
    let content = await answer();
    // A watch has shown a later version meanwhile, perhaps with the same verdict: nobody would put the report again.
    if (content?.read === 'outdated') content = await answer();
    if (content?.read === 'outdated')
      throw new Overtaken(`${workload.namespace}/${workload.name} changes all the time`);
    if (content !== undefined && content.read === undefined && isKnown())
      throw new ReportRefused(`${workload.namespace}/${workload.name} cannot be judged now`);
    return content?.read;
  }

  /**
   * A busy or absent API server gets the same report later, and no other report meanwhile. Any other failure may be the
   * namespace's own: a foreign report, a quota, an admission webhook. Then only that namespace waits. A report that is
   * refused waits for the next scan.
   */
  #failed(error: unknown): Setback {
    if (error instanceof Overtaken) return { pauses: 'lane', isForLater: true };
    this.#writes.inc({ result: 'failed' });
    // The report would be deleted with its namespace.
    if (hasCode(error, 403) && messageOf(error).includes('because it is being terminated'))
      return { pauses: 'nobody', isForLater: false };
    this.#note(messageOf(error));
    if (!(error instanceof ReportRefused) && isUnavailable(error)) return { pauses: 'all', isForLater: true };
    // A missing right may be granted again, and a conflict is another writer. Other refusals stay.
    const isForLater = error instanceof ApiError && (error.code >= 500 || [403, 409].includes(error.code));
    return { pauses: 'lane', isForLater };
  }

  #note(problem: string | undefined): void {
    if (this.#isStopped()) return;
    const { log } = this.#dependencies;
    const news = this.#problem.note(problem);
    if (news === 'ended') log.info('reports can be written again');
    else if (news === 'began') log.warn({ problem }, 'reports cannot be written now');
  }
}

/** Nothing was written: each answer about the workload was older than what a watch had shown by then. */
class Overtaken extends Error {}

/** True where no API server has said that a write is not done. */
function mayBeDone(error: unknown): boolean {
  return error instanceof ApiError ? [408, 502, 504].includes(error.code) : !(error instanceof ReportRefused);
}

function taskOf(lane: string, uid: string, workload: NamedObject | undefined): ReportTask {
  return { key: reportKey({ namespace: lane, name: reportName(uid) }), lane, uid, workload };
}

export type ReportWrites = Counter<'result'>;

/** Registers the metrics of reports, and returns the counter. `status`: undefined while this replica does not lead. */
export function registerReportMetrics(
  status: () => Pick<ReportWriter, 'waiting' | 'problem'> | undefined,
  registers: Registry[],
): ReportWrites {
  const writes = new Counter({
    name: 'probewright_report_writes_total',
    help: 'Writes of reports, by result: written, deleted or failed.',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of ['written', 'deleted', 'failed']) writes.inc({ result }, 0);
  const waiting = 'Reports that wait to be written, on the leading observer.';
  gauge('probewright_reports_waiting', waiting, registers, () => status()?.waiting ?? 0);
  const problem = 'Whether reports cannot be written now. /readyz names the problem.';
  gauge('probewright_reports_problem', problem, registers, () => Number(status()?.problem !== undefined));
  return writes;
}
