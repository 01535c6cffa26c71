import { Reflector, type Listing } from './reflector.ts';
import type { ApiClient } from './api-client.ts';
import type { ClockAndRandom } from './timing.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

/** Which object. */
export interface ObjectAddress {
  /** Its collection, for example `/api/v1/namespaces/default/secrets`. */
  readonly collection: string;
  readonly name: string;
}

/** The reports of a mirror. */
export interface MirrorListener {
  readonly changed: () => void;
  /** Contact is lost, or back (undefined). */
  readonly troubled: (problem: string | undefined) => void;
}

/** A write that has not shown up in the mirror after this long, by the wall clock, is no longer waited for. */
const PATIENCE_MILLISECONDS = 30_000;

/**
 * One object, as the API server last told of it. Only list and watch are needed. After a write the watch must be waited
 * for: what was decided before it may be decided wrongly, or once more.
 */
export class MirroredObject {
  readonly #address: ObjectAddress;
  readonly #reflector: Reflector;
  readonly #listener: MirrorListener;
  #object: KubernetesObject | undefined;
  #isKnown = false;
  #generation = 0;
  #awaited: { readonly generation: number; readonly since: number } | undefined;

  constructor(
    client: ApiClient,
    address: ObjectAddress,
    listener: MirrorListener,
    clock: ClockAndRandom & { readonly watchRenewalMilliseconds?: number },
  ) {
    this.#address = address;
    this.#listener = listener;
    const what = { path: address.collection, name: address.name };
    const events = {
      listing: () => this.#listing(),
      applied: (object: KubernetesObject) => this.#isOurs(object) && this.#replace(object),
      deleted: (object: KubernetesObject) => this.#isOurs(object) && this.#replace(undefined),
      troubled: (problem: string | undefined) => this.#listener.troubled(problem),
    };
    const options = { renewalMilliseconds: clock.watchRenewalMilliseconds };
    this.#reflector = new Reflector(client, what, events, clock, options);
  }

  /** Resolves once the object, or that there is none, is known. */
  start(): Promise<void> {
    return this.#reflector.start();
  }

  stop(): void {
    this.#reflector.stop();
  }

  /** The object; undefined when there is none, or nothing is known yet. */
  get object(): KubernetesObject | undefined {
    return this.#object;
  }

  /** True once it is known whether there is the object. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** True while the object is known and a watch is open, so that it is as we see it. */
  get isCurrent(): boolean {
    return this.#isKnown && this.#reflector.status().watching;
  }

  /** Grows with every change: says which one a decision was made on. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * To be called when a write is through, or has failed because the object is no longer what we took it for.
   *
   * @param generation what the write was decided on: the change may have come before the answer to the write
   */
  awaitChange(generation: number, now: number): void {
    this.#awaited = { generation, since: now };
  }

  /** True while a change is bound to come. */
  isAwaited(now: number): boolean {
    if (this.#awaited?.generation !== this.#generation) return false;
    return Math.abs(now - this.#awaited.since) < PATIENCE_MILLISECONDS;
  }

  #listing(): Listing {
    let found: KubernetesObject | undefined;
    return {
      page: (objects) => (found ??= objects.find((object) => this.#isOurs(object))),
      end: () => this.#replace(found),
    };
  }

  #isOurs(object: KubernetesObject): boolean {
    return object.metadata.name === this.#address.name;
  }

  #replace(object: KubernetesObject | undefined): void {
    this.#object = object;
    this.#isKnown = true;
    this.#generation++;
    this.#listener.changed();
  }
}
