import { randomUUID } from 'node:crypto';
import { Pace } from '../../cluster/client/pace.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { discoverKinds } from '../../cluster/sources/cluster-kinds.ts';
import { isPod, workloadKind } from '../../engine/workload/kinds.ts';
import { isKubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { collectionOf, workloadOf } from '../observed-workload.ts';
import { affectedNamespaces, union } from './affected-namespaces.ts';
import { exceptionEnds } from './exception-ends.ts';
import { listsFor, POD_KIND_OBSERVED } from './list-plan.ts';
import { PermittedKinds } from './permitted-kinds.ts';
import { Rescans } from './rescans.ts';
import { ScanLists } from './scan-lists.ts';
import { UnlistedWorkloads } from './unlisted-workloads.ts';
import { Verdicts } from './verdicts.ts';
import { WorkloadWatches } from './workload-watches.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObservedKind, ObservedWorkload } from '../observed-workload.ts';
import type { WorkloadName } from '../workload-key.ts';
import type { ReportContent } from '../reports/report-object.ts';
import type { ReportWriter } from '../reports/report-writer.ts';
import type { ListToRead } from './scan-lists.ts';
import type { NamespaceNames } from './namespace-names.ts';
import type { AffectedNamespaces } from './affected-namespaces.ts';
import type { ScanDependencies } from './scan-dependencies.ts';
import type { ScanStatus } from './scan-status.ts';
import type { Run } from './verdicts.ts';

/** Requests of lists in a second. */
const REQUESTS_PER_SECOND = 40;
/** While the kinds of the API server cannot be found out. */
const DISCOVERY_RETRY_MILLISECONDS = 5_000;
/**
 * How often to look for an instant that has come. A long timer overflows, and does not run while the machine sleeps.
 */
const TICK_MILLISECONDS = 1_000;

/**
 * The scan while this replica leads: watches, records and rescans. The scan is dropped when this replica stops leading.
 */
export class LeadingScan {
  readonly verdicts: Verdicts;
  readonly #dependencies: ScanDependencies;
  readonly #status: ScanStatus;
  readonly #pods: NamespaceNames;
  readonly #reports: ReportWriter;
  readonly #stopped = new AbortController();
  readonly #watches: WorkloadWatches;
  readonly #permitted: PermittedKinds;
  readonly #rescans: Rescans;
  readonly #unlisted: UnlistedWorkloads;
  #startRun: Run | undefined;
  #lastRunId = '';
  /** Kinds that have been read whole, or could not be read, since the start. */
  readonly #settled = new Set<string>();
  /** True while the last scan has read all lists whole, also those of Pods without a controller. */
  #areAllListed = false;
  #before: Snapshot | undefined;
  #nextScan = Infinity;
  /** Exceptions that have ended up to this instant have been noticed. */
  #noticed: number;
  #timers: NodeJS.Timeout[] = [];

  constructor(dependencies: ScanDependencies, status: ScanStatus, pods: NamespaceNames, reports: ReportWriter) {
    const { client, log, now, monotonic, random, watchRenewal } = dependencies;
    this.#dependencies = dependencies;
    this.#status = status;
    this.#pods = pods;
    this.#reports = reports;
    this.#noticed = now();
    this.verdicts = new Verdicts(dependencies, reports);
    this.#unlisted = new UnlistedWorkloads(this.verdicts.records);
    const clock = { now, random };
    this.#watches = new WorkloadWatches(
      client,
      {
        applied: (object, kind) => this.seen(object, kind),
        deleted: (object, kind) => this.gone(object, kind),
        began: (kind) => this.began(kind),
        // The watch counts as complete only after this callback.
        listed: (kind) => {
          this.listed(kind);
          queueMicrotask(() => this.#settle(kind));
        },
        troubled: (kind, problem) => {
          const path = collectionOf(kind);
          if (problem === undefined) {
            log.info({ path }, 'workloads can be watched again');
            this.#rescans.retryNow();
          } else log.warn({ path, problem }, 'workloads cannot be watched now');
          this.#settle(kind);
        },
      },
      clock,
      { renewalMilliseconds: watchRenewal },
    );
    this.#permitted = new PermittedKinds(client, (resource) => {
      log.info({ resource }, 'the observer leaves out a kind that is not configured');
    });
    const lists = new ScanLists(client, new Pace(REQUESTS_PER_SECOND, monotonic), clock, this.#stopped.signal);
    this.#rescans = new Rescans({
      lists,
      verdicts: this.verdicts,
      status,
      plan: (scope) => this.#plan(scope),
      take: (object, kind, run) => this.take(object, kind, run),
      finished: (isComplete) => {
        this.#nextScan = now() + dependencies.scanInterval;
        this.#areAllListed = isComplete && this.#pods.isListed;
        reports.reconcile(this.isComplete);
      },
      log,
      now,
      random,
      isStopped: () => this.#stopped.signal.aborted,
    });
  }

  /** True while every workload of the cluster has a record: a report of another workload is out of date. */
  get isComplete(): boolean {
    return this.#areAllListed && this.#watches.isComplete;
  }

  /** Begins once there are policies: without policies, each verdict would be wrong. */
  start(): void {
    this.#timers.push(setInterval(() => this.#tick(), TICK_MILLISECONDS).unref());
    this.policiesChanged();
  }

  stop(): void {
    this.#stopped.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#watches.stop();
    this.#rescans.stop();
  }

  /** Policies or facts have changed, or are there for the first time. */
  policiesChanged(): void {
    const { store } = this.#dependencies;
    const [before, after] = [this.#before, store.current];
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

  /** A watch begins to list all workloads of a kind. */
  began(kind: ObservedKind): void {
    this.#unlisted.began(kind);
  }

  /** A workload of the list, or of the watch after it. */
  seen(object: KubernetesObject, kind: ObservedKind): void {
    this.#unlisted.shown(object.metadata.uid, kind);
    this.take(object, kind);
  }

  /** The list is complete: what it has not shown was deleted while there was no watch. */
  listed(kind: ObservedKind): void {
    for (const workload of this.#unlisted.listed(kind)) this.verdicts.forget(workload);
  }

  take(object: KubernetesObject, kind: ObservedKind, run?: Run): ReportContent | undefined {
    try {
      return this.verdicts.take(object, kind, run ?? this.#eventRun());
    } catch (error) {
      const { namespace, name } = object.metadata;
      this.#dependencies.log.error(
        { err: error, path: collectionOf(kind), namespace, name },
        'a workload cannot be judged',
      );
      return undefined;
    }
  }

  gone(object: KubernetesObject, kind: ObservedKind): void {
    const workload = workloadOf(object, kind);
    if (workload !== undefined) this.verdicts.forget(workload);
  }

  /** The workload with what its report needs. Undefined if its kind is not watched. */
  resolve(workload: WorkloadName, uid: string): ObservedWorkload | undefined {
    const kind = this.#kindOf(workload);
    return kind && { ...workload, apiVersion: kind.served.apiVersion, uid };
  }

  /** Reads a workload and judges it. Undefined when the workload is not there, or is not looked at. */
  async read(workload: WorkloadName): Promise<ReportContent | undefined> {
    const kind = this.#kindOf(workload);
    if (kind === undefined) return undefined;
    const path = `${collectionOf(kind, workload.namespace)}/${encodeURIComponent(workload.name)}`;
    const object = await this.#dependencies.client.request({ method: 'GET', path, signal: this.#stopped.signal });
    return isKubernetesObject(object) ? this.take(object, kind) : undefined;
  }

  #kindOf({ group, kind }: WorkloadName): ObservedKind | undefined {
    return group === '' && kind === 'Pod' ? POD_KIND_OBSERVED : this.#watches.find(group, kind);
  }

  /** An event belongs to the scan before it. */
  #eventRun(): Run {
    if (this.#startRun !== undefined) return this.#startRun;
    return { id: this.#lastRunId, now: this.#dependencies.now(), number: this.#status.runs };
  }

  /** The first scan: the first list of each watch, and the Pods without a controller. */
  async #begin(): Promise<void> {
    const { log, now } = this.#dependencies;
    const run: Run = { id: randomUUID(), now: now(), number: this.#status.begin() };
    this.#startRun = run;
    this.#lastRunId = run.id;
    log.info({ scan: run.id, reason: 'start', namespaces: 'all' }, 'scan_started');
    while (!this.#stopped.signal.aborted && !(await this.#follow())) await this.#pause(DISCOVERY_RETRY_MILLISECONDS);
    this.#settle(undefined);
  }

  #settle(kind: ObservedKind | undefined): void {
    if (kind !== undefined) this.#settled.add(collectionOf(kind));
    const run = this.#startRun;
    const { kinds } = this.#watches;
    if (run === undefined || kinds.length === 0 || !kinds.every((each) => this.#settled.has(collectionOf(each))))
      return;
    const { log, now, scanInterval } = this.#dependencies;
    this.#startRun = undefined;
    this.#status.end(run);
    const workloads = this.verdicts.records.size;
    log.info(
      { scan: run.id, reason: 'start', workloads, problems: 0, durationMs: this.#status.lastDuration },
      'scan_finished',
    );
    this.#nextScan = now() + scanInterval;
    this.#reports.reconcile(false);
    this.podsListed();
  }

  /** Watches the kinds that the API server has now. False if it cannot be asked. */
  async #follow(): Promise<boolean> {
    const { client, kinds: known, log } = this.#dependencies;
    try {
      const { kinds, problems } = await discoverKinds(client, known);
      for (const problem of problems) log.warn({ problem }, 'kinds of workloads cannot be found out');
      const observed = kinds.flatMap((served): ObservedKind[] => {
        const templates = workloadKind(served.group, served.kind, known);
        // Pods come from the one watch of Pods. Reports are objects of a namespace.
        return templates === undefined || isPod(templates) || !served.isNamespaced ? [] : [{ served, templates }];
      });
      const permitted = await this.#permitted.among(observed);
      // A group that could not be asked keeps its watches.
      if (!this.#stopped.signal.aborted)
        this.#watches.follow(problems.length === 0 ? permitted : [...permitted, ...this.#watches.kinds]);
      return true;
    } catch (error) {
      log.warn({ problem: messageOf(error) }, 'kinds of workloads cannot be found out');
      return false;
    }
  }

  async #plan(scope: AffectedNamespaces): Promise<readonly ListToRead[]> {
    if (scope === 'all') await this.#follow();
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

  async #pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#timers.push(setTimeout(resolve, milliseconds));
      this.#stopped.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
