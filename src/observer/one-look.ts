import type { JsonObject } from '../base/json/json-value.ts';
import { PagedList } from '../cluster/client/paged-list.ts';
import { refusal } from '../cluster/sources/cluster-kinds.ts';
import { isBeingDeleted } from '../engine/workload/kinds.ts';
import { textAt } from '../base/json/field-path.ts';
import { countedResults } from './failing/failing-results.ts';
import { FailingWorkloads } from './failing/failing-workloads.ts';
import { podHealth } from './failing/pod-health.ts';
import { PROBE_EVENT_REASONS, readProbeEvent } from './failing/probe-events.ts';
import { missedProbes, missedResults, type MissedPod } from './missed/missed-probes.ts';
import { readPolicyTimes, type PolicyTimes } from './missed/policy-times.ts';
import { metadataOf } from './live-pod.ts';
import { collectionOf, objectPath, workloadKey, workloadNameOfPod, type NamedObject } from './observed-workload.ts';
import { hasCode, type ApiClient } from '../cluster/client/api-client.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { ClusterWebhook } from './missed/cluster-webhook.ts';
import type { ReportResult } from './reports/report-result.ts';

/** What one look tells about the Pods of a workload. */
export interface LiveWorkload {
  /** The Pods that have not ended. */
  readonly pods: number;
  readonly failing: readonly ReportResult[];
  readonly missed: readonly MissedPod[];
  readonly missedResults: readonly ReportResult[];
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
  /** Without events, nothing is told about failures. */
  readonly readsEvents: boolean;
  /** With the labels of namespaces, where the webhook looks at them. */
  readonly snapshot: Snapshot;
  readonly webhook: ClusterWebhook;
  readonly now: number;
}

/** Looks once at the Pods and events of a cluster, by the rules of the observer, which may not run. */
export async function lookOnce(client: ApiClient, looked: LookedAt): Promise<OneLook> {
  const { namespace, named, readsEvents, snapshot, webhook, now } = looked;
  const problems = new Set<string>();
  const list = lister(client, namespace, problems);
  const times = await readPolicyTimes(client).catch((): PolicyTimes => new Map());
  const surroundings = { snapshot, scope: webhook.scope, changedAt: (of: string) => times.get(of)?.at };
  const failing = new FailingWorkloads();
  const seen = new Map<string, { workload: NamedObject; pods: number; missed: MissedPod[] }>();
  await list('pods', {}, (pod) => {
    const uid = metadataOf(pod, 'uid');
    const itself = { namespace: metadataOf(pod, 'namespace'), group: '', kind: 'Pod', name: metadataOf(pod, 'name') };
    const owner = workloadNameOfPod(pod) ?? itself;
    const workloads = named === undefined || workloadKey(owner) === workloadKey(itself) ? [owner] : [owner, itself];
    for (const workload of workloads) {
      const key = workloadKey(workload);
      if (named?.has(key) === false) continue;
      failing.seen(`${uid} ${workload.kind}`, workload, podHealth(pod));
      if (hasEnded(pod)) continue;
      const known = seen.get(key) ?? { workload, pods: 0, missed: [] };
      seen.set(key, known);
      known.pods += 1;
      const missed = missedProbes(pod, surroundings);
      if (missed !== undefined) known.missed.push({ workload: owner, missed });
    }
  });
  for (const known of seen.values())
    if (known.workload.kind === 'Pod') known.missed = await ofPresentOwners(client, known.missed);
  // After a refusal, events are listed too, so that all missing rights are named at once.
  for (const reason of readsEvents && (failing.heldPods > 0 || problems.size > 0) ? PROBE_EVENT_REASONS : [])
    await list('events', { fieldSelector: `involvedObject.kind=Pod,reason=${reason}` }, (event) => {
      const hint = readProbeEvent(event);
      if (hint !== undefined) failing.hint(hint, now);
    });
  const knowsFailures = readsEvents && problems.size === 0;
  const found = new Map(
    (readsEvents ? failing.findings(now) : []).map((one) => {
      // A named Pod and its workload are no two workloads that fail together.
      const isNamedPod = named !== undefined && one.workload.kind === 'Pod';
      return [workloadKey(one.workload), countedResults(isNamedPod ? { ...one, shared: undefined } : one)];
    }),
  );
  return {
    of: (workload) => {
      const key = workloadKey(workload);
      const known = seen.get(key);
      const failures = found.get(key) ?? [];
      if (known === undefined && failures.length === 0) return undefined;
      const { pods = 0, missed = [] } = known ?? {};
      const results = missedResults(missed, pods).flatMap(([, ofOwner]) => ofOwner);
      return {
        pods,
        failing: failures,
        missed,
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
  const scope = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  return async (resource, query, take) => {
    const request = { method: 'GET', path: collectionOf({ apiVersion: 'v1', resource }, namespace), query } as const;
    try {
      await new PagedList(client).forEachPage(request, ({ items }: { items: readonly KubernetesObject[] }) => {
        for (const item of items) take(item as unknown as JsonObject);
      });
    } catch (error) {
      problems.add(`${refusal(`cannot list ${resource} ${scope}`, error)}${missingRight(resource, namespace, error)}`);
    }
  };
}

/** What is not known without a right, and how to see and to get the right. Empty for another error. */
function missingRight(resource: string, namespace: string | undefined, error: unknown): string {
  if (!hasCode(error, 403)) return '';
  const unknown = resource === 'events' ? ', so what the probes got is not known' : '';
  const scope = namespace === undefined ? '-A' : `-n ${namespace}`;
  return `${unknown}; the ClusterRole view has this right: kubectl auth can-i list ${resource} ${scope}`;
}

/** A ReplicaSet outlives its Deployment by kubectl delete --cascade=orphan: then no Deployment can be restarted. */
async function ofPresentOwners(client: ApiClient, missed: MissedPod[]): Promise<MissedPod[]> {
  const [first] = missed;
  if (first?.workload.kind !== 'Deployment') return missed;
  const path = objectPath({ apiVersion: 'apps/v1', resource: 'deployments' }, first.workload);
  const answer = await client.request({ method: 'GET', path }).catch((error: unknown) => error);
  if (!hasCode(answer, 404)) return missed;
  return missed.map((each) => ({ ...each, workload: { ...each.workload, kind: 'ReplicaSet' } }));
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
