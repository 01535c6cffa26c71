import { isOfController } from '../../cluster/sources/cluster-kinds.ts';
import { cut } from '../../base/text/cut.ts';
import { canHaveController, controllerOwners, hasControllerOwner } from '../../engine/workload/controller-owner.ts';
import { versionOf, workloadKey, workloadOf } from '../observed-workload.ts';
import { reportContent, type ReportContent } from '../reports/report-object.ts';
import { judgedWorkload, type VerdictSettings } from './judged-workload.ts';
import type { Logger } from 'pino';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObservedKind, ObservedWorkload, WorkloadName } from '../observed-workload.ts';
import type { ObserverContext } from '../observer-part.ts';
import type { ReportsSetting } from '../reports/reports-setting.ts';

export interface ScanDependencies extends ObserverContext {
  readonly settings: VerdictSettings;
  /** `includeClean`: workloads without findings have a report, too. */
  readonly reportSettings: { readonly setting: ReportsSetting; readonly includeClean: boolean };
  /** In milliseconds. */
  readonly scanInterval: number;
}

export interface VerdictsListener {
  /** The workload is new, or its verdict has changed. */
  changed(record: WorkloadRecord): void;
  /** The workload is gone, or is looked at no longer. */
  gone(namespace: string, uid: string): void;
}

/** The run that an object is judged in. One run uses one instant. */
export interface Run {
  /** For the log: all events of one run have the same id. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Findings of one workload that are logged when its verdict changes. */
const MOST_LOGGED = 50;
/** Everybody who may write an object chooses its owner, so only the first unknown controllers are named. */
const MOST_NAMED = 100;

/** Judges workloads, and keeps a record of each verdict. */
export class Verdicts {
  readonly records = new WorkloadRecords();
  /** Exempt namespaces with workloads: nothing else is known of these workloads. */
  readonly #exempt = new Set<string>();
  readonly #unknown: UnknownControllers;
  readonly #dependencies: ScanDependencies;
  readonly #listener: VerdictsListener;
  /** How many lists have begun. */
  #lists = 0;

  constructor(dependencies: ScanDependencies, listener: VerdictsListener) {
    this.#dependencies = dependencies;
    this.#unknown = new UnknownControllers(dependencies.log);
    this.#listener = listener;
  }

  /** A list of workloads begins. Returns its number. */
  listBegins(): number {
    return ++this.#lists;
  }

  /** The list has ended. A listed workload that nothing has shown since the list began is gone. */
  listEnds(list: number, isListed: (workload: WorkloadName) => boolean): void {
    for (const { workload, seen } of this.records.entries())
      if (seen < list && isListed(workload)) this.forget(workload);
  }

  /** The content of the report. Undefined for an object that is not looked at, or is older than the judged one. */
  take(object: KubernetesObject, kind: ObservedKind, run: Run): ReportContent | undefined {
    const { store, isExempt, extraResults, settings } = this.#dependencies;
    const workload = workloadOf(object, kind);
    const snapshot = store.current;
    if (workload === undefined || snapshot === undefined) return undefined;
    if (isExempt(workload.namespace)) {
      this.#exempt.add(workload.namespace);
      this.forget(workload);
      return undefined;
    }
    this.#unknown.note(object as unknown as JsonObject, workload);
    // The owner is judged in its place.
    if (isOfController(object, { ...kind.served, names: [], isNamespaced: true })) return undefined;
    const version = versionOf(object);
    const before = this.records.find(workload);
    const isKnown = before?.workload.uid === workload.uid;
    if (isKnown) before.seen = this.#lists;
    // A page of a list may be older than an event that has come since.
    if (isKnown && before.version > version) return undefined;
    const judged = judgedWorkload(object, kind, snapshot, settings, run.now);
    if (judged === undefined) {
      this.forget(workload);
      return undefined;
    }
    const content = reportContent(judged, extraResults.of(workload));
    if (before !== undefined && !isKnown) this.#listener.gone(workload.namespace, before.workload.uid);
    const record = {
      workload,
      digest: content.hash,
      isClean: content.results.length === 0,
      version,
      findings: judged.results.map(({ rule, properties }) => `${rule} ${properties['action'] ?? 'Warn'}`),
      seen: this.#lists,
    };
    this.records.put(record);
    if (!isKnown || before.digest !== content.hash) {
      this.#log(content, run);
      this.#listener.changed(record);
    }
    return content;
  }

  /** The namespaces whose exemption has begun or ended since their workloads were judged. */
  get changedExemptions(): readonly string[] {
    return [...this.records.namespaces.filter(this.#dependencies.isExempt), ...this.#reopened()];
  }

  /** Returns the namespaces that are exempt no longer, once: none of their workloads has a record. */
  takeReopened(): readonly string[] {
    const reopened = this.#reopened();
    for (const namespace of reopened) this.#exempt.delete(namespace);
    return reopened;
  }

  #reopened(): readonly string[] {
    return [...this.#exempt].filter((namespace) => !this.#dependencies.isExempt(namespace));
  }

  /** The workload is gone. A record of a later workload of the same name stays. */
  forget(workload: ObservedWorkload): void {
    if (this.records.find(workload)?.workload.uid !== workload.uid) return;
    this.records.delete(workload);
    this.#listener.gone(workload.namespace, workload.uid);
  }

  #log({ workload: { namespace, kind, name }, results }: ReportContent, run: Run): void {
    const { log } = this.#dependencies;
    for (const { rule, properties, message, policy, result } of results.slice(0, MOST_LOGGED)) {
      const { container, probe, action } = properties;
      log.info(
        { scan: run.id, namespace, kind, name, container, probe, check: rule, action, result, policy, message },
        'violation',
      );
    }
  }
}

/**
 * Names objects with a controller that Kubernetes does not have, once for each pair of kinds. Kubernetes makes no Pod
 * for a ConfigMap. The observer does not learn which account made an object. The webhook's log names the account.
 */
export class UnknownControllers {
  readonly #log: Logger;
  readonly #named = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  note(object: JsonObject, { namespace, kind, name }: Omit<WorkloadName, 'group'>): void {
    if (this.#named.size >= MOST_NAMED || !hasControllerOwner(object) || canHaveController(object, kind)) return;
    const owners = controllerOwners(object).map((owner) => `${owner.apiVersion}/${owner.kind}`);
    const owner = cut(owners.join(), 253);
    const pair = `${kind} of ${owner}`;
    if (this.#named.has(pair)) return;
    this.#named.add(pair);
    this.#log.warn({ kind, owner, namespace, name }, 'the object has a controller that Kubernetes does not have');
  }
}

export interface WorkloadRecord {
  readonly workload: ObservedWorkload;
  readonly digest: string;
  readonly isClean: boolean;
  /** The version of the object that was judged. NaN = unknown. */
  readonly version: number;
  /** `check action` of each finding. */
  readonly findings: readonly string[];
  /** The number of the list that was the last to begin before the workload was shown last. */
  seen: number;
}

export class WorkloadRecords {
  readonly #byNamespace = new Map<string, Map<string, WorkloadRecord>>();

  get size(): number {
    return [...this.#byNamespace.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get namespaces(): readonly string[] {
    return [...this.#byNamespace.keys()];
  }

  find(workload: WorkloadName): WorkloadRecord | undefined {
    return this.#byNamespace.get(workload.namespace)?.get(workloadKey(workload));
  }

  put(record: WorkloadRecord): void {
    const { workload } = record;
    const rows = this.#byNamespace.get(workload.namespace) ?? new Map<string, WorkloadRecord>();
    this.#byNamespace.set(workload.namespace, rows.set(workloadKey(workload), record));
  }

  delete(workload: WorkloadName): void {
    const rows = this.#byNamespace.get(workload.namespace);
    if (rows?.delete(workloadKey(workload)) === true && rows.size === 0) this.#byNamespace.delete(workload.namespace);
  }

  /** All records, or those of a namespace. Records may be deleted meanwhile. */
  *entries(namespace?: string): Generator<WorkloadRecord> {
    for (const name of namespace === undefined ? this.namespaces : [namespace])
      yield* this.#byNamespace.get(name)?.values() ?? [];
  }

  findingCounts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { findings } of this.entries())
      for (const finding of findings) counts.set(finding, (counts.get(finding) ?? 0) + 1);
    return counts;
  }
}
