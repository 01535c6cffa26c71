import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isKubernetesObject, type KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { RateLimiter } from '../../cluster/client/rate-limit.ts';
import { collectionOf, OBSERVED_POD, workloadOf, type ObservedKind, type WorkloadName } from '../observed-workload.ts';
import {
  ScanLists,
  affectedNamespaces,
  exceptionEnds,
  listsFor,
  type AffectedNamespaces,
  type ListToRead,
  type StandalonePods,
  union,
} from './scan-lists.ts';
import { Rescans } from './rescans.ts';
import { Verdicts, type Run, type ScanDependencies } from './verdicts.ts';
import { WorkloadWatches } from './workload-watches.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ReportContent } from '../reports/report-object.ts';
import type { ReportWriter } from '../reports/report-writer.ts';
import type { ScanStatus } from './scan-status.ts';

const REQUESTS_PER_SECOND = 40;
/** While the kinds of the API server cannot be found out. */
const DISCOVERY_RETRY_MILLISECONDS = 5_000;
/** A long timer overflows, and does not run while the machine sleeps, so instants are looked for so often. */
const TICK_MILLISECONDS = 1_000;

/** The scan while this replica leads; dropped when it stops leading. */
export class LeadingScan {
  readonly verdicts: Verdicts;
  readonly #dependencies: ScanDependencies;
  readonly #status: ScanStatus;
  readonly #pods: StandalonePods;
  readonly #reports: ReportWriter;
  readonly #stopped = new AbortController();
  readonly #watches: WorkloadWatches;
  readonly #rescans: Rescans;
  #startRun: Run | undefined;
  #lastRunId = '';
  /** Kinds that have been read whole, or could not be read, since the start. */
  readonly #tried = new Set<string>();
  /** The numbers of the unfinished lists of watches, by the path of the list. */
  readonly #lists = new Map<string, number>();
  /** True while the last scan has read all lists whole, also those of Pods without a controller. */
  #areAllListed = false;
  #before: Snapshot | undefined;
  #nextScan = Infinity;
  /** Exceptions that have ended up to this instant have been noticed. */
  #noticed: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: ScanDependencies, status: ScanStatus, pods: StandalonePods, reports: ReportWriter) {
    const { client, now, monotonic, random } = dependencies;
    this.#dependencies = dependencies;
    this.#status = status;
    this.#pods = pods;
    this.#reports = reports;
    this.#noticed = now();
    this.verdicts = new Verdicts(dependencies, reports);
    this.#watches = new WorkloadWatches(dependencies, (kind) => ({
      seen: (object) => this.take(object, kind),
      gone: (object) => this.gone(object, kind),
      listing: () => this.listing(kind),
      // The watch counts as complete only after this callback.
      listed: () => {
        this.listed(kind);
        queueMicrotask(() => this.#endStart(kind));
      },
      troubled: (problem) => this.#troubled(kind, problem),
    }));
    const { signal } = this.#stopped;
    this.#rescans = new Rescans(dependencies, {
      lists: new ScanLists(client, new RateLimiter(REQUESTS_PER_SECOND, monotonic), random, signal),
      verdicts: this.verdicts,
      status,
      plan: (scope) => this.#plan(scope),
      take: (object, kind, run) => this.take(object, kind, run),
      finished: (isComplete) => {
        this.#nextScan = now() + dependencies.scanInterval;
        this.#areAllListed = isComplete && this.#pods.isListed;
        reports.reconcile(this.isComplete);
      },
      isStopped: () => signal.aborted,
    });
  }

  /** True while every workload of the cluster has a record: a report of another workload is out of date. */
  get isComplete(): boolean {
    return this.#areAllListed && this.#watches.isComplete;
  }

  /** Begins once there are policies: without policies, each verdict would be wrong. */
  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MILLISECONDS).unref();
    this.policiesChanged();
  }

  stop(): void {
    this.#stopped.abort();
    clearInterval(this.#timer);
    this.#watches.stop();
    this.#rescans.stop();
  }

  /** Policies or facts have changed, or are there for the first time. */
  policiesChanged(): void {
    const [before, after] = [this.#before, this.#dependencies.store.current];
    this.#before = after;
    if (after === undefined || before === after) return;
    if (before === undefined) void this.#begin();
    else if (this.#startRun !== undefined) this.#rescans.ask('all', 'change');
    else {
      const affected = affectedNamespaces(before, after, this.verdicts.records.namespaces);
      this.#rescans.ask(union(affected, new Set(this.verdicts.changedExemptions)), 'change');
    }
  }

  /** The watch of Pods has read a whole list: the namespaces with Pods without a controller are known. */
  podsListed(): void {
    const { namespaces, isListed } = this.#pods;
    if (!isListed || this.#before === undefined || this.#startRun !== undefined || this.#areAllListed) return;
    if (namespaces.length > 0) {
      this.#rescans.ask(new Set(namespaces), 'start');
      return;
    }
    this.#areAllListed = true;
    this.#reports.reconcile(this.isComplete);
  }

  listing(kind: ObservedKind): void {
    this.#lists.set(collectionOf(kind), this.verdicts.listBegins());
  }

  /** The list is complete: what it has not shown was deleted while there was no watch. */
  listed(kind: ObservedKind): void {
    const path = collectionOf(kind);
    const list = this.#lists.get(path);
    this.#lists.delete(path);
    const isOfKind = (one: WorkloadName): boolean => one.group === kind.served.group && one.kind === kind.served.kind;
    if (list !== undefined) this.verdicts.listEnds(list, isOfKind);
  }

  /** Judges a workload of a list or a watch. Undefined when it is not looked at. */
  take(object: KubernetesObject, kind: ObservedKind, run = this.#eventRun()): ReportContent | undefined {
    try {
      return this.verdicts.take(object, kind, run);
    } catch (error) {
      const { namespace, name } = object.metadata;
      const place = { path: collectionOf(kind), namespace, name };
      this.#dependencies.log.error({ err: error, ...place }, 'a workload cannot be judged');
      return undefined;
    }
  }

  gone(object: KubernetesObject, kind: ObservedKind): void {
    const workload = workloadOf(object, kind);
    if (workload !== undefined) this.verdicts.forget(workload);
  }

  /** Reads a workload and judges it. Undefined when the workload is not there, or is not looked at. */
  async read({ group, kind: name, ...workload }: WorkloadName): Promise<ReportContent | undefined> {
    const kind = [OBSERVED_POD, ...this.#watches.kinds].find(
      ({ served }) => served.group === group && served.kind === name,
    );
    if (kind === undefined) return undefined;
    const path = `${collectionOf(kind, workload.namespace)}/${encodeURIComponent(workload.name)}`;
    const object = await this.#dependencies.client.request({ method: 'GET', path, signal: this.#stopped.signal });
    return isKubernetesObject(object) ? this.take(object, kind) : undefined;
  }

  #eventRun(): Run {
    return this.#startRun ?? { id: this.#lastRunId, now: this.#dependencies.now() };
  }

  #troubled(kind: ObservedKind, problem: string | undefined): void {
    const { log } = this.#dependencies;
    const path = collectionOf(kind);
    if (problem === undefined) {
      log.info({ path }, 'workloads can be watched again');
      this.#rescans.retryNow();
    } else log.warn({ path, problem }, 'workloads cannot be watched now');
    this.#endStart(kind);
  }

  /** The first scan: the first list of each watch, and the Pods without a controller. */
  async #begin(): Promise<void> {
    const { log, now } = this.#dependencies;
    const { signal } = this.#stopped;
    const run: Run = { id: randomUUID(), now: now() };
    this.#status.begin(run.now);
    this.#startRun = run;
    this.#lastRunId = run.id;
    log.info({ scan: run.id, reason: 'start', namespaces: 'all' }, 'scan_started');
    while (!signal.aborted && !(await this.#watches.discover()))
      await sleep(DISCOVERY_RETRY_MILLISECONDS, undefined, { signal }).catch(() => undefined);
    this.#endStart(undefined);
  }

  /** Ends the first scan when each kind has been read whole, or could not be read. */
  #endStart(kind: ObservedKind | undefined): void {
    if (kind !== undefined) this.#tried.add(collectionOf(kind));
    const run = this.#startRun;
    const { kinds } = this.#watches;
    if (run === undefined || kinds.length === 0 || !kinds.every((each) => this.#tried.has(collectionOf(each)))) return;
    const { log, now, scanInterval } = this.#dependencies;
    this.#startRun = undefined;
    this.#status.end(run, now());
    const figures = { workloads: this.verdicts.records.size, problems: 0, durationMs: this.#status.lastDuration };
    log.info({ scan: run.id, reason: 'start', ...figures }, 'scan_finished');
    this.#nextScan = now() + scanInterval;
    this.#reports.reconcile(false);
    this.podsListed();
  }

  async #plan(scope: AffectedNamespaces): Promise<readonly ListToRead[]> {
    if (scope === 'all') await this.#watches.discover();
    const { kinds } = this.#watches;
    const lists = listsFor(scope, kinds, this.#pods.namespaces, this.verdicts.records);
    const reopened = this.verdicts.takeReopened();
    if (scope === 'all') return lists;
    return [...lists, ...reopened.flatMap((namespace) => kinds.map((kind) => ({ kind, namespace })))];
  }

  #tick(): void {
    const { now, store } = this.#dependencies;
    const present = now();
    if (present >= this.#nextScan) {
      this.#nextScan = Infinity;
      this.#rescans.ask('all', 'interval');
    }
    this.#rescans.ask(exceptionEnds(store.current, this.#noticed, present), 'expiry');
    this.#noticed = present;
  }
}
