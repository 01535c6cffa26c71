import { Reflector, type ReflectorContext, type ReflectorStatus } from '../client/reflector.ts';
import { realTimer, type Timer } from '../client/timing.ts';
import { rootOf } from './cluster-kinds.ts';
import { ObjectStore, type Named, type StoreListener, type StoredKind } from './object-store.ts';
import type { Facts } from '../../engine/facts/facts.ts';
import type { FactKind } from './fact-kinds.ts';

/** The context of a reflector, and the timer of its pauses between lists. Absent: the real one. */
export interface InformerContext extends ReflectorContext {
  readonly timer?: Timer;
}

/** The reports of an informer. Nothing is reported after stop. */
export type InformerListener<T> = Omit<StoreListener<T>, 'mayFit'>;

/** The least time between two lists that are made because an object that was left out may fit again. */
const LIST_AGAIN_MILLISECONDS = 30_000;

/** Has a reflector, and a store of what the reflector sees. */
export class Informer<T extends Named> {
  readonly store: ObjectStore<T>;
  readonly isRequired: boolean;
  readonly #reflector: Reflector;
  readonly #timer: Timer;
  #endRest: (() => void) | undefined;
  #isListWanted = false;

  constructor(context: InformerContext, kind: StoredKind<T>, listener: InformerListener<T>) {
    this.store = new ObjectStore(kind, { ...listener, mayFit: () => this.#listAgain() });
    this.isRequired = kind.isRequired;
    const { apiVersion, resource, metadataOnly = false } = kind;
    const reflected = { path: `${rootOf(apiVersion)}/${resource}`, metadataOnly };
    this.#reflector = new Reflector(context, reflected, this.store);
    this.#timer = context.timer ?? realTimer;
  }

  /** Resolves once a whole list has been read. */
  start(): Promise<void> {
    return this.#reflector.start();
  }

  stop(): void {
    this.#reflector.stop();
    this.#endRest?.();
  }

  status(): ReflectorStatus {
    return this.#reflector.status();
  }

  /** Of objects that are left out, nothing is kept: a list reports them again. */
  listAgainIfLeftOut(): void {
    const { leftOut } = this.store.counts();
    if (Object.values(leftOut).some((count) => count > 0)) this.#listAgain();
  }

  /** Lists the collection again: now, or as soon as the last such list is long enough ago. */
  #listAgain(): void {
    this.#isListWanted = true;
    if (this.#endRest !== undefined) return;
    this.#isListWanted = false;
    this.#endRest = this.#timer(LIST_AGAIN_MILLISECONDS, () => {
      this.#endRest = undefined;
      if (this.#isListWanted) this.#listAgain();
    });
    this.#reflector.listAgain();
  }
}

/** The facts of a kind, as an informer knows them. */
export class InformedFacts<T extends Named = Named> {
  readonly kind: FactKind<T>;
  readonly informer: Informer<T>;
  /** The same value until something changes. */
  #facts: Partial<Facts> | undefined;

  constructor(context: InformerContext, kind: FactKind<T>, listener: InformerListener<T>) {
    const changed = (): void => {
      this.#facts = undefined;
      listener.changed();
    };
    this.kind = kind;
    this.informer = new Informer(context, kind, { ...listener, changed });
  }

  get isChanged(): boolean {
    return this.#facts === undefined;
  }

  facts(): Partial<Facts> {
    const { store } = this.informer;
    return (this.#facts ??= this.kind.facts(store.isComplete ? store.lists() : undefined));
  }
}
