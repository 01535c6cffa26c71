import { setImmediate as nextTurn } from 'node:timers/promises';
import { count, cut } from '../../base/text/cut.ts';
import { exceptionSpec } from '../../engine/policy/probe-exception.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import { outcomeOf, type Outcome, type WebhookBehaviour } from '../../engine/verdict/compare/outcome.ts';
import { templatesToLookAt, workloadKind } from '../../engine/workload/kinds.ts';
import { sizeProblem } from '../review/scope.ts';
import { builtInKinds, listWorkloads, type ListProgress, type LiveWorkloadsDependencies } from './live-workloads.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { EffectLimits, PolicyEffect } from '../http/review-endpoint.ts';
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
export function policyImpact(dependencies: ImpactDependencies): PolicyEffect {
  const { monotonic, ended, snapshots, isExempt } = dependencies;
  /** When the time that was used will have come back, by namespace; '' = cluster policies. */
  const repaidAt = new Map<string, number>();
  const told = new Set<string>();
  const leftOut = (resource: string): void => {
    if (!told.has(resource)) dependencies.leftOut(resource);
    told.add(resource);
  };
  let isBusy = false;
  const refuse = (refusal: keyof typeof REFUSALS): readonly string[] => {
    ended(refusal);
    const why = REFUSALS[refusal];
    return [`the effect on live workloads was not computed: ${why}. Run probewright plan for the effect.`];
  };
  return async (reviewed, limits) => {
    const { namespace } = reviewed;
    const { most, refill } = namespace === undefined ? CLUSTER_ALLOWANCE : NAMESPACE_ALLOWANCE;
    const key = namespace ?? '';
    const begun = monotonic();
    if (isBusy) return refuse('busy');
    if (((repaidAt.get(key) ?? begun) - begun) * refill >= most) return refuse('allowance');
    if (namespace !== undefined && isExempt(namespace)) {
      ended('complete');
      return limits.isDryRun ? [`no effect: namespace ${namespace} is exempt from the webhooks`] : [];
    }
    const both = snapshots(reviewed);
    if (both === undefined) return refuse('not-loaded');
    isBusy = true;
    try {
      return await impactOn({ ...dependencies, leftOut }, reviewed, both, limits);
    } finally {
      isBusy = false;
      const now = monotonic();
      for (const [other, at] of repaidAt) if (at <= now) repaidAt.delete(other);
      repaidAt.set(key, (repaidAt.get(key) ?? now) + (now - begun) / refill);
    }
  };
}

/** Resolves with warnings for the reply. Never rejects because of the API server. */
async function impactOn(
  dependencies: ImpactDependencies,
  reviewed: Reviewed,
  both: Snapshots,
  { isDryRun, isAbandoned, milliseconds: given }: EffectLimits,
): Promise<readonly string[]> {
  const { ended, monotonic, kinds } = dependencies;
  const { namespace } = reviewed;
  const milliseconds = Math.min(given, IMPACT_LIMITS.milliseconds);
  const now = dependencies.now();
  const effects: WorkloadEffect[] = [];
  const exception = reviewed.kind === 'exception' ? reviewed.applied : undefined;
  const named = (exception && exceptionSpec(exception).workloads) ?? [];
  const listed = new Set(builtInKinds(kinds).map(({ kind }) => kind));
  const missing = new Set(named.filter(({ kind }) => listed.has(kind)).map(({ kind, name }) => `${kind} ${name}`));
  /** Is aborted with the reason why not all is looked at. */
  const stop = new AbortController();
  const timer = setTimeout(() => {
    const seconds = Math.round(milliseconds / 100) / 10;
    stop.abort(`the time limit of ${seconds} s ended the review after ${count(effects.length, 'workload')}`);
  }, milliseconds);
  /** Looks at items in short slices, one in each turn of the event loop. */
  const take = async (kind: ClusterKind, items: readonly KubernetesObject[]): Promise<number> => {
    let begun = monotonic();
    for (const [index, item] of items.entries()) {
      if (monotonic() - begun >= SLICE_MILLISECONDS) {
        await nextTurn();
        begun = monotonic();
      }
      if (stop.signal.aborted || isAbandoned() || effects.length >= IMPACT_LIMITS.workloads) {
        stop.abort(`a review looks at most at ${IMPACT_LIMITS.workloads} workloads`);
        return items.length - index;
      }
      missing.delete(`${kind.kind} ${item.metadata.name}`);
      const effect = effectOn(kind, item, both, now, dependencies);
      if (effect !== undefined) effects.push(effect);
    }
    return 0;
  };
  const lists = await listWorkloads(dependencies, { namespace, signal: stop.signal, take });
  clearTimeout(timer);
  const scope = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const omissions = omissionWarnings(lists, scope, stop.signal);
  const isWhole = omissions.length === 0;
  ended(isAbandoned() ? 'abandoned' : isWhole ? 'complete' : 'incomplete');
  const effect = effects.some(({ isAffected }) => isAffected)
    ? [effectSentence(effects, dependencies.namesWorkloads)]
    : isDryRun || !isWhole
      ? [`no effect on ${count(effects.length, 'workload')}: no other probes, no new warnings or denials.`]
      : [];
  return [...effect, ...(isWhole ? [...missing].map((name) => `no ${name} ${scope}`) : []), ...omissions];
}

/** What the change does to one workload. Undefined for a workload that `/validate` does not look at either. */
function effectOn(
  of: ClusterKind,
  item: KubernetesObject,
  { before, after }: Snapshots,
  now: number,
  { kinds, behaviour, isExempt }: ImpactDependencies,
): WorkloadEffect | undefined {
  const kind = workloadKind(of.group, of.kind, kinds);
  const { namespace = '', name } = item.metadata;
  if (kind === undefined || isExempt(namespace)) return undefined;
  // Lists of built-in kinds leave out `apiVersion` and `kind`.
  const object: JsonObject = { ...(item as unknown as JsonObject), apiVersion: of.apiVersion, kind: kind.kind };
  const found = templatesToLookAt(object, kind);
  if (found.kind === 'skipped' || sizeProblem(found.templates) !== undefined) return undefined;
  const workload = { object, kind, pods: readPods(found.templates, kind), namespace, name };
  const { probes, violations, denied, warned } = outcomeOf(workload, before, after, now, behaviour);
  const deniedBy = violations.flatMap((change) => (change.after === 'Deny' ? [change.violation.check] : []));
  return {
    place: `${kind.kind} ${namespace}/${name}`,
    isAffected: probes.length + violations.length > 0,
    hasOtherProbes: probes.length > 0,
    denied,
    warned,
    deniedBy: denied === 'new' ? [...new Set(deniedBy)] : [],
  };
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

/** Says what was not looked at, and why: the limit that ended the review (`ended`), or a list that failed. */
function omissionWarnings(lists: readonly ListProgress[], scope: string, ended: AbortSignal): string[] {
  const failed = lists.flatMap(({ resource, failure }) =>
    failure === undefined ? [] : [`the effect leaves out ${resource}: cannot list ${resource} ${scope}: ${failure}`],
  );
  const left = lists.flatMap(({ resource, left: amount, failure }) =>
    failure === undefined && amount !== undefined ? [`${amount} ${resource}`] : [],
  );
  if (!ended.aborted || left.length === 0) return failed;
  return [`the figures are incomplete: ${String(ended.reason)}. Not looked at: ${left.join(', ')}`, ...failed];
}
