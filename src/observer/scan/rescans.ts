import { randomUUID } from 'node:crypto';
import { Backoff } from '../../cluster/client/backoff.ts';
import { union } from './affected-namespaces.ts';
import type { Logger } from 'pino';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObservedKind } from '../observed-workload.ts';
import type { AffectedNamespaces } from './affected-namespaces.ts';
import type { ListToRead, ScanLists } from './scan-lists.ts';
import type { ScanStatus } from './scan-status.ts';
import type { Run, Verdicts } from './verdicts.ts';

/** Why workloads are judged again. */
export type ScanReason = 'start' | 'interval' | 'change' | 'expiry' | 'retry';

/** The dependencies of rescans. */
export interface RescansDependencies {
  readonly lists: ScanLists;
  readonly verdicts: Verdicts;
  readonly status: ScanStatus;
  /** The kinds and places to list for a scope. */
  readonly plan: (scope: AffectedNamespaces) => Promise<readonly ListToRead[]>;
  /** Judges one object of a list. */
  readonly take: (object: KubernetesObject, kind: ObservedKind, run: Run) => void;
  /** Called after a scan of everything, and after the first scan of Pods. `isComplete`: all lists were read whole. */
  readonly finished: (isComplete: boolean) => void;
  readonly log: Logger;
  readonly now: () => number;
  readonly random: () => number;
  readonly isStopped: () => boolean;
}

interface AskedScan {
  readonly scope: AffectedNamespaces;
  readonly reason: ScanReason;
}

/** The pauses after scans with lists that could not be read. */
const RETRIES = { minimum: 5_000, maximum: 60_000 };

/** Scans by lists, one after the other. What is asked for during a scan becomes one further scan. */
export class Rescans {
  readonly #dependencies: RescansDependencies;
  readonly #backoff: Backoff;
  #asked: AskedScan | undefined;
  #isRunning = false;
  /** The kinds and namespaces that could not be listed, and are due again. */
  #retry: { readonly scope: AffectedNamespaces; readonly timer: NodeJS.Timeout } | undefined;

  constructor(dependencies: RescansDependencies) {
    this.#dependencies = dependencies;
    this.#backoff = new Backoff(RETRIES, dependencies.random);
  }

  /** Asks for a scan: at once, or after the scan under way. */
  ask(scope: AffectedNamespaces, reason: ScanReason): void {
    if (scope !== 'all' && scope.size === 0) return;
    this.#asked = this.#asked === undefined ? { scope, reason } : joined(this.#asked, { scope, reason });
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
      while (this.#asked !== undefined && !this.#dependencies.isStopped()) {
        const { scope, reason } = this.#asked;
        this.#asked = undefined;
        await this.#scan(scope, reason);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #scan(scope: AffectedNamespaces, reason: ScanReason): Promise<void> {
    const { lists, verdicts, status, plan, take, log, now, isStopped, finished } = this.#dependencies;
    const run: Run = { id: randomUUID(), now: now(), number: status.begin() };
    const namespaces = scope === 'all' ? 'all' : scope.size;
    log.info({ scan: run.id, reason, namespaces }, 'scan_started');
    const problems: string[] = [];
    const listed = new Set<string>();
    const planned = await plan(scope);
    const kinds = new Set(['/Pod', ...planned.map(({ kind }) => kindOf(kind))]);
    for (const list of planned) {
      if (isStopped()) return;
      const problem = await lists.read(list, (object) => {
        const { namespace } = object.metadata;
        if (scope === 'all' || (namespace !== undefined && scope.has(namespace))) take(object, list.kind, run);
      });
      if (problem === undefined) listed.add(`${kindOf(list.kind)}/${list.namespace ?? ''}`);
      else problems.push(problem);
    }
    if (isStopped()) return;
    verdicts.forgetUnseen(run, (group, kind, namespace) => {
      if (scope !== 'all' && !scope.has(namespace)) return false;
      const key = `${group}/${kind}`;
      // A kind that is no longer watched has no workloads here.
      return listed.has(`${key}/`) || listed.has(`${key}/${namespace}`) || (scope === 'all' && !kinds.has(key));
    });
    for (const problem of problems) log.warn({ scan: run.id, problem }, 'workloads cannot be listed');
    status.end(run);
    const workloads = verdicts.records.size;
    log.info(
      { scan: run.id, reason, workloads, problems: problems.length, durationMs: status.lastDuration },
      'scan_finished',
    );
    if (scope === 'all' || reason === 'start') finished(problems.length === 0);
    if (problems.length > 0) this.#retryLater(scope);
    else if (this.#retry === undefined) this.#backoff.reset();
  }

  /** Adds what still waits for another try to the next try. */
  #retryLater(failed: AffectedNamespaces): void {
    clearTimeout(this.#retry?.timer);
    const scope = this.#retry === undefined ? failed : union(this.#retry.scope, failed);
    const timer = setTimeout(() => {
      this.retryNow();
    }, this.#backoff.next()).unref();
    this.#retry = { scope, timer };
  }
}

/** One scan for both. The first scan keeps its reason, because other work waits for the end of that scan. */
function joined(asked: AskedScan, next: AskedScan): AskedScan {
  return { scope: union(asked.scope, next.scope), reason: asked.reason === 'start' ? 'start' : next.reason };
}

function kindOf({ served: { group, kind } }: ObservedKind): string {
  return `${group}/${kind}`;
}
