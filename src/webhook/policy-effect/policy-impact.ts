import { setImmediate as nextTurn } from 'node:timers/promises';
import { ObjectTooLarge, refuseTooLarge } from '../review/object-size.ts';
import { outcomeOf, type WebhookBehaviour } from '../../engine/verdict/compare/outcome.ts';
import { templatesToLookAt, workloadKind, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { EffectFigures, omissionWarnings, REFUSALS, type EffectRefusal } from './effect-text.ts';
import { LiveWorkloads, type LiveWorkloadsDependencies } from './live-workloads.ts';
import type { EffectResult, Reviewed } from '../review/decision.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { Workload } from '../../engine/verdict/compare/workload.ts';

/** Limits of one review, as those of PodSecurity when labels of a namespace change. */
export const IMPACT_LIMITS = { workloads: 3000, milliseconds: 1500 } as const;

/** Other requests get their turn after this time, in milliseconds. */
const SLICE_MILLISECONDS = 5;

/**
 * The milliseconds for policies of one namespace: what may be used at once, and what comes back in a millisecond.
 * Without this limit, a tenant could keep the only place for reviews occupied. Cluster policies have a limit too,
 * because any client that reaches the port can send a review.
 */
const NAMESPACE_ALLOWANCE = { most: 5000, refill: 0.1 };
const CLUSTER_ALLOWANCE = { most: 15_000, refill: 0.25 };

/** The policies without and with a change. */
interface Snapshots {
  readonly before: Snapshot;
  readonly after: Snapshot;
}

/** The inputs for computing the effect of policies. */
export interface ImpactDependencies extends LiveWorkloadsDependencies {
  readonly behaviour: WebhookBehaviour;
  /** Whether the webhook configurations exempt a namespace. */
  readonly isExempt: (namespace: string) => boolean;
  /** Whether the warnings name workloads. Only a caller that the server has authenticated may read names. */
  readonly namesWorkloads: boolean;
  /** The snapshots without and with the policy. Undefined until policies have been read. */
  readonly snapshots: (reviewed: Reviewed) => Snapshots | undefined;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Called once for each review. */
  readonly ended: (result: EffectResult) => void;
}

/** The limits of one computation. */
export interface ImpactRequest {
  readonly milliseconds: number;
  readonly isDryRun: boolean;
  readonly isAbandoned: () => boolean;
}

/** Computes what a policy does to live workloads, by the code of `plan`. One review runs at a time. */
export class PolicyImpact {
  readonly #dependencies: ImpactDependencies;
  readonly #workloads: LiveWorkloads;
  /** When the time that was used will have come back, by namespace; '' = cluster policies. */
  readonly #repaidAt = new Map<string, number>();
  #isBusy = false;

  constructor(dependencies: ImpactDependencies) {
    this.#dependencies = dependencies;
    this.#workloads = new LiveWorkloads(dependencies);
  }

  /** Resolves with warnings for the reply. Never rejects because of the API server. */
  async warnings(reviewed: Reviewed, request: ImpactRequest): Promise<readonly string[]> {
    const { monotonic, ended, snapshots, isExempt } = this.#dependencies;
    const refuse = (refusal: EffectRefusal): readonly string[] => {
      ended(refusal);
      return [REFUSALS[refusal]];
    };
    const { namespace } = reviewed;
    const begun = monotonic();
    if (this.#isBusy) return refuse('busy');
    if (!this.#hasTime(namespace, begun)) return refuse('allowance');
    if (namespace !== undefined && isExempt(namespace)) {
      ended('complete');
      return request.isDryRun ? [`no effect: namespace ${namespace} is exempt from the webhooks`] : [];
    }
    const both = snapshots(reviewed);
    if (both === undefined) return refuse('not-loaded');
    this.#isBusy = true;
    try {
      return await this.#compute(reviewed, both, request);
    } finally {
      this.#isBusy = false;
      this.#charge(namespace, monotonic() - begun, monotonic());
    }
  }

  #hasTime(namespace: string | undefined, now: number): boolean {
    const { most, refill } = allowanceOf(namespace);
    return ((this.#repaidAt.get(namespace ?? '') ?? now) - now) * refill < most;
  }

  #charge(namespace: string | undefined, used: number, now: number): void {
    for (const [key, at] of this.#repaidAt) if (at <= now) this.#repaidAt.delete(key);
    const key = namespace ?? '';
    this.#repaidAt.set(key, (this.#repaidAt.get(key) ?? now) + used / allowanceOf(namespace).refill);
  }

  async #compute(reviewed: Reviewed, both: Snapshots, request: ImpactRequest): Promise<readonly string[]> {
    const { isDryRun, isAbandoned } = request;
    const { namespace } = reviewed;
    const limits = { ...IMPACT_LIMITS, milliseconds: Math.min(request.milliseconds, IMPACT_LIMITS.milliseconds) };
    const awaited = this.#awaitedBy(reviewed);
    const stop = new AbortController();
    const state: { end?: 'time' | 'workloads' } = {};
    const finish = (why: 'time' | 'workloads'): void => {
      state.end ??= why;
      stop.abort();
    };
    const timer = setTimeout(finish, limits.milliseconds, 'time');
    const figures = new EffectFigures();
    const compare = this.#comparison(both, figures);
    const isOver = (): boolean => stop.signal.aborted || isAbandoned() || figures.workloads >= limits.workloads;
    const take = async (kind: ClusterKind, items: readonly KubernetesObject[]): Promise<number> => {
      const left = await this.#lookAt(items, isOver, (item) => {
        awaited.delete(`${kind.kind} ${item.metadata.name}`);
        compare(kind, item);
      });
      if (left > 0) finish('workloads');
      return left;
    };
    try {
      const lists = await this.#workloads.list({ namespace, signal: stop.signal, take });
      const omissions = omissionWarnings(lists, state.end, figures.workloads, limits);
      const isWhole = omissions.length === 0;
      this.#dependencies.ended(isAbandoned() ? 'abandoned' : isWhole ? 'complete' : 'incomplete');
      const none = isDryRun || !isWhole ? figures.none() : undefined;
      const sentence = figures.sentence(this.#dependencies.namesWorkloads) ?? none;
      const missing = isWhole ? [...awaited].map((name) => `no ${name} in namespace ${namespace ?? ''}`) : [];
      return [...(sentence === undefined ? [] : [sentence]), ...missing, ...omissions];
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  /** Looks at items in short slices, one in each turn of the event loop. Resolves with the number that is left. */
  async #lookAt(
    items: readonly KubernetesObject[],
    isOver: () => boolean,
    look: (item: KubernetesObject) => void,
  ): Promise<number> {
    const { monotonic } = this.#dependencies;
    let begun = monotonic();
    for (const [index, item] of items.entries()) {
      if (monotonic() - begun >= SLICE_MILLISECONDS) {
        await nextTurn();
        begun = monotonic();
      }
      if (isOver()) return items.length - index;
      look(item);
    }
    return 0;
  }

  /** Adds what the change does to one workload. Leaves out workloads that `/validate` does not look at either. */
  #comparison(both: Snapshots, figures: EffectFigures): (kind: ClusterKind, item: KubernetesObject) => void {
    const { kinds, behaviour, isExempt } = this.#dependencies;
    const now = this.#dependencies.now();
    return ({ group, kind, apiVersion }, item) => {
      const known = workloadKind(group, kind, kinds);
      const workload = known && workloadOf(item, apiVersion, known);
      if (workload === undefined || isExempt(workload.namespace)) return;
      try {
        refuseTooLarge(workload.templates);
        figures.add(workload, outcomeOf(workload, both.before, both.after, now, behaviour));
      } catch (error) {
        if (!(error instanceof ObjectTooLarge)) throw error;
      }
    };
  }

  /** The workloads that an exception names, as `Deployment web`. Only kinds that every review lists count. */
  #awaitedBy(reviewed: Reviewed): Set<string> {
    const named = ('exception' in reviewed && reviewed.exception?.spec.workloads) || [];
    const listed = new Set(this.#workloads.builtIn.map(({ kind }) => kind));
    return new Set(named.filter(({ kind }) => listed.has(kind)).map(({ kind, name }) => `${kind} ${name}`));
  }
}

function allowanceOf(namespace: string | undefined): { readonly most: number; readonly refill: number } {
  return namespace === undefined ? CLUSTER_ALLOWANCE : NAMESPACE_ALLOWANCE;
}

/** Undefined for objects that the webhook would skip. Lists of built-in kinds leave out `apiVersion` and `kind`. */
function workloadOf(item: KubernetesObject, apiVersion: string, kind: WorkloadKind): Workload | undefined {
  const object: JsonObject = { ...(item as unknown as JsonObject), apiVersion, kind: kind.kind };
  const found = templatesToLookAt(object, kind);
  if ('skipped' in found) return undefined;
  const { name, namespace = '' } = item.metadata;
  return { object, kind, templates: found.templates, namespace, name };
}
