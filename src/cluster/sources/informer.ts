import { parseInstant } from '../../base/text/duration.ts';
import { Reflector, type Reflected, type ReflectorContext, type ReflectorStatus } from '../client/reflector.ts';
import { realTimer, type Timer } from '../client/timing.ts';
import { rootOf } from './cluster-kinds.ts';
import { ObjectStore, type Named, type StoreListener, type StoredKind } from './object-store.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Facts } from '../../engine/facts/facts.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { FactKind } from './fact-kinds.ts';

/** The context of a reflector, and the timer of its pauses between lists. Absent: the real one. */
export interface InformerContext extends ReflectorContext {
  readonly timer?: Timer;
}

export interface InformedKind<T extends Named> extends Reflected, StoredKind<T> {
  /** A source waits for the first list. */
  readonly isRequired: boolean;
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

  constructor(context: InformerContext, kind: InformedKind<T>, listener: InformerListener<T>) {
    this.store = new ObjectStore(kind, { ...listener, mayFit: () => this.#listAgain() });
    this.isRequired = kind.isRequired;
    this.#reflector = new Reflector(context, kind, this.store);
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
    this.informer = new Informer(context, informedFactKind(kind), { ...listener, changed });
  }

  get isChanged(): boolean {
    return this.#facts === undefined;
  }

  facts(): Partial<Facts> {
    const { store } = this.informer;
    return (this.#facts ??= this.kind.facts(store.isComplete ? store.lists() : undefined));
  }
}

/** A fact of a cluster. Seconds take less memory than milliseconds. */
type Mirrored<T> = T & { readonly createdSeconds?: number };

/** A kind of facts as it is mirrored. */
export function informedFactKind<T extends Named>(kind: FactKind<T>): InformedKind<Mirrored<T>> {
  return {
    ...kind,
    path: `${rootOf(kind.apiVersion)}/${kind.resource}`,
    bytesOf: (fact) => kind.bytes(fact),
    createdOf: (fact) => kind.createdOf?.(fact) ?? 1000 * (fact.createdSeconds ?? 0),
    read: (object, before) => {
      const reading = kind.read(object as unknown as JsonObject);
      if (reading?.problems !== undefined || reading === undefined) return reading;
      const created = parseInstant(String(object.metadata.creationTimestamp)) ?? 0;
      const kept = kind.mirrored?.(reading.fact) ?? reading.fact;
      const fact =
        kind.createdOf === undefined ? Object.assign(kept, { createdSeconds: Math.trunc(created / 1000) }) : kept;
      return { fact: before !== undefined && isDeepStrictEqual(before, fact) ? before : fact };
    },
  };
}
