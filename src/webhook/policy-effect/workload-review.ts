import { ObjectTooLarge, refuseTooLarge } from '../review/object-size.ts';
import { outcomeOf } from '../../engine/verdict/compare/outcome.ts';
import { templatesToLookAt, workloadKind } from '../../engine/workload/kinds.ts';
import { inBackground } from './background-work.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { Outcome, WebhookBehaviour } from '../../engine/verdict/compare/outcome.ts';
import type { Workload } from '../../engine/verdict/compare/workload.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { Turns } from './background-work.ts';
import type { EffectFigures } from './effect-figures.ts';

/** The policies without and with a change. */
export interface Snapshots {
  readonly before: Snapshot;
  readonly after: Snapshot;
}

/** How the workloads of one review are looked at. */
export interface WorkloadReviewOptions extends Snapshots {
  readonly kinds: readonly WorkloadKind[];
  /** The instant of all verdicts, in milliseconds since the epoch. */
  readonly now: number;
  readonly behaviour: WebhookBehaviour;
  readonly isExempt: (namespace: string) => boolean;
  readonly turns: Turns;
  /** True = the review is given up. */
  readonly isOver: () => boolean;
  readonly figures: EffectFigures;
  /** The most workloads that are looked at. */
  readonly most: number;
  /** Workloads as `Deployment web`. Those that are found are removed. */
  readonly awaited: Set<string>;
}

/** Looks at the workloads of pages, one page after the other, in the background. */
export class WorkloadReview {
  readonly #options: WorkloadReviewOptions;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(options: WorkloadReviewOptions) {
    this.#options = options;
  }

  /** No further workload is looked at. */
  get isFull(): boolean {
    return this.#options.figures.workloads >= this.#options.most;
  }

  /** Resolves with the number of objects of the page that were not looked at. */
  async page(kind: ClusterKind, items: readonly KubernetesObject[]): Promise<number> {
    const { turns, isOver } = this.#options;
    let left = items.length;
    const lookAt = (item: KubernetesObject): void => {
      this.#lookAt(kind, item);
      left -= 1;
    };
    // Pages of several kinds arrive at the same time. In turn, they take as much of the processor as one page.
    const looked = this.#previous.then(() => inBackground(items, lookAt, turns, () => this.isFull || isOver()));
    this.#previous = looked.catch(() => undefined);
    await looked;
    return left;
  }

  #lookAt({ group, kind, apiVersion }: ClusterKind, item: KubernetesObject): void {
    const { kinds, isExempt, figures, awaited } = this.#options;
    const known = workloadKind(group, kind, kinds);
    if (awaited.size > 0) awaited.delete(`${kind} ${item.metadata.name}`);
    const workload = known && workloadOf(item, apiVersion, known);
    if (workload === undefined || isExempt(workload.namespace)) return;
    const outcome = this.#outcomeOf(workload);
    if (outcome !== undefined) figures.add(workload, outcome);
  }

  /** Undefined for a workload that `/validate` does not look at either. */
  #outcomeOf(workload: Workload): Outcome | undefined {
    const { before, after, now, behaviour } = this.#options;
    try {
      refuseTooLarge(workload.templates);
      return outcomeOf(workload, before, after, now, behaviour);
    } catch (error) {
      if (error instanceof ObjectTooLarge) return undefined;
      throw error;
    }
  }
}

/** Undefined for objects that the webhook would skip. Lists of built-in kinds leave out `apiVersion` and `kind`. */
function workloadOf(item: KubernetesObject, apiVersion: string, kind: WorkloadKind): Workload | undefined {
  const object: JsonObject = { ...(item as unknown as JsonObject), apiVersion, kind: kind.kind };
  const found = templatesToLookAt(object, kind);
  if ('skipped' in found) return undefined;
  const { name, namespace = '' } = item.metadata;
  return { object, kind, templates: found.templates, namespace, name };
}
