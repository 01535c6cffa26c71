import { randomUUID } from 'node:crypto';
import { Backoff } from '../../cluster/client/timing.ts';
import { kindKey, type AffectedNamespaces, type ListToRead, type ScanLists, union } from './scan-lists.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObservedKind } from '../observed-workload.ts';
import type { ScanStatus } from './scan-status.ts';
import type { Run, ScanDependencies, Verdicts } from './verdicts.ts';

export type ScanReason = 'start' | 'interval' | 'change' | 'expiry' | 'retry';

export interface RescannedScan {
  readonly lists: ScanLists;
  readonly verdicts: Verdicts;
  readonly status: ScanStatus;
  /** The kinds and places to list for a scope. */
  readonly plan: (scope: AffectedNamespaces) => Promise<readonly ListToRead[]>;
  /** Judges one object of a list. */
  readonly take: (object: KubernetesObject, kind: ObservedKind, run: Run) => void;
  /** Called after a scan of everything, and after the first scan of Pods. `isComplete`: all lists were read whole. */
  readonly finished: (isComplete: boolean) => void;
  readonly isStopped: () => boolean;
}

interface AskedScan {
  readonly scope: AffectedNamespaces;
  readonly reason: ScanReason;
}

const RETRIES = { minimum: 5_000, maximum: 60_000 };

/** Scans by lists, one after the other. What is asked for during a scan becomes one further scan. */
export class Rescans {
  readonly #dependencies: Pick<ScanDependencies, 'log' | 'now'>;
  readonly #scanned: RescannedScan;
  readonly #backoff: Backoff;
  #asked: AskedScan | undefined;
  #isRunning = false;
  /** The kinds and namespaces that could not be listed, and are due again. */
  #retry: { readonly scope: AffectedNamespaces; readonly timer: NodeJS.Timeout } | undefined;

  constructor(dependencies: Pick<ScanDependencies, 'log' | 'now' | 'random'>, scanned: RescannedScan) {
    this.#dependencies = dependencies;
    this.#scanned = scanned;
    this.#backoff = new Backoff(RETRIES, dependencies.random);
  }

  /** Asks for a scan: at once, or after the scan under way. */
  ask(scope: AffectedNamespaces, reason: ScanReason): void {
    if (scope !== 'all' && scope.size === 0) return;
    const asked = this.#asked;
    // One scan for both. The first scan keeps its reason, because other work waits for the end of that scan.
    this.#asked = asked
      ? { scope: union(asked.scope, scope), reason: asked.reason === 'start' ? 'start' : reason }
      : { scope, reason };
    if (!this.#isRunning) void this.#run();
  }

  /** Scans at once what could not be listed: the API server answers again. */
  retryNow(): void {
    if (this.#retry === undefined) return;
    const { scope, timer } = this.#retry;
    clearTimeout(timer);
    this.#retry = undefined;
    this.ask(scope, 'retry');
  }

  stop(): void {
    clearTimeout(this.#retry?.timer);
    this.#retry = undefined;
    this.#asked = undefined;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#asked !== undefined && !this.#scanned.isStopped()) {
        const asked = this.#asked;
        this.#asked = undefined;
        await this.#scan(asked);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #scan({ scope, reason }: AskedScan): Promise<void> {
    const { log, now } = this.#dependencies;
    const { lists, verdicts, status, plan, take, isStopped, finished } = this.#scanned;
    const run: Run = { id: randomUUID(), now: now() };
    status.begin(run.now);
    const begun = verdicts.listBegins();
    log.info({ scan: run.id, reason, namespaces: scope === 'all' ? 'all' : scope.size }, 'scan_started');
    const isIn = (namespace: string | undefined): boolean =>
      scope === 'all' || (namespace !== undefined && scope.has(namespace));
    const problems: string[] = [];
    const listed = new Set<string>();
    const planned = await plan(scope);
    const kinds = new Set(['/Pod', ...planned.map(({ kind }) => kindKey(kind.served))]);
    for (const list of planned) {
      if (isStopped()) return;
      const problem = await lists.read(list, (object) => {
        if (isIn(object.metadata.namespace)) take(object, list.kind, run);
      });
      if (problem === undefined) listed.add(`${kindKey(list.kind.served)}/${list.namespace ?? ''}`);
      else problems.push(problem);
    }
    if (isStopped()) return;
    verdicts.listEnds(begun, (workload) => {
      if (!isIn(workload.namespace)) return false;
      const key = kindKey(workload);
      // A kind that is no longer watched has no workloads here.
      return (
        listed.has(`${key}/`) || listed.has(`${key}/${workload.namespace}`) || (scope === 'all' && !kinds.has(key))
      );
    });
    for (const problem of problems) log.warn({ scan: run.id, problem }, 'workloads cannot be listed');
    status.end(run, now());
    const workloads = verdicts.records.size;
    const durationMs = status.lastDuration;
    log.info({ scan: run.id, reason, workloads, problems: problems.length, durationMs }, 'scan_finished');
    if (scope === 'all' || reason === 'start') finished(problems.length === 0);
    if (problems.length > 0) this.#retryLater(scope);
    else if (this.#retry === undefined) this.#backoff.reset();
  }

  /** Adds what still waits for another try to the next try. */
  #retryLater(failed: AffectedNamespaces): void {
    clearTimeout(this.#retry?.timer);
    const scope = this.#retry === undefined ? failed : union(this.#retry.scope, failed);
    const timer = setTimeout(() => this.retryNow(), this.#backoff.next()).unref();
    this.#retry = { scope, timer };
  }
}
