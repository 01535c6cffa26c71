import { collectionPath } from '../client/api-path.ts';
import { Reflector, type ReflectorContext } from '../client/reflector.ts';
import { realTimer, type Timer } from '../client/timing.ts';
import { ObjectStore, type Named, type StoreListener, type StoredKind } from './object-store.ts';

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
  readonly kind: StoredKind<T>;
  readonly store: ObjectStore<T>;
  readonly reflector: Reflector;
  readonly #timer: Timer;
  #endRest: (() => void) | undefined;
  #isListWanted = false;

  constructor(context: InformerContext, kind: StoredKind<T>, listener: InformerListener<T>) {
    this.kind = kind;
    this.store = new ObjectStore(kind, { ...listener, mayFit: () => this.#listAgain() });
    const { metadataOnly = false } = kind;
    const reflected = { path: collectionPath(kind), metadataOnly };
    this.reflector = new Reflector(context, reflected, this.store);
    this.#timer = context.timer ?? realTimer;
  }

  stop(): void {
    this.reflector.stop();
    this.#endRest?.();
  }

  /** Of objects that are left out, nothing is kept: a list reports them again. */
  listAgainIfLeftOut(): void {
    const { leftOut } = this.store.counts();
    if (Object.values(leftOut).some((count) => count > 0)) this.#listAgain();
  }

  /** Lists the collection again: now, or as soon as the last such list is long enough ago. */
  #listAgain(): void {
    this.#isListWanted = this.#endRest !== undefined;
    if (this.#isListWanted) return;
    this.#endRest = this.#timer(LIST_AGAIN_MILLISECONDS, () => {
      this.#endRest = undefined;
      if (this.#isListWanted) this.#listAgain();
    });
    this.reflector.listAgain();
  }
}
