import { setImmediate as nextTurn } from 'node:timers/promises';
import { count, cut } from '../../base/text/cut.ts';
import { outcomeOf, type WebhookBehaviour } from '../../engine/verdict/compare/outcome.ts';
import { templatesToLookAt, workloadKind } from '../../engine/workload/kinds.ts';
import { sizeProblem } from '../review/scope.ts';
import { builtInKinds, listWorkloads, type ListProgress, type LiveWorkloadsDependencies } from './live-workloads.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Outcome } from '../../engine/verdict/compare/outcome.ts';
import type { EffectLimits } from '../http/review-endpoint.ts';
import type { EffectResult, Reviewed } from '../review/decision.ts';

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

/** Why the effect was not computed at all. */
const REFUSALS = {
  busy: 'the effect of another policy is being computed',
  allowance: 'reviews of such policies took much time lately',
  'not-loaded': 'the policies in force are not loaded yet',
} as const satisfies Partial<Record<EffectResult, string>>;

/** The workloads that are named, and the checks that are named for a workload. */
const MOST_NAMED = 3;
/** Kubernetes allows 253 characters for a name. Three of them would not leave room for the figures. */
const LONGEST_PLACE = 120;

type Snapshots = Readonly<Record<'before' | 'after', Snapshot>>;

export interface ImpactDependencies extends LiveWorkloadsDependencies {
  readonly behaviour: WebhookBehaviour;
  readonly isExempt: (namespace: string) => boolean;
  /** Whether the warnings name workloads. Only a caller that the server has authenticated may read names. */
  readonly namesWorkloads: boolean;
  /** The snapshots without and with the policy. Undefined until policies have been read. */
  readonly snapshots: (reviewed: Reviewed) => Snapshots | undefined;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly ended: (result: EffectResult) => void;
}

/** Computes what a policy does to live workloads, by the code of `plan`. One review runs at a time. */
export class PolicyImpact {
  readonly #dependencies: ImpactDependencies;
  /** When the time that was used will have come back, by namespace; '' = cluster policies. */
  readonly #repaidAt = new Map<string, number>();
  #isBusy = false;

  constructor(dependencies: ImpactDependencies) {
    const told = new Set<string>();
    const leftOut = (resource: string): void => {
      if (!told.has(resource)) dependencies.leftOut(resource);
      told.add(resource);
    };
    this.#dependencies = { ...dependencies, leftOut };
  }

  /** Resolves with warnings for the reply. Never rejects because of the API server. */
  async warnings(reviewed: Reviewed, request: EffectLimits): Promise<readonly string[]> {
    const { monotonic, ended, snapshots, isExempt } = this.#dependencies;
    const refuse = (refusal: keyof typeof REFUSALS): readonly string[] => {
      ended(refusal);
      const why = REFUSALS[refusal];
      return [`the effect on live workloads was not computed: ${why}. Run probewright plan for the effect.`];
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
    const { ended, namesWorkloads, now: clock, monotonic } = this.#dependencies;
    const milliseconds = Math.min(request.milliseconds, IMPACT_LIMITS.milliseconds);
    const awaited = this.#awaitedBy(reviewed);
    const stop = new AbortController();
    const effects: WorkloadEffect[] = [];
    let cutShort: string | undefined;
    const finish = (why: string): void => {
      cutShort ??= why;
      stop.abort();
    };
    const timer = setTimeout(() => {
      const seconds = Math.round(milliseconds / 100) / 10;
      finish(`the time limit of ${seconds} s ended the review after ${count(effects.length, 'workload')}`);
    }, milliseconds);
    const now = clock();
    /** Looks at items in short slices, one in each turn of the event loop. */
    const take = async (kind: ClusterKind, items: readonly KubernetesObject[]): Promise<number> => {
      let begun = monotonic();
      for (const [index, item] of items.entries()) {
        if (monotonic() - begun >= SLICE_MILLISECONDS) {
          await nextTurn();
          begun = monotonic();
        }
        if (stop.signal.aborted || isAbandoned() || effects.length >= IMPACT_LIMITS.workloads) {
          finish(`a review looks at most at ${IMPACT_LIMITS.workloads} workloads`);
          return items.length - index;
        }
        awaited.delete(`${kind.kind} ${item.metadata.name}`);
        effects.push(...this.#effectOn(kind, item, both, now));
      }
      return 0;
    };
    try {
      const lists = await listWorkloads(this.#dependencies, { namespace, signal: stop.signal, take });
      const scope = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
      const omissions = omissionWarnings(lists, scope, cutShort);
      const isWhole = omissions.length === 0;
      ended(isAbandoned() ? 'abandoned' : isWhole ? 'complete' : 'incomplete');
      const effect = effects.some(({ isAffected }) => isAffected)
        ? [effectSentence(effects, namesWorkloads)]
        : isDryRun || !isWhole
          ? [`no effect on ${count(effects.length, 'workload')}: no other probes, no new warnings or denials.`]
          : [];
      const missing = isWhole ? [...awaited].map((name) => `no ${name} ${scope}`) : [];
      return [...effect, ...missing, ...omissions];
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }

  /** What the change does to one workload. Leaves out workloads that `/validate` does not look at either. */
  #effectOn(of: ClusterKind, item: KubernetesObject, both: Snapshots, now: number): readonly WorkloadEffect[] {
    const { kinds, behaviour, isExempt } = this.#dependencies;
    const kind = workloadKind(of.group, of.kind, kinds);
    const { namespace = '', name } = item.metadata;
    if (kind === undefined || isExempt(namespace)) return [];
    // Lists of built-in kinds leave out `apiVersion` and `kind`.
    const object: JsonObject = { ...(item as unknown as JsonObject), apiVersion: of.apiVersion, kind: kind.kind };
    const found = templatesToLookAt(object, kind);
    if (found.kind === 'skipped' || sizeProblem(found.templates) !== undefined) return [];
    const workload = { object, kind, templates: found.templates, namespace, name };
    const { probes, violations, denied, warned } = outcomeOf(workload, both.before, both.after, now, behaviour);
    const deniedBy = violations.flatMap(({ violation, after }) => (after === 'Deny' ? [violation.check] : []));
    return [
      {
        place: `${kind.kind} ${namespace}/${name}`,
        isAffected: probes.length + violations.length > 0,
        hasOtherProbes: probes.length > 0,
        denied,
        warned,
        deniedBy: denied === 'new' ? [...new Set(deniedBy)] : [],
      },
    ];
  }

  #awaitedBy(reviewed: Reviewed): Set<string> {
    const named = ('exception' in reviewed && reviewed.exception?.spec.workloads) || [];
    const listed = new Set(builtInKinds(this.#dependencies.kinds).map(({ kind }) => kind));
    return new Set(named.filter(({ kind }) => listed.has(kind)).map(({ kind, name }) => `${kind} ${name}`));
  }
}

/** What the text needs of one workload: little, as there may be thousands of large ones. */
interface WorkloadEffect extends Pick<Outcome, 'denied' | 'warned'> {
  readonly place: string;
  readonly isAffected: boolean;
  readonly hasOtherProbes: boolean;
  /** The checks that will deny the next change and did not deny it before. */
  readonly deniedBy: readonly string[];
}

/** Not every reader may know names of workloads in all namespaces (`namesWorkloads`). */
function effectSentence(effects: readonly WorkloadEffect[], namesWorkloads: boolean): string {
  const number = (has: (effect: WorkloadEffect) => boolean): number => effects.filter(has).length;
  const others = number(({ hasOtherProbes }) => hasOtherProbes);
  const [gets, its] = others === 1 ? ['gets', 'its'] : ['get', 'their'];
  const parts: readonly (readonly [number, string])[] = [
    [number(({ denied }) => denied === 'gone'), 'would no longer be denied'],
    [number(({ warned }) => warned === 'new'), 'would get warnings'],
    [number(({ warned }) => warned === 'gone'), 'would no longer get warnings'],
    [others, `${gets} other probes at ${its} next rollout`],
  ];
  const further = parts.filter(([figure]) => figure > 0).map(([figure, text]) => `${figure} ${text}`);
  return `${[deniedPart(effects, namesWorkloads), ...further].join('; ')}. Run probewright plan for details.`;
}

function deniedPart(effects: readonly WorkloadEffect[], namesWorkloads: boolean): string {
  const denied = effects.filter((effect) => effect.denied === 'new');
  const whose = denied.length === 1 ? 'its' : 'their';
  const text = `${denied.length} of ${count(effects.length, 'workload')} would be denied at ${whose} next change`;
  if (denied.length === 0 || !namesWorkloads) return text;
  // Pages of several kinds arrive in any order. The first names by the alphabet are the same at each review.
  const first = denied.sort((a, b) => (a.place < b.place ? -1 : 1)).slice(0, MOST_NAMED);
  const names = first.map(({ place, deniedBy }) => {
    const more = deniedBy.length > MOST_NAMED ? ', ...' : '';
    return `${cut(place, LONGEST_PLACE)} (${deniedBy.slice(0, MOST_NAMED).join(', ')}${more})`;
  });
  const unnamed = denied.length - names.length;
  return `${text}: ${names.join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}`;
}

/** Says what was not looked at, and why: the limit that ended the review (`cutShort`), or a list that failed. */
function omissionWarnings(lists: readonly ListProgress[], scope: string, cutShort: string | undefined): string[] {
  const failed = lists.flatMap(({ resource, failure }) =>
    failure === undefined ? [] : [`the effect leaves out ${resource}: cannot list ${resource} ${scope}: ${failure}`],
  );
  const left = lists.flatMap(({ resource, left: amount, failure }) =>
    failure === undefined && amount !== undefined ? [`${amount} ${resource}`] : [],
  );
  if (cutShort === undefined || left.length === 0) return failed;
  return [`the figures are incomplete: ${cutShort}. Not looked at: ${left.join(', ')}`, ...failed];
}
