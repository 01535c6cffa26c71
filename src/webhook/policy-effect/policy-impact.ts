import { ApiError, hasCode } from '../../cluster/client/api-error.ts';
import { inParallel } from '../../cluster/client/in-parallel.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { cut } from '../../base/text/cut.ts';
import { EffectFigures } from './effect-figures.ts';
import { omissionWarnings, REFUSALS } from './effect-warnings.ts';
import { resourceOf } from '../../cluster/sources/cluster-kinds.ts';
import { ReviewedKinds } from './reviewed-kinds.ts';
import { TimeAllowance } from './time-allowance.ts';
import { forEachWorkloadPage } from './workload-list.ts';
import { WorkloadReview } from './workload-review.ts';
import type { EffectResult } from '../review/effect-result.ts';
import type { Reviewed } from '../review/decision.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { WebhookBehaviour } from '../../engine/verdict/compare/outcome.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { Turns } from './background-work.ts';
import type { EffectEnd, EffectRefusal, ListProgress } from './effect-warnings.ts';
import type { Page } from '../../cluster/client/paged-list.ts';
import type { ListPlace } from './workload-list.ts';
import type { Snapshots } from './workload-review.ts';

/** Limits of one review, as those of PodSecurity when labels of a namespace change. */
export const IMPACT_LIMITS = { workloads: 3000, milliseconds: 1500 } as const;

/** The lists that are read at once. A slow API server then answers about more kinds in time. */
const MOST_LISTS_AT_ONCE = 3;

/**
 * The time for policies of one namespace: a tenth of the time, after a reserve for `kubectl apply` of a directory.
 * Without this limit, a tenant could keep the only place for reviews occupied. Cluster policies have a limit too,
 * because any client that reaches the port can send a review.
 */
const NAMESPACE_ALLOWANCE = { most: 5000, refill: 0.1 };
const CLUSTER_ALLOWANCE = { most: 15_000, refill: 0.25 };

/** The inputs for computing the effect of policies. */
export interface ImpactDependencies {
  readonly client: Pick<ApiClient, 'measured' | 'request'>;
  readonly kinds: readonly WorkloadKind[];
  readonly behaviour: WebhookBehaviour;
  /** Whether the webhook configurations exempt a namespace. */
  readonly isExempt: (namespace: string) => boolean;
  /** Whether the warnings name workloads. Only a caller that the server has authenticated may read names. */
  readonly namesWorkloads: boolean;
  /** The snapshots without and with the policy. Undefined until policies have been read. */
  readonly snapshots: (reviewed: Reviewed) => Snapshots | undefined;
  readonly turns: Turns;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Called once for each review. */
  readonly ended: (result: EffectResult) => void;
  /** Called once for each ready-made kind that the cluster has and that may not be listed: `rollouts.argoproj.io`. */
  readonly leftOut: (resource: string) => void;
}

/** The limits of one computation. */
export interface ImpactRequest {
  readonly milliseconds: number;
  readonly isDryRun: boolean;
  readonly isAbandoned: () => boolean;
}

/**
 * Computes what a policy does to live workloads, by the code of `plan`. Nothing is kept between reviews, except the
 * list of custom kinds. One review runs at a time, in the background of `/mutate` and `/validate`.
 */
export class PolicyImpact {
  readonly #dependencies: ImpactDependencies;
  readonly #kinds: ReviewedKinds;
  readonly #ofNamespaces = new TimeAllowance(NAMESPACE_ALLOWANCE);
  readonly #ofCluster = new TimeAllowance(CLUSTER_ALLOWANCE);
  readonly #leftOut = new Set<string>();
  #isBusy = false;

  constructor(dependencies: ImpactDependencies) {
    this.#dependencies = dependencies;
    const { client, kinds, turns } = dependencies;
    this.#kinds = new ReviewedKinds(client, kinds, turns.monotonic);
  }

  /** Resolves with warnings for the reply. Never rejects because of the API server. */
  async warnings(reviewed: Reviewed, request: ImpactRequest): Promise<readonly string[]> {
    const { turns, ended, snapshots } = this.#dependencies;
    const refuse = (refusal: EffectRefusal): readonly string[] => {
      ended(refusal);
      return [REFUSALS[refusal]];
    };
    const { namespace } = reviewed;
    const begun = turns.monotonic();
    if (this.#isBusy) return refuse('busy');
    const allowance = namespace === undefined ? this.#ofCluster : this.#ofNamespaces;
    const key = namespace ?? '';
    if (!allowance.has(key, begun)) return refuse('allowance');
    if (namespace !== undefined && this.#dependencies.isExempt(namespace)) {
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
      const now = turns.monotonic();
      allowance.charge(key, now - begun, now);
    }
  }

  async #compute(
    reviewed: Reviewed,
    both: Snapshots,
    { milliseconds, isDryRun, isAbandoned }: ImpactRequest,
  ): Promise<readonly string[]> {
    const { kinds, behaviour, now, turns, ended, isExempt } = this.#dependencies;
    const { namespace } = reviewed;
    const awaited = this.#awaitedBy(reviewed);
    const limits = {
      workloads: IMPACT_LIMITS.workloads,
      milliseconds: Math.min(milliseconds, IMPACT_LIMITS.milliseconds),
    };
    const stop = new AbortController();
    const state: { end?: EffectEnd } = {};
    const finish = (why: EffectEnd): void => {
      state.end ??= why;
      stop.abort();
    };
    const timer = setTimeout(finish, limits.milliseconds, 'time');
    const figures = new EffectFigures(this.#dependencies.namesWorkloads);
    const isOver = (): boolean => stop.signal.aborted || isAbandoned();
    const review = new WorkloadReview({
      ...both,
      kinds,
      now: now(),
      behaviour,
      isExempt,
      turns,
      isOver,
      figures,
      most: limits.workloads,
      awaited,
    });
    try {
      const lists = await this.#list(namespace, review, stop.signal, () => finish('workloads'));
      const omissions = omissionWarnings(lists, state.end, figures.workloads, limits);
      ended(isAbandoned() ? 'abandoned' : omissions.length > 0 ? 'incomplete' : 'complete');
      const sentence = figures.sentence() ?? (isDryRun || omissions.length > 0 ? figures.none() : undefined);
      const missing =
        omissions.length > 0 ? [] : [...awaited].map((name) => `no ${name} in namespace ${namespace ?? ''}`);
      return [...(sentence === undefined ? [] : [sentence]), ...missing, ...omissions];
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  /** The workloads that an exception names, as `Deployment web`. Only kinds that every review lists count. */
  #awaitedBy(reviewed: Reviewed): Set<string> {
    const named = ('exception' in reviewed && reviewed.exception?.spec.workloads) || [];
    const listed = new Set(this.#kinds.builtIn.map(({ kind }) => kind));
    return new Set(named.filter(({ kind }) => listed.has(kind)).map(({ kind, name }) => `${kind} ${name}`));
  }

  /** Lists the built-in kinds first, then the custom kinds that the API server has named in the meantime. */
  async #list(
    namespace: string | undefined,
    review: WorkloadReview,
    signal: AbortSignal,
    full: () => void,
  ): Promise<readonly ListProgress[]> {
    const discovery = this.#kinds.custom(signal).catch((error: unknown) => failureOf(error));
    const listAll = async (kinds: readonly ClusterKind[]): Promise<readonly ListProgress[]> => {
      const lists = kinds.map((kind) => ({ kind, progress: newProgress(resourceOf(kind), namespace) }));
      await inParallel(lists, MOST_LISTS_AT_ONCE, async ({ kind, progress }) => {
        if (!signal.aborted) await this.#listOne({ kind, namespace }, progress, { review, signal, full });
      });
      return lists.map(({ progress }) => progress);
    };
    const builtIn = await listAll(this.#kinds.builtIn);
    const found = await discovery;
    if (typeof found !== 'string') return [...builtIn, ...(await listAll(found))];
    // After the end of the time, the failure only says that the request was given up.
    return [...builtIn, { ...newProgress('custom kinds', namespace), ...(!signal.aborted && { failure: found }) }];
  }

  async #listOne(
    place: ListPlace,
    progress: ListProgress,
    {
      review,
      signal,
      full,
    }: { readonly review: WorkloadReview; readonly signal: AbortSignal; readonly full: () => void },
  ): Promise<void> {
    const take = async ({ items, remaining, continue: next }: Page): Promise<void> => {
      progress.hasBegun = true;
      const left = await review.page(place.kind, items);
      progress.remaining = next === undefined ? left : remaining === undefined ? undefined : left + remaining;
      progress.isComplete = next === undefined && left === 0;
      if (left > 0 || (review.isFull && next !== undefined)) full();
    };
    try {
      await forEachWorkloadPage(this.#dependencies.client, place, signal, take);
    } catch (error) {
      // The rest of a list that was given up is named as not looked at.
      if (signal.aborted) return;
      // Old API servers lack some versions of built-in kinds, and custom kinds may have been removed.
      if (hasCode(error, 404) || (hasCode(error, 403) && this.#leavesOut(place.kind))) progress.isComplete = true;
      else progress.failure = hasCode(error, 403) ? 'forbidden' : failureOf(error);
    }
  }

  /** True for a ready-made kind. The people who apply policies do not grant rights, so the log names the kind. */
  #leavesOut(kind: ClusterKind): boolean {
    if (!this.#kinds.leaveOut(kind)) return false;
    const resource = resourceOf(kind);
    if (!this.#leftOut.has(resource)) this.#dependencies.leftOut(resource);
    this.#leftOut.add(resource);
    return true;
  }
}

function newProgress(resource: string, namespace: string | undefined): ListProgress {
  const scope = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  return { resource, scope, isComplete: false, hasBegun: false, remaining: undefined, failure: undefined };
}

/** The words of the API server may name users, and are long. */
function failureOf(error: unknown): string {
  return error instanceof ApiError ? `HTTP ${error.code}` : cut(messageOf(error), 100);
}
