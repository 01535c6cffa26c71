import { collectionPath } from '../../cluster/client/api-path.ts';
import { hasCode } from '../../cluster/client/api-client.ts';
import { tryList } from '../../cluster/client/paged-list.ts';
import { resourceOf } from '../../cluster/client/live-reader.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { isReadyMade, isPod } from '../../engine/workload/kinds.ts';
import { observedKinds, type ObservedKind } from '../observed-workload.ts';
import { kindKey } from './scan-lists.ts';
import { Reflector, type ReflectorListener } from '../../cluster/client/reflector.ts';
import type { ScanDependencies } from './verdicts.ts';

interface Watch {
  readonly kind: ObservedKind;
  readonly reflector: Reflector;
  /** Resolves when the kind has been read whole, or could not be read. */
  readonly tried: Promise<unknown>;
}

export class WorkloadWatches {
  readonly #dependencies: ScanDependencies;
  readonly #handlersOf: (kind: ObservedKind) => ReflectorListener;
  readonly #watches = new Map<string, Watch>();
  /** The kinds that have been named because they may not be listed. */
  readonly #leftOut = new Set<string>();
  #isStopped = false;
  /** False while a group that may have kinds of workloads does not answer. */
  areKindsKnown = false;

  constructor(dependencies: ScanDependencies, handlersOf: (kind: ObservedKind) => ReflectorListener) {
    this.#dependencies = dependencies;
    this.#handlersOf = handlersOf;
  }

  get kinds(): readonly ObservedKind[] {
    return [...this.#watches.values()].map(({ kind }) => kind);
  }

  /** True while all kinds are known, and each has been read whole. */
  get isComplete(): boolean {
    return this.areKindsKnown && [...this.#watches.values()].every(({ reflector }) => reflector.status().synced);
  }

  /** Resolves when each watched kind has been read whole, or could not be read. */
  async firstLists(): Promise<void> {
    await Promise.all([...this.#watches.values()].map(({ tried }) => tried));
  }

  /** Watches the kinds that the API server has now. False if it cannot be asked. */
  async discover(): Promise<boolean> {
    const { client, kinds: known, log } = this.#dependencies;
    try {
      const { kinds, problems } = await observedKinds(client, known);
      for (const problem of problems) log.warn({ problem }, 'kinds of workloads cannot be found out');
      // Pods come from the one watch of Pods. Reports are objects of a namespace.
      const observed = kinds.filter(({ served, templates }) => !isPod(templates) && served.isNamespaced);
      const arePermitted = await Promise.all(observed.map((kind) => this.#isPermitted(kind)));
      const permitted = observed.filter((_, index) => arePermitted[index]);
      // A group that could not be asked keeps its watches.
      if (!this.#isStopped) this.#follow(problems.length === 0 ? permitted : [...permitted, ...this.kinds]);
      this.areKindsKnown = problems.length === 0;
      return true;
    } catch (error) {
      this.areKindsKnown = false;
      log.warn({ problem: messageOf(error) }, 'kinds of workloads cannot be found out');
      return false;
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const { reflector } of this.#watches.values()) reflector.stop();
  }

  /**
   * False for a ready-made kind that may not be listed: the chart grants the kinds of `workloadKinds` only. A kind that
   * is watched without a right fails for ever, so no scan would ever be complete. A configured kind is always watched.
   */
  async #isPermitted(kind: ObservedKind): Promise<boolean> {
    const { client, log } = this.#dependencies;
    if (!isReadyMade(kind.templates)) return true;
    try {
      await tryList(client, collectionPath(kind.served));
      return true;
    } catch (error) {
      // The watch reports all other failures.
      if (!hasCode(error, 403)) return true;
      const resource = resourceOf(kind.served);
      if (!this.#leftOut.has(resource)) log.info({ resource }, 'the observer leaves out a kind that is not configured');
      this.#leftOut.add(resource);
      return false;
    }
  }

  /** Watches these kinds, and no others: of another kind, nothing is there. A watched kind stays as it is. */
  #follow(kinds: readonly ObservedKind[]): void {
    const wanted = new Map(kinds.map((kind) => [collectionPath(kind.served), kind]));
    const served = new Set(kinds.map((kind) => kindKey(kind.served)));
    for (const [path, { kind, reflector }] of this.#watches) {
      if (wanted.has(path)) continue;
      reflector.stop();
      this.#watches.delete(path);
      // Another version of the same kind has the same objects.
      if (!served.has(kindKey(kind.served))) this.#handlersOf(kind).listed?.(new Set());
    }
    for (const [path, kind] of wanted) {
      if (this.#watches.has(path)) continue;
      const handlers = this.#handlersOf(kind);
      const failed = Promise.withResolvers<undefined>();
      const troubled = (problem: string | undefined): void => {
        handlers.troubled(problem);
        failed.resolve(undefined);
      };
      const reflector = new Reflector(this.#dependencies, { path }, { ...handlers, troubled });
      this.#watches.set(path, { kind, reflector, tried: Promise.race([reflector.start(), failed.promise]) });
    }
  }
}
