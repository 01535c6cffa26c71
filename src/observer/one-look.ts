import { listMember, type JsonObject } from '../base/json/json-value.ts';
import { PagedList } from '../cluster/client/paged-list.ts';
import { rootOf, refusal } from '../cluster/sources/cluster-kinds.ts';
import { isBeingDeleted } from '../engine/workload/kinds.ts';
import { objectsAt, textAt, valueAt } from '../base/json/field-path.ts';
import { readNamespaceLabels, type LabelsOfNamespace } from '../engine/facts/facts.ts';
import { countedResults } from './failing/failing-results.ts';
import { FailingWorkloads } from './failing/failing-workloads.ts';
import { podHealth } from './failing/pod-health.ts';
import { PROBE_EVENT_REASONS, readProbeEvent } from './failing/probe-events.ts';
import { missedProbes, missedResults, type MissedPod, type ReplaySurroundings } from './missed/missed-probes.ts';
import { readPolicyTimes, type PolicyTimes } from './missed/policy-times.ts';
import { DEFAULT_SCOPE, isMutatingWebhook, readWebhookScope, type WebhookScope } from './missed/webhook-scope.ts';
import { metadataOf } from './pod-status.ts';
import { workloadKey, workloadNameOfPod, type NamedObject } from './observed-workload.ts';
import { hasCode, type ApiClient } from '../cluster/client/api-client.ts';
import type { KubernetesObject } from '../cluster/client/kubernetes-object.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { ReportResult } from './reports/report-result.ts';

/** What one look tells about the Pods of a workload. */
export interface LiveWorkload {
  /** The Pods that have not ended. */
  readonly pods: number;
  readonly failing: readonly ReportResult[];
  readonly missed: readonly MissedPod[];
  readonly missedResults: readonly ReportResult[];
}

export interface OneLook {
  /** Undefined for a workload without Pods, and for all workloads when Pods cannot be read. */
  readonly of: (workload: NamedObject) => LiveWorkload | undefined;
  /** Pods and their events were read: a workload without a failure does not fail. Else only a status tells some. */
  readonly knowsFailures: boolean;
  /** Why a new Pod would get no probes either; undefined when the webhook injects probes. */
  readonly noInjection: string | undefined;
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
  readonly snapshot: Snapshot;
  readonly now: number;
}

/** Looks once at the Pods and events of a cluster, by the rules of the observer, which may not run. */
export async function lookOnce(client: ApiClient, looked: LookedAt): Promise<OneLook> {
  const { namespace, named, readsEvents, now } = looked;
  const problems = new Set<string>();
  const scope = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const root = namespace === undefined ? '/api/v1' : `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
  const list = async (resource: string, query: Record<string, string>, take: (object: JsonObject) => void) => {
    const request = { method: 'GET', path: `${root}/${resource}`, query } as const;
    try {
      await new PagedList(client).forEachPage(request, ({ items }: { items: readonly KubernetesObject[] }) => {
        for (const item of items) take(item as unknown as JsonObject);
      });
    } catch (error) {
      problems.add(`${refusal(`cannot list ${resource} ${scope}`, error)}${missingRight(resource, namespace, error)}`);
    }
  };
  const webhook = await readWebhook(client);
  const surroundings = await surroundingsOf(client, webhook.scope, looked);
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
        missedResults: results.map((each) => withoutRestart(each, webhook.noInjection)),
      };
    },
    knowsFailures,
    noInjection: webhook.noInjection,
    problems: [...problems],
  };
}

/** What is not known without a right, and how to see and to get the right. Empty for another error. */
function missingRight(resource: string, namespace: string | undefined, error: unknown): string {
  if (!hasCode(error, 403)) return '';
  const unknown = resource === 'events' ? ', so what the probes got is not known' : '';
  const scope = namespace === undefined ? '-A' : `-n ${namespace}`;
  return `${unknown}; the ClusterRole view has this right: kubectl auth can-i list ${resource} ${scope}`;
}

/** A result that advises no restart, because new Pods would get no probes either. */
function withoutRestart(result: ReportResult, noInjection: string | undefined): ReportResult {
  if (noInjection === undefined) return result;
  const message = 'Pods lack the probes of policies';
  return { ...result, message, properties: { ...result.properties, fix: noInjection } };
}

function hasEnded(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return isBeingDeleted(pod) || phase === 'Succeeded' || phase === 'Failed';
}

interface Webhook {
  readonly scope: WebhookScope;
  readonly noInjection: string | undefined;
}

/** The Pods that the webhook sees, and whether it injects. Without the right to read it, the chart's defaults count. */
async function readWebhook(client: ApiClient): Promise<Webhook> {
  const byDefault = { scope: DEFAULT_SCOPE, noInjection: undefined };
  const path = `${rootOf('admissionregistration.k8s.io/v1')}/mutatingwebhookconfigurations`;
  const configurations = await itemsAt(client, path);
  if (configurations === undefined) return byDefault;
  const own = configurations.find((each) => objectsAt(each, 'webhooks').some(isMutatingWebhook));
  if (own === undefined) return { ...byDefault, noInjection: 'the cluster has no webhook of Probewright' };
  const webhook = objectsAt(own, 'webhooks').find(isMutatingWebhook);
  const namespace = textAt(webhook, 'clientConfig', 'service', 'namespace');
  const mode = namespace === undefined ? undefined : await mutationOf(client, namespace);
  const noInjection =
    mode === undefined || mode === 'On' ? undefined : `the webhook runs with mutation: ${mode}, and injects nothing`;
  return { scope: readWebhookScope(own) ?? DEFAULT_SCOPE, noInjection };
}

/** What the decision about a Pod depends on, beside the Pod. */
async function surroundingsOf(
  client: ApiClient,
  scope: WebhookScope,
  { snapshot, namespace }: LookedAt,
): Promise<ReplaySurroundings> {
  const { facts } = snapshot;
  // The inputs read labels only for policies that look at them, and an installation may exempt by labels, too.
  const namespaceLabels = new Map([...facts.namespaceLabels, ...(await labelsOfNamespaces(client, namespace))]);
  const times = await readPolicyTimes(client).catch((): PolicyTimes => new Map());
  return {
    snapshot: snapshot.withFacts({ ...facts, namespaceLabels }),
    scope,
    changedAt: (of) => times.get(of)?.at,
  };
}

/** Empty without the right to read namespaces: then only the names of exempt ones count. */
async function labelsOfNamespaces(
  client: ApiClient,
  namespace: string | undefined,
): Promise<ReadonlyMap<string, LabelsOfNamespace>> {
  const fieldSelector = namespace === undefined ? {} : { fieldSelector: `metadata.name=${namespace}` };
  const found = (await itemsAt(client, '/api/v1/namespaces', fieldSelector)) ?? [];
  return new Map(
    found.map((one) => [metadataOf(one, 'name'), readNamespaceLabels(valueAt(one, ['metadata', 'labels']))]),
  );
}

const COMPONENT = 'app.kubernetes.io/component';

/** The flag --mutation of the webhook that runs in a namespace, as the chart writes it. */
async function mutationOf(client: ApiClient, namespace: string): Promise<string | undefined> {
  const path = `${rootOf('apps/v1')}/namespaces/${encodeURIComponent(namespace)}/deployments`;
  const deployments = await itemsAt(client, path, { labelSelector: `${COMPONENT}=webhook` });
  const containers = (deployments ?? []).flatMap((each) => objectsAt(each, 'spec', 'template', 'spec', 'containers'));
  const args = containers.flatMap((container) => listMember(container, 'args'));
  return args.map((arg) => /^--mutation=(Audit|Off|On)$/.exec(String(arg))?.[1]).find((mode) => mode !== undefined);
}

async function itemsAt(
  client: ApiClient,
  path: string,
  query: Record<string, string> = {},
): Promise<readonly JsonObject[] | undefined> {
  const found: JsonObject[] = [];
  try {
    await new PagedList(client).forEachPage({ path, query }, ({ items }) => {
      found.push(...(items as unknown as readonly JsonObject[]));
    });
    return found;
  } catch {
    return undefined;
  }
}
