import { objectPath } from '../cluster/client/api-path.ts';
import { isJsonObject, type JsonObject } from '../base/json/json-value.ts';
import { fittingRestart, ROLLOUT_RESOURCES, rolloutHold } from '../explain/fleet-page/restart-line.ts';
import { listLive, refusal } from '../cluster/client/live-reader.ts';
import { isBeingDeleted } from '../engine/workload/kinds.ts';
import { textAt } from '../base/json/field-path.ts';
import { countedResults } from './failing/failing-results.ts';
import { FailingWorkloads } from './failing/failing-workloads.ts';
import { podHealth } from './failing/pod-health.ts';
import { EVENT_SELECTORS } from './failing/probe-events.ts';
import { noteLearnedTimes, type LearnedTimes } from './starts/learned-times.ts';
import { lackingProbes, missedResults, type MissedPod, type MissedProbes } from './missed/missed-probes.ts';
import { readPolicyTimes, type PolicyTimes } from './missed/policy-times.ts';
import { DEFAULT_SCOPE } from './missed/webhook-scope.ts';
import { metadataOf } from './live-pod.ts';
import { workloadKey, workloadNameOfPod, type NamedObject } from './observed-workload.ts';
import { hasCode, type ApiClient } from '../cluster/client/api-client.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { ClusterWebhook } from './missed/cluster-webhook.ts';
import type { WorkloadState } from './failing/workload-waits.ts';
import type { ReportResult } from './reports/report-result.ts';

/** What one look tells about the Pods of a workload. */
export interface LiveWorkload {
  /** The Pods that have not ended. */
  readonly pods: number;
  readonly failing: readonly ReportResult[];
  readonly missed: readonly MissedPod[];
  readonly missedResults: readonly ReportResult[];
  readonly learned: LearnedTimes;
}

interface SeenWorkload {
  pods: number;
  readonly missed: MissedProbes[];
  readonly learned: LearnedTimes;
}

export interface OneLook extends Pick<ClusterWebhook, 'stepOf'> {
  /** Undefined for a workload without Pods, and for all workloads when Pods cannot be read. */
  readonly of: (workload: NamedObject) => LiveWorkload | undefined;
  /** Pods and their events were read: a workload without a failure does not fail. Else only a status tells some. */
  readonly knowsFailures: boolean;
  /** What could not be read. */
  readonly problems: readonly string[];
}

export interface LookedAt {
  /** Undefined = all namespaces. */
  readonly namespace: string | undefined;
  /** Workloads that a person named; undefined = all. A named Pod has what its own status tells. */
  readonly named: ReadonlySet<string> | undefined;
  /** What the statuses of the workloads tell. */
  readonly states: readonly WorkloadState[];
  /** Without events, nothing is told about failures. */
  readonly readsEvents: boolean;
  /** With the labels of namespaces, where the webhook looks at them. */
  readonly snapshot: Snapshot;
  readonly webhook: ClusterWebhook;
  readonly now: number;
  /** The labels of the Pods to look at. Default: all Pods. */
  readonly labelSelector?: string;
}

/** Looks once at the Pods and events of a cluster, by the rules of the observer, which may not run. */
export async function lookOnce(client: ApiClient, looked: LookedAt): Promise<OneLook> {
  const { namespace, named, states, readsEvents, snapshot, webhook, now, labelSelector } = looked;
  const problems = new Set<string>();
  const list = lister(client, namespace, problems);
  const times = await readPolicyTimes(client).catch((): PolicyTimes => new Map());
  const { scope = DEFAULT_SCOPE, native } = webhook;
  const surroundings = { snapshot, scope, changedAt: (of: string) => times.get(of), since: -Infinity };
  const failing = new FailingWorkloads();
  for (const state of states) failing.workload(state.workload, state);
  const seen = new Map<string, SeenWorkload>();
  // The owners of the Pods that a person named.
  const owners = new Map<string, NamedObject>();
  await list('pods', labelSelector === undefined ? {} : { labelSelector }, (pod) => {
    const uid = metadataOf(pod, 'uid');
    const itself = { namespace: metadataOf(pod, 'namespace'), group: '', kind: 'Pod', name: metadataOf(pod, 'name') };
    const owner = failing.above(workloadNameOfPod(pod) ?? itself);
    const workloads = named === undefined || workloadKey(owner) === workloadKey(itself) ? [owner] : [owner, itself];
    for (const workload of workloads) {
      const key = workloadKey(workload);
      if (named?.has(key) === false) continue;
      if (workload !== owner) owners.set(key, owner);
      failing.seen(`${uid} ${workload.kind}`, workload, podHealth(pod));
      if (hasEnded(pod)) continue;
      const known: SeenWorkload = seen.get(key) ?? { pods: 0, missed: [], learned: new Map() };
      seen.set(key, known);
      known.pods += 1;
      noteLearnedTimes(pod, known.learned);
      const since = native && { since: native.changedAt(owner.namespace) };
      const { missed } = lackingProbes(pod, { ...surroundings, ...since });
      if (missed !== undefined) known.missed.push(missed);
    }
  });
  await readOwners(client, owners);
  // After a refusal, events are listed too, so that all missing rights are named at once.
  for (const fieldSelector of readsEvents && (failing.mayFail || problems.size > 0) ? EVENT_SELECTORS : [])
    await list('events', { fieldSelector }, (event) => failing.event(event, now));
  const knowsFailures = readsEvents && problems.size === 0;
  const found = new Map(
    (readsEvents ? failing.findings(now) : []).map((one) => {
      // A named Pod and its workload are no two workloads that fail together.
      const isNamedPod = named !== undefined && one.workload.kind === 'Pod';
      const key = workloadKey(one.workload);
      const workload = owners.get(key) ?? one.workload;
      return [key, countedResults(isNamedPod ? { ...one, workload, shared: undefined } : one)];
    }),
  );
  return {
    of: (workload) => {
      const key = workloadKey(workload);
      const known = seen.get(key);
      const failures = found.get(key) ?? [];
      if (known === undefined && failures.length === 0) return undefined;
      const { pods = 0, learned = new Map<string, Map<number, number>>() } = known ?? {};
      const owner = owners.get(key) ?? workload;
      const missed = (known?.missed ?? []).map((each) => ({ workload: owner, missed: each }));
      const results = missedResults(missed, pods).flatMap(([, ofOwner]) => ofOwner);
      return {
        pods,
        failing: fittingRestart(failures, workload),
        missed,
        learned,
        missedResults: results.map((each) => withStep(each, webhook)),
      };
    },
    knowsFailures,
    stepOf: webhook.stepOf,
    problems: [...problems],
  };
}

type List = (resource: string, query: Record<string, string>, take: (object: JsonObject) => void) => Promise<void>;

/** Lists resources of a namespace, or of all. What cannot be listed becomes a problem. */
function lister(client: ApiClient, namespace: string | undefined, problems: Set<string>): List {
  return async (resource, query, take) => {
    const takeAll = (items: readonly KubernetesObject[]): void => {
      for (const item of items) take(item as unknown as JsonObject);
    };
    const unread = await listLive(client, { apiVersion: 'v1', resource }, namespace, takeAll, { query });
    if (unread === undefined) return;
    problems.add(`${refusal(unread.what, unread.error)}${missingRight(resource, namespace, unread.error)}`);
  };
}

/** What is not known without a right, and how to see and to get the right. Empty for another error. */
function missingRight(resource: string, namespace: string | undefined, error: unknown): string {
  if (!hasCode(error, 403)) return '';
  const unknown = resource === 'events' ? ', so what the probes got is not known' : '';
  const scope = namespace === undefined ? '-A' : `-n ${namespace}`;
  return `${unknown}; the ClusterRole view has this right: kubectl auth can-i list ${resource} ${scope}`;
}

/** Replaces each owner by what the API server has now. Each is read once, however many Pods it has. */
async function readOwners(client: ApiClient, owners: Map<string, NamedObject>): Promise<void> {
  const present = new Map<string, NamedObject>();
  for (const [key, owner] of owners) {
    const ownerKey = workloadKey(owner);
    const found = present.get(ownerKey) ?? (await presentOwner(client, owner));
    present.set(ownerKey, found);
    owners.set(key, found);
  }
}

/**
 * The owner of a named Pod, with what holds its rollouts. A ReplicaSet outlives its Deployment by kubectl delete
 * --cascade=orphan: then no Deployment can be restarted.
 */
async function presentOwner(client: ApiClient, owner: NamedObject): Promise<NamedObject> {
  const resource = owner.group === 'apps' ? ROLLOUT_RESOURCES[owner.kind] : undefined;
  if (resource === undefined) return owner;
  const path = objectPath({ apiVersion: 'apps/v1', resource }, owner);
  const answer: unknown = await client.request({ method: 'GET', path }).catch((error: unknown) => error);
  if (hasCode(answer, 404)) return owner.kind === 'Deployment' ? { ...owner, kind: 'ReplicaSet' } : owner;
  return isJsonObject(answer) ? { ...owner, hold: rolloutHold(answer) } : owner;
}

/** A result that advises no restart, where new Pods would get no probes either. */
function withStep(result: ReportResult, { stepOf }: ClusterWebhook): ReportResult {
  const { fix = '' } = result.properties;
  const step = stepOf(fix);
  if (step === fix) return result;
  return { ...result, message: 'Pods lack the probes of policies', properties: { ...result.properties, fix: step } };
}

function hasEnded(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return isBeingDeleted(pod) || phase === 'Succeeded' || phase === 'Failed';
}
