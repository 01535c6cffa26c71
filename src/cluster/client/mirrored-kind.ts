import { projectInto } from './projection.ts';
import { Reflector } from './reflector.ts';
import type { ApiClient } from './api-client.ts';
import type { ClockAndRandom } from './clock-and-random.ts';
import type { Projection, ProjectionStore } from './projection.ts';
import type { Reflected, ReflectorOptions, ReflectorStatus } from './reflector.ts';

/** A kind of the API: its collection, and what is kept of each object. */
export interface KindToMirror<T> extends Reflected {
  readonly project: Projection<T>;
}

/** The reports of a mirrored kind. Nothing is reported after stop. */
export interface MirroredKindListener {
  /** The end of a list, or an event of the watch, is in the store. */
  readonly updated: () => void;
  /** Contact is lost, or back (undefined). Reported once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
}

/**
 * The objects of one kind, mirrored by list and watch. Lists come page by page, and each page is projected and dropped,
 * so a list of large objects never stands in memory as a whole.
 */
export class MirroredKind<T> {
  /** The collection, as in KindToMirror. */
  readonly path: string;
  readonly #reflector: Reflector;

  constructor(
    client: ApiClient,
    kind: KindToMirror<T>,
    store: ProjectionStore<T>,
    listener: MirroredKindListener,
    clock: ClockAndRandom,
    options: ReflectorOptions = {},
  ) {
    const { project, ...reflected } = kind;
    const { listing, applied, deleted } = projectInto(project, store);
    this.path = kind.path;
    this.#reflector = new Reflector(
      client,
      reflected,
      {
        listing: () => {
          const { page, end } = listing();
          return {
            page,
            end: () => {
              end();
              listener.updated();
            },
          };
        },
        applied: (object) => {
          applied(object);
          listener.updated();
        },
        deleted: (object) => {
          deleted(object);
          listener.updated();
        },
        troubled: listener.troubled,
      },
      clock,
      options,
    );
  }

  /** Starts mirroring. Resolves once a whole list has been read, however long that takes; also on stop. */
  start(): Promise<void> {
    return this.#reflector.start();
  }

  stop(): void {
    this.#reflector.stop();
  }

  status(): ReflectorStatus {
    return this.#reflector.status();
  }
}
