import { collectionPath, objectPath } from '../../cluster/client/api-path.ts';
import { randomUUID } from 'node:crypto';
import { isKubernetesObject, type KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { Backoff, pause, RepeatedWork } from '../../cluster/client/timing.ts';
import { OBSERVED_POD, workloadOf, type NamedObject, type ObservedKind } from '../observed-workload.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { RateLimiter } from '../../cluster/client/rate-limiter.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import { affectedNamespaces, exceptionEnds, union, type AffectedNamespaces } from './affected-namespaces.ts';
import { kindKey, listsFor } from './scan-lists.ts';
import {
  recordOf,
  Verdicts,
  type Outdated,
  type ScanRun,
  type ScanDependencies,
  type WorkloadRecord,
} from './verdicts.ts';
import { WorkloadWatches } from './workload-watches.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ReportContent } from '../reports/report-object.ts';
import { ReportWriter, type ReportWrites } from '../reports/report-writer.ts';
import type { StandalonePods } from './standalone-pods.ts';
import type { ScanStatus } from './scan-status.ts';

type ScanReason = 'start' | 'interval' | 'change' | 'expiry' | 'retry';

const REQUESTS_PER_SECOND = 40;
/** While the kinds of the API server cannot be found out. */
const DISCOVERY_RETRY_MILLISECONDS = 5_000;
/** While one of the groups of the API server does not answer. */
const DISCOVERY_MILLISECONDS = 60_000;
/** A long timer overflows, and does not run while the machine sleeps, so instants are looked for so often. */
const TICK_MILLISECONDS = 1_000;
/** The pauses after scans that could not list everything. */
const RETRIES = { minimum: 5_000, maximum: 60_000 };

/** The scan while this replica leads; dropped when it stops leading. Scans run one after the other. */
export class LeadingScan {
  readonly verdicts: Verdicts;
  readonly reports: ReportWriter;
  readonly #dependencies: ScanDependencies;
  readonly #status: ScanStatus;
  readonly #pods: StandalonePods;
  readonly #stopped = new AbortController();
  readonly #watches: WorkloadWatches;
  readonly #pace: RateLimiter;
  readonly #work: RepeatedWork;
  readonly #backoff: Backoff;
  /** The run of all that watches show. */
  readonly #runId = randomUUID();
  #isStarting = false;
  /** What is asked for during a scan becomes one further scan. */
  #asked: { readonly scope: AffectedNamespaces; readonly reason: ScanReason } | undefined;
  /** True while the last scan has read all lists whole, also those of Pods without a controller. */
  #areAllListed = false;
  #before: Snapshot | undefined;
  #nextScan = Infinity;
  /** Exceptions that have ended up to this instant have been noticed. */
  #noticed: number;
  #nextDiscovery = Infinity;
  /** The UIDs of what has gone since the scan under way began: a page may still have it. */
  #goneSince: Set<string> | undefined;

  constructor(dependencies: ScanDependencies, status: ScanStatus, pods: StandalonePods, writes: ReportWrites) {
    const { monotonic, random } = dependencies;
    this.#dependencies = dependencies;
    this.#status = status;
    this.#pods = pods;
    this.#noticed = dependencies.now();
    this.reports = new ReportWriter(dependencies, this, writes);
    this.verdicts = new Verdicts(dependencies, this.reports);
    this.#watches = new WorkloadWatches(dependencies, (kind) => ({
      seen: (objects) => objects.forEach((object) => this.take(object, kind)),
      gone: (object) => this.gone(object, kind),
      listing: () => this.listing(kind),
      listed: (uids) => this.listed(kind, uids),
      troubled: (problem) => {
        const path = collectionPath(kind.served);
        if (problem === undefined) dependencies.log.info({ path }, 'workloads can be watched again');
        else dependencies.log.warn({ path, problem }, 'workloads cannot be watched now');
      },
    }));
    this.#pace = new RateLimiter(REQUESTS_PER_SECOND, monotonic);
    this.#work = new RepeatedWork(() => this.#round(), TICK_MILLISECONDS, random);
    this.#backoff = new Backoff(RETRIES, random);
  }

  /** True while every workload of the cluster has a record: a report of another workload is out of date. */
  get isComplete(): boolean {
    return this.#areAllListed && this.#watches.isComplete;
  }

  /** Begins once there are policies: without policies, each verdict would be wrong. */
  start(): void {
    // Nobody has told this replica what has gone while another one led.
    this.#dependencies.failing.forgetStates();
    this.reports.start();
    this.#work.start();
    this.policiesChanged();
  }

  stop(): void {
    this.#stopped.abort();
    this.#work.stop();
    this.#watches.stop();
    this.reports.stop();
  }

  /** Policies or facts have changed, or are there for the first time. */
  policiesChanged(): void {
    const [before, after] = [this.#before, this.#dependencies.store.current];
    this.#before = after;
    if (after === undefined || before === after) return;
    if (before === undefined) void this.#begin();
    else if (this.verdicts.isExemptionOver() || this.#isStarting) this.#ask('all', 'change');
    else {
      const { namespaces } = this.verdicts.records;
      const exempt = new Set(namespaces.filter(this.#dependencies.isExempt));
      this.#ask(union(affectedNamespaces(before, after, namespaces), exempt), 'change');
    }
  }

  /** The watch of Pods has read a whole list: the namespaces with Pods without a controller are known. */
  podsListed(uids: ReadonlySet<string>): void {
    this.listed(OBSERVED_POD, uids);
    this.#scanPods();
  }

  #scanPods(): void {
    const { namespaces, isListed } = this.#pods;
    if (!isListed || this.#before === undefined || this.#isStarting || this.#areAllListed) return;
    if (namespaces.length > 0) {
      this.#ask(new Set(namespaces), 'start');
      return;
    }
    this.#areAllListed = true;
    this.reports.reconcile(this.isComplete);
  }

  /** A whole list begins. After a restored backup, its versions are lower than those that were judged. */
  listing(kind: ObservedKind): void {
    for (const record of this.#recordsOf(kind)) this.verdicts.note({ ...record, version: NaN });
  }

  /** A list is complete: of the workloads that were known before, those that it has not shown are gone. */
  listed(kind: ObservedKind, uids: ReadonlySet<string>, known = this.#recordsOf(kind)): void {
    for (const { workload } of known) if (!uids.has(workload.uid)) this.verdicts.forget(workload);
  }

  #recordsOf({ served }: ObservedKind, namespace?: string): readonly WorkloadRecord[] {
    return [...this.verdicts.records.values(namespace)].filter(({ workload }) => kindKey(workload) === kindKey(served));
  }

  /** Judges a workload of a list or a watch. Undefined when it is not looked at. */
  take(
    object: KubernetesObject,
    kind: ObservedKind,
    run: ScanRun = { id: this.#runId, now: this.#dependencies.now() },
  ): ReportContent | Outdated | undefined {
    try {
      return this.verdicts.take(object, kind, run);
    } catch (error) {
      const { namespace, name } = object.metadata;
      const place = { path: collectionPath(kind.served), namespace, name };
      this.#dependencies.log.error({ err: error, ...place }, 'a workload cannot be judged');
      return undefined;
    }
  }

  gone(object: KubernetesObject, kind: ObservedKind): void {
    const workload = workloadOf(object, kind);
    if (workload === undefined || !this.verdicts.forget(workload)) return;
    this.#goneSince?.add(workload.uid);
  }

  /** Reads a workload and judges it. Undefined when the workload is not there, or is not looked at. */
  async read(workload: NamedObject): Promise<ReportContent | Outdated | undefined> {
    const kind = [OBSERVED_POD, ...this.#watches.kinds].find(
      ({ served }) => served.group === workload.group && served.kind === workload.kind,
    );
    if (kind === undefined) return undefined;
    const path = objectPath(kind.served, workload);
    const object = await this.#dependencies.client.request({ method: 'GET', path, signal: this.#stopped.signal });
    // The workload may have gone while the answer was under way, and another one may have its name.
    const record = recordOf(this.verdicts.records, workload);
    if (record === undefined || !isKubernetesObject(object)) return undefined;
    return record.workload.uid === object.metadata.uid ? this.take(object, kind) : 'outdated';
  }

  /** The first scan: the first list of each watch. It ends when each kind has been read whole, or could not be read. */
  async #begin(): Promise<void> {
    const { signal } = this.#stopped;
    this.#isStarting = true;
    const run = this.#started(this.#runId, 'start', 'all');
    await this.#readTimes();
    while (!signal.aborted && !(await this.#discover())) await pause(DISCOVERY_RETRY_MILLISECONDS, signal);
    await this.#watches.firstLists();
    if (signal.aborted) return;
    this.#isStarting = false;
    this.#ended(run, 'start', 0);
    this.#nextScan = this.#dependencies.now() + this.#dependencies.scanInterval;
    this.#scanPods();
  }

  /** False if the API server cannot be asked. A group that did not answer is asked again. */
  async #discover(): Promise<boolean> {
    this.#nextDiscovery = Infinity;
    const isAsked = await this.#watches.discover();
    this.#nextDiscovery = this.#watches.areKindsKnown ? Infinity : this.#dependencies.now() + DISCOVERY_MILLISECONDS;
    return isAsked;
  }

  #started(id: string, reason: ScanReason, scope: AffectedNamespaces): ScanRun {
    const { log, now } = this.#dependencies;
    const run = { id, now: now() };
    this.#status.begin(run.now);
    log.info({ scan: id, reason, namespaces: scope === 'all' ? 'all' : scope.size }, 'scan_started');
    return run;
  }

  #ended(run: ScanRun, reason: ScanReason, problems: number): void {
    const { log, now } = this.#dependencies;
    this.#status.end(run, now());
    const figures = { workloads: this.verdicts.records.size, problems, durationMs: this.#status.lastDuration };
    log.info({ scan: run.id, reason, ...figures }, 'scan_finished');
  }

  /** Asks for a scan: at once, or after the scan under way. */
  #ask(scope: AffectedNamespaces, reason: ScanReason): void {
    if (scope !== 'all' && scope.size === 0) return;
    const asked = this.#asked;
    // One scan for both. The first scan keeps its reason, because other work waits for the end of that scan.
    this.#asked = asked
      ? { scope: union(asked.scope, scope), reason: asked.reason === 'start' ? 'start' : reason }
      : { scope, reason };
    this.#work.ask();
  }

  async #round(): Promise<boolean> {
    const { now, store } = this.#dependencies;
    const present = now();
    if (present >= this.#nextScan) {
      this.#nextScan = Infinity;
      this.#ask('all', 'interval');
    }
    this.#ask(exceptionEnds(store.current, this.#noticed, present), 'expiry');
    this.#noticed = present;
    if (present >= this.#nextDiscovery) void this.#discover();
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked !== undefined) await this.#scan(asked.scope, asked.reason);
    return true;
  }

  /** Without the times, a verdict only lacks a property. */
  async #readTimes(): Promise<void> {
    const { inForce, store, log } = this.#dependencies;
    await inForce.read(store.current?.tiers).catch((error: unknown) => {
      log.warn({ problem: messageOf(error) }, 'it is not known since when policies are in force');
    });
  }

  async #scan(scope: AffectedNamespaces, reason: ScanReason): Promise<void> {
    const { client, log, now, scanInterval } = this.#dependencies;
    const { signal } = this.#stopped;
    const run = this.#started(randomUUID(), reason, scope);
    const isIn = (namespace: string | undefined): boolean =>
      scope === 'all' || (namespace !== undefined && scope.has(namespace));
    const problems: string[] = [];
    if (scope === 'all') await this.#discover();
    const goneSince = new Set<string>();
    this.#goneSince = goneSince;
    await this.#readTimes();
    const paced: Pick<ApiClient, 'measured'> = {
      measured: async (request) => {
        await this.#pace.turn(signal);
        return await client.measured(request);
      },
    };
    for (const { kind, namespace, query } of listsFor(
      scope,
      this.#watches.kinds,
      this.#pods.namespaces,
      this.verdicts.records,
    )) {
      if (signal.aborted) return;
      const known = this.#recordsOf(kind, namespace);
      const uids = new Set<string>();
      try {
        const request = { path: collectionPath(kind.served, namespace), query, dropsStatus: true, signal };
        await new PagedList(paced).forEachPage(request, ({ items }) => {
          for (const object of signal.aborted ? [] : items) {
            const { uid = '' } = object.metadata;
            if (goneSince.has(uid)) continue;
            uids.add(uid);
            if (isIn(object.metadata.namespace)) this.take(object, kind, run);
          }
        });
        this.listed(kind, uids, known);
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    this.#goneSince = undefined;
    if (signal.aborted) return;
    for (const problem of problems) log.warn({ scan: run.id, problem }, 'workloads cannot be listed');
    this.#ended(run, reason, problems.length);
    if (scope === 'all' || reason === 'start') {
      this.#nextScan = now() + scanInterval;
      this.#areAllListed = problems.length === 0 && this.#pods.isListed;
      this.reports.reconcile(this.isComplete);
    }
    if (problems.length === 0) this.#backoff.reset();
    else setTimeout(() => this.#ask(scope, 'retry'), this.#backoff.next()).unref();
  }
}
