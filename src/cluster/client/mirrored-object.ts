import { Reflector, type ReflectorContext, type ReflectorListener } from './reflector.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

export interface MirrorListener extends Pick<ReflectorListener, 'troubled'> {
  readonly changed: () => void;
}

/** A write that has not shown up in the mirror after this long, by the wall clock, is no longer waited for. */
const PATIENCE_MILLISECONDS = 30_000;

/** One object, as last told of. After a write the watch must be waited for: a decision before goes by an old state. */
export class MirroredObject extends Reflector {
  object: KubernetesObject | undefined;
  /** Grows with every change: says which one a decision was made on. 0 = nothing is known yet. */
  generation = 0;
  #awaited: { readonly generation: number; readonly since: number } | undefined;

  constructor(context: ReflectorContext, collection: string, name: string, { changed, troubled }: MirrorListener) {
    const replace = (object: KubernetesObject | undefined): void => {
      this.object = object;
      this.generation += 1;
      changed();
    };
    super(
      context,
      // RBAC rules with resourceNames allow list and watch in this form only.
      { path: collection, fieldSelector: `metadata.name=${name}` },
      {
        seen: (objects) => objects.forEach(replace),
        gone: () => replace(undefined),
        listed: (uids) => uids.has(this.object?.metadata.uid ?? '') || replace(undefined),
        troubled,
      },
    );
  }

  get isKnown(): boolean {
    return this.generation > 0;
  }

  /** True while the object is known and a watch is open, so that it is as we see it. */
  get isCurrent(): boolean {
    return this.isKnown && this.status().watching;
  }

  /** To be called after a write with the generation that it was decided on: the change may come before the answer. */
  awaitChange(generation: number, now: number): void {
    this.#awaited = { generation, since: now };
  }

  /** True while a change is bound to come. */
  isAwaited(now: number): boolean {
    return this.#awaited?.generation === this.generation && Math.abs(now - this.#awaited.since) < PATIENCE_MILLISECONDS;
  }
}
