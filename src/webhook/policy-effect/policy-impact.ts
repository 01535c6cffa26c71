import { scopeWords } from '../../cluster/client/live-reader.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareText, count, cut } from '../../base/text/cut.ts';
import { exceptionSpec } from '../../engine/policy/probe-exception.ts';
import { storedPod } from '../review/stored-pod.ts';
import { outcomeOf, type WorkloadOutcome } from '../../engine/verdict/compare/outcome.ts';
import { addTo, effectSentence, emptySummary, type Rung } from '../../engine/verdict/compare/plan.ts';
import { templatesToLookAt, workloadKind } from '../../engine/workload/kinds.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import { sizeProblem } from '../../engine/workload/size-limits.ts';
import { builtInKinds, listWorkloads, type LiveWorkloadsDependencies } from './live-workloads.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { EffectLimits, PolicyEffect } from '../http/review-endpoint.ts';
import type { Reviewed } from '../review/decision.ts';
import type { EffectResult } from '../http/metrics.ts';

/** The time of one review. PodSecurity takes a second when labels of a namespace change. */
export const IMPACT_MILLISECONDS = 1500;
const TURN_MILLISECONDS = 5;

/** Why the effect was not computed at all. */
const REFUSALS = {
  busy: 'the effect of another policy is being computed',
  'not-loaded': 'the policies in force are not loaded yet',
} as const satisfies Partial<Record<EffectResult, string>>;

/** The workloads that are named, and the checks that are named for a workload. */
const MOST_NAMED = 3;
/** Kubernetes allows 253 characters for a name. Three of them would not leave room for the figures. */
const LONGEST_PLACE = 120;

type Snapshots = Readonly<Record<'before' | 'after', Snapshot>>;

export interface ImpactDependencies extends LiveWorkloadsDependencies {
  /** Of the server. The figures are those of the top rung, and the text says what the server holds back. */
  readonly rung: Rung;
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
  const { ended, snapshots, isExempt } = dependencies;
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
    if (isBusy) return refuse('busy');
    if (namespace !== undefined && isExempt(namespace)) {
      ended('complete');
      return limits.isDryRun ? [`no effect: namespace ${namespace} is exempt from the webhooks`] : [];
    }
    const both = snapshots(reviewed);
    if (both === undefined) return refuse('not-loaded');
    isBusy = true;
    try {
      const once = { before: both.before.forOneReview(), after: both.after.forOneReview() };
      return await impactOn({ ...dependencies, leftOut }, reviewed, once, limits);
    } finally {
      isBusy = false;
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
  const { ended, kinds, monotonic } = dependencies;
  const { namespace } = reviewed;
  const milliseconds = Math.min(given, IMPACT_MILLISECONDS);
  const now = dependencies.now();
  const summary = emptySummary();
  const denied: DeniedWorkload[] = [];
  const exception = reviewed.kind === 'exception' ? reviewed.applied : undefined;
  const named = (exception && exceptionSpec(exception).workloads) ?? [];
  const listed = new Set(builtInKinds(kinds).map(({ kind }) => kind));
  const missing = new Set(named.filter(({ kind }) => listed.has(kind)).map(({ kind, name }) => `${kind} ${name}`));
  /** Is aborted with the reason why not all is looked at. */
  const stop = new AbortController();
  const timer = setTimeout(() => {
    const seconds = Math.round(milliseconds / 100) / 10;
    stop.abort(`the time limit of ${seconds} s ended the review after ${count(summary.workloads, 'workload')}`);
  }, milliseconds);
  let began = monotonic();
  /** Takes a part of each turn of the event loop, so that other requests are answered. */
  const take = async (kind: ClusterKind, items: readonly KubernetesObject[]): Promise<void> => {
    for (const item of items) {
      if (isAbandoned()) stop.abort('the caller is gone');
      if (stop.signal.aborted) return;
      missing.delete(`${kind.kind} ${item.metadata.name}`);
      const outcome = outcomeOn(kind, item, both, now, dependencies);
      if (outcome !== undefined) {
        addTo(summary, outcome);
        denied.push(...deniedWorkload(kind, item, outcome));
      }
      if (monotonic() - began < TURN_MILLISECONDS) continue;
      await nextTurn();
      began = monotonic();
    }
  };
  const failures = await listWorkloads(dependencies, { namespace, signal: stop.signal, take });
  clearTimeout(timer);
  const scope = scopeWords(namespace);
  const omissions = [
    ...(stop.signal.aborted ? [`the figures are incomplete: ${String(stop.signal.reason)}`] : []),
    ...failures.map(
      ({ resource, failure }) => `the effect leaves out ${resource}: cannot list ${resource} ${scope}: ${failure}`,
    ),
  ];
  const isWhole = omissions.length === 0;
  ended(isAbandoned() ? 'abandoned' : isWhole ? 'complete' : 'incomplete');
  const names = (at: DeniedWorkload['at']): string =>
    dependencies.namesWorkloads ? namesOf(denied.filter((workload) => workload.at === at)) : '';
  const isAffected = summary.unchanged < summary.workloads;
  const sentence = effectSentence(summary, dependencies.rung, names);
  const effect = isAffected
    ? [`${sentence} Run probewright plan for details.`]
    : isDryRun || !isWhole
      ? [sentence]
      : [];
  return [...effect, ...(isWhole ? [...missing].map((name) => `no ${name} ${scope}`) : []), ...omissions];
}

/** What the change does to one workload. Undefined for a workload that `/validate` does not look at either. */
function outcomeOn(
  of: ClusterKind,
  item: KubernetesObject,
  { before, after }: Snapshots,
  now: number,
  { kinds, rung, isExempt }: ImpactDependencies,
): WorkloadOutcome | undefined {
  const kind = workloadKind(of.group, of.kind, kinds);
  const { namespace = '', name } = item.metadata;
  if (kind === undefined || isExempt(namespace)) return undefined;
  // Lists of built-in kinds leave out `apiVersion` and `kind`.
  const object: JsonObject = { ...(item as unknown as JsonObject), apiVersion: of.apiVersion, kind: kind.kind };
  const found = templatesToLookAt(object, kind);
  if (found.kind === 'skipped' || sizeProblem(found.templates) !== undefined) return undefined;
  const workload = { object, kind, pods: readPods(found.templates, kind), namespace, name };
  return outcomeOf(workload, before, after, storedPod, now, rung.mutation !== 'Off');
}

/** What the text needs of a workload that is newly denied: little, as there may be thousands of large ones. */
interface DeniedWorkload {
  readonly place: string;
  readonly at: 'atCreation' | 'atUpdates';
  /** The checks that will deny and did not deny before. */
  readonly deniedBy: readonly string[];
}

function deniedWorkload(
  { kind }: ClusterKind,
  { metadata }: KubernetesObject,
  { violations, denied, deniedAtUpdate }: WorkloadOutcome,
): readonly DeniedWorkload[] {
  if (denied !== 'new' && deniedAtUpdate !== 'new') return [];
  const deniedBy = violations.flatMap(({ after, violation }) => (after === 'Deny' ? [violation.check] : []));
  const place = `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
  return [{ place, at: deniedAtUpdate === 'new' ? 'atUpdates' : 'atCreation', deniedBy: [...new Set(deniedBy)] }];
}

/** `: Deployment apps/api (named-port), ... and 3 more`. */
function namesOf(denied: readonly DeniedWorkload[]): string {
  if (denied.length === 0) return '';
  // Pages of several kinds arrive in any order. The first names by the alphabet are the same at each review.
  const first = denied.toSorted((a, b) => compareText(a.place, b.place)).slice(0, MOST_NAMED);
  const names = first.map(({ place, deniedBy }) => {
    const more = deniedBy.length > MOST_NAMED ? ', ...' : '';
    const checks = deniedBy.length === 0 ? '' : ` (${deniedBy.slice(0, MOST_NAMED).join(', ')}${more})`;
    return `${cut(place, LONGEST_PLACE)}${checks}`;
  });
  const unnamed = denied.length - names.length;
  return `: ${names.join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}`;
}
