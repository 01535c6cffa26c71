import { setImmediate as nextTurn } from 'node:timers/promises';
import { count } from '../../base/text/cut.ts';
import { sizeProblem } from '../review/object-size.ts';
import { outcomeOf, type WebhookBehaviour } from '../../engine/verdict/compare/outcome.ts';
import { templatesToLookAt, workloadKind } from '../../engine/workload/kinds.ts';
import { EffectFigures, omissionWarnings, refusalWarning, type EffectRefusal } from './effect-text.ts';
import { LiveWorkloads, type LiveWorkloadsDependencies } from './live-workloads.ts';
import type { EffectLimits } from '../http/review-endpoint.ts';
import type { EffectResult, Reviewed } from '../review/decision.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';

/** Limits of one review, as those of PodSecurity when labels of a namespace change. */
export const IMPACT_LIMITS = { workloads: 3000, milliseconds: 1500 } as const;

/** Other requests get their turn after this time, in milliseconds. */
const SLICE_MILLISECONDS = 5;

/**
 * The milliseconds that may be used at once, and that come back in a millisecond. Otherwise a tenant, or any client
 * that reaches the port, could keep the only place for reviews occupied.
 */
const NAMESPACE_ALLOWANCE = { most: 5000, refill: 0.1 };
const CLUSTER_ALLOWANCE = { most: 15_000, refill: 0.25 };

type Snapshots = Readonly<Record<'before' | 'after', Snapshot>>;

export interface ImpactDependencies extends LiveWorkloadsDependencies {
  readonly behaviour: WebhookBehaviour;
  /** Whether the webhook configurations exempt a namespace. */
  readonly isExempt: (namespace: string) => boolean;
  /** Whether the warnings name workloads. Only a caller that the server has authenticated may read names. */
  readonly namesWorkloads: boolean;
  /** The snapshots without and with the policy. Undefined until policies have been read. */
  readonly snapshots: (reviewed: Reviewed) => Snapshots | undefined;
  readonly now: () => number;
  readonly ended: (result: EffectResult) => void;
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
  async warnings(reviewed: Reviewed, request: EffectLimits): Promise<readonly string[]> {
    const { monotonic, ended, snapshots, isExempt } = this.#dependencies;
    const refuse = (refusal: EffectRefusal): readonly string[] => {
      ended(refusal);
      return [refusalWarning(refusal)];
    };
    const { namespace } = reviewed;
    const { most, refill } = namespace === undefined ? CLUSTER_ALLOWANCE : NAMESPACE_ALLOWANCE;
    const key = namespace ?? '';
    const begun = monotonic();
    if (this.#isBusy) return refuse('busy');
    if (((this.#repaidAt.get(key) ?? begun) - begun) * refill >= most) return refuse('allowance');
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
      const now = monotonic();
      for (const [other, at] of this.#repaidAt) if (at <= now) this.#repaidAt.delete(other);
      this.#repaidAt.set(key, (this.#repaidAt.get(key) ?? now) + (now - begun) / refill);
    }
  }

  async #compute(reviewed: Reviewed, both: Snapshots, request: EffectLimits): Promise<readonly string[]> {
    const { isDryRun, isAbandoned } = request;
    const { namespace } = reviewed;
    const { ended, namesWorkloads } = this.#dependencies;
    const milliseconds = Math.min(request.milliseconds, IMPACT_LIMITS.milliseconds);
    const awaited = this.#awaitedBy(reviewed);
    const stop = new AbortController();
    const figures = new EffectFigures();
    let cutShort: string | undefined;
    const finish = (why: string): void => {
      cutShort ??= why;
      stop.abort();
    };
    const timer = setTimeout(() => {
      const seconds = Math.round(milliseconds / 100) / 10;
      finish(`the time limit of ${seconds} s ended the review after ${count(figures.workloads, 'workload')}`);
    }, milliseconds);
    const compare = this.#comparison(both, figures);
    const isOver = (): boolean => stop.signal.aborted || isAbandoned() || figures.workloads >= IMPACT_LIMITS.workloads;
    const take = async (kind: ClusterKind, items: readonly KubernetesObject[]): Promise<number> => {
      const left = await this.#lookAt(items, isOver, (item) => {
        awaited.delete(`${kind.kind} ${item.metadata.name}`);
        compare(kind, item);
      });
      if (left > 0) finish(`a review looks at most at ${IMPACT_LIMITS.workloads} workloads`);
      return left;
    };
    try {
      const lists = await this.#workloads.list({ namespace, signal: stop.signal, take });
      const scope = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
      const omissions = omissionWarnings(lists, scope, cutShort);
      const isWhole = omissions.length === 0;
      ended(isAbandoned() ? 'abandoned' : isWhole ? 'complete' : 'incomplete');
      const sentence = figures.sentence(namesWorkloads) ?? (isDryRun || !isWhole ? figures.none() : []);
      const missing = isWhole ? [...awaited].map((name) => `no ${name} ${scope}`) : [];
      return [sentence, missing, omissions].flat();
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
    const { kinds, behaviour, isExempt, now: clock } = this.#dependencies;
    const now = clock();
    return ({ group, kind: name, apiVersion }, item) => {
      const kind = workloadKind(group, name, kinds);
      const { namespace = '' } = item.metadata;
      if (kind === undefined || isExempt(namespace)) return;
      // Lists of built-in kinds leave out `apiVersion` and `kind`.
      const object: JsonObject = { ...(item as unknown as JsonObject), apiVersion, kind: kind.kind };
      const found = templatesToLookAt(object, kind);
      if ('skipped' in found || sizeProblem(found.templates) !== undefined) return;
      const workload = { object, kind, templates: found.templates, namespace, name: item.metadata.name };
      figures.add(workload, outcomeOf(workload, both.before, both.after, now, behaviour));
    };
  }

  /** The workloads that an exception names, as `Deployment web`. Only kinds that every review lists count. */
  #awaitedBy(reviewed: Reviewed): Set<string> {
    const named = ('exception' in reviewed && reviewed.exception?.spec.workloads) || [];
    const listed = new Set(this.#workloads.builtIn.map(({ kind }) => kind));
    return new Set(named.filter(({ kind }) => listed.has(kind)).map(({ kind, name }) => `${kind} ${name}`));
  }
}
