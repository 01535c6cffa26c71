import { isOfController } from '../../cluster/sources/workload-lists.ts';
import { reportContent } from '../reports/report-object.ts';
import { versionOf, workloadOf } from '../observed-workload.ts';
import { judgedWorkload } from './judged-workload.ts';
import { UnknownControllers } from './unknown-controllers.ts';
import { WorkloadRecords } from './workload-records.ts';
import type { Logger } from 'pino';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { PolicyStore } from '../../cluster/sources/policy-store.ts';
import type { ObservedKind, ObservedWorkload } from '../observed-workload.ts';
import type { ExtraResults } from '../reports/extra-results.ts';
import type { ReportContent } from '../reports/report-object.ts';
import type { VerdictSettings } from './judged-workload.ts';

/** The dependencies of the verdicts. */
export interface VerdictsDependencies {
  readonly store: PolicyStore;
  readonly isExempt: (namespace: string) => boolean;
  readonly extraResults: ExtraResults;
  readonly settings: VerdictSettings;
  readonly log: Logger;
}

/** Receives changes of verdicts. */
export interface VerdictsListener {
  /** The workload is new, or its verdict has changed. */
  changed(content: ReportContent): void;
  /** The workload is gone, or is looked at no longer. */
  gone(namespace: string, uid: string): void;
}

/** The run that an object is judged in. One run uses one instant. */
export interface Run {
  /** For the log: all events of one run have the same id. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Grows from run to run. */
  readonly number: number;
}

/** Findings of one workload that are logged when its verdict changes. */
const MOST_LOGGED = 50;

/** Judges workloads, and keeps a record of each verdict. */
export class Verdicts {
  readonly records = new WorkloadRecords();
  /** Exempt namespaces with workloads: nothing else is known of these workloads. */
  readonly #exempt = new Set<string>();
  readonly #unknown: UnknownControllers;
  readonly #dependencies: VerdictsDependencies;
  readonly #listener: VerdictsListener;

  constructor(dependencies: VerdictsDependencies, listener: VerdictsListener) {
    this.#dependencies = dependencies;
    this.#unknown = new UnknownControllers(dependencies.log);
    this.#listener = listener;
  }

  /**
   * Judges a live object, and tells the listener when the verdict has changed. Returns the content of the workload's
   * report. Undefined for an object that is not looked at, or that is older than the judged one.
   */
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
    if (before?.uid === workload.uid && before.version > version) {
      // A page of a list may be older than an event that has come since.
      this.records.put(workload, { ...before, seen: run.number });
      return undefined;
    }
    const judged = judgedWorkload(object, kind, snapshot, settings, run.now);
    if (judged === undefined) {
      this.forget(workload);
      return undefined;
    }
    const content = reportContent(judged, extraResults.of(workload));
    if (before !== undefined && before.uid !== workload.uid) this.#listener.gone(workload.namespace, before.uid);
    this.records.put(workload, {
      uid: workload.uid,
      digest: content.hash,
      isClean: content.results.length === 0,
      version,
      findings: judged.results.map(({ rule, properties }) => `${rule} ${properties['action'] ?? 'Warn'}`).sort(),
      seen: run.number,
    });
    if (before?.uid !== workload.uid || before.digest !== content.hash) {
      this.#log(content, run);
      this.#listener.changed(content);
    }
    return content;
  }

  /** The namespaces whose exemption has begun or ended since their workloads were judged. */
  get changedExemptions(): readonly string[] {
    const { isExempt } = this.#dependencies;
    return [...this.records.namespaces.filter(isExempt), ...this.#reopened()];
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
    const record = this.records.find(workload);
    if (record?.uid !== workload.uid) return;
    this.records.delete(workload);
    this.#listener.gone(workload.namespace, workload.uid);
  }

  /** Drops the records that no list and no event has shown since the run began. */
  forgetUnseen(run: Run, isListed: (group: string, kind: string, namespace: string) => boolean): void {
    this.records.forEach((workload, { uid, seen }) => {
      if (seen >= run.number || !isListed(workload.group, workload.kind, workload.namespace)) return;
      this.records.delete(workload);
      this.#listener.gone(workload.namespace, uid);
    });
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
