import { hasCode, type ApiClient, type ApiRequest } from '../../cluster/client/api-client.ts';
import { inParallel } from '../../cluster/client/timing.ts';
import { listLive, reasonForOthers, resourceOf } from '../../cluster/client/live-reader.ts';
import { BUILT_IN_CLUSTER_KINDS } from '../../cluster/sources/cluster-kinds.ts';
import { discoverKinds } from '../../cluster/sources/discovery.ts';
import { isReadyMade, BUILT_IN_KINDS, workloadKind, type WorkloadKind } from '../../engine/workload/kinds.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';

/** A resource that cannot be listed, and why. */
export interface ListFailure {
  readonly resource: string;
  readonly failure: string;
}

export interface LiveWorkloadsDependencies {
  readonly client: Pick<ApiClient, 'measured' | 'request'>;
  readonly kinds: readonly WorkloadKind[];
  /** Called for a ready-made kind that the cluster has and that may not be listed: `rollouts.argoproj.io`. */
  readonly leftOut: (resource: string) => void;
}

interface ListScope {
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
  /** Looks at a page, until the signal is aborted. */
  readonly take: (kind: ClusterKind, items: readonly KubernetesObject[]) => Promise<void>;
}

/** The lists that are read at once. A slow API server then answers about more kinds in time. */
const MOST_LISTS_AT_ONCE = 3;
/** The most bytes of a page: Node parses a page in one go, in about 20 ms. */
const MOST_PAGE_BYTES = 2 * 1024 * 1024;
/** They have no next rollout. Nearly all ReplicaSets belong to Deployments. Nothing makes Pods of a PodTemplate. */
const WITHOUT_ROLLOUT = ['Pod', 'Job', 'ReplicaSet', 'PodTemplate'];

/** The built-in kinds that a policy may concern. */
export function builtInKinds(kinds: readonly WorkloadKind[]): readonly ClusterKind[] {
  return BUILT_IN_CLUSTER_KINDS.filter(
    ({ group, kind }) => workloadKind(group, kind, kinds) !== undefined && !WITHOUT_ROLLOUT.includes(kind),
  );
}

/**
 * Lists the built-in kinds first, then the custom kinds that the API server has named in the meantime. Resolves with
 * the failures before the signal: those after it only say that a request was given up.
 */
export async function listWorkloads(
  dependencies: LiveWorkloadsDependencies,
  scope: ListScope,
): Promise<readonly ListFailure[]> {
  const discovery = customKinds(dependencies, scope.signal).catch(reasonForOthers);
  const listAll = async (kinds: readonly ClusterKind[]): Promise<readonly ListFailure[]> =>
    (await inParallel(kinds, MOST_LISTS_AT_ONCE, (kind) => listOne(kind, dependencies, scope))).flat();
  const failed = await listAll(builtInKinds(dependencies.kinds));
  const found = await discovery;
  if (typeof found !== 'string') return [...failed, ...(await listAll(found))];
  return scope.signal.aborted ? failed : [...failed, { resource: 'custom kinds', failure: found }];
}

async function customKinds(
  { client, kinds }: LiveWorkloadsDependencies,
  signal: AbortSignal,
): Promise<readonly ClusterKind[]> {
  const custom = kinds.filter(({ group, kind }) => workloadKind(group, kind, BUILT_IN_KINDS) === undefined);
  if (custom.length === 0) return [];
  const requests = { request: (request: ApiRequest) => client.request({ ...request, signal }) };
  const found = await discoverKinds(requests, custom);
  if (found.problems[0] !== undefined) throw new Error(found.problems[0]);
  return found.kinds;
}

async function listOne(
  kind: ClusterKind,
  { client, kinds, leftOut }: LiveWorkloadsDependencies,
  { namespace, signal, take }: ListScope,
): Promise<readonly ListFailure[]> {
  const resource = resourceOf(kind);
  const isOver = (): boolean => signal.aborted;
  if (isOver()) return [];
  const look = (items: readonly KubernetesObject[]): Promise<boolean> => take(kind, items).then(() => !isOver());
  // The list of one namespace usually fits into one answer, so the API server's watch cache is asked first.
  const cached = namespace !== undefined && { query: { resourceVersion: '0' } };
  const request = { mostBytes: MOST_PAGE_BYTES, signal, ...cached };
  const unread = await listLive(client, kind, namespace, look, request);
  if (unread === undefined || isOver()) return [];
  const { error } = unread;
  const known = workloadKind(kind.group, kind.kind, kinds);
  // The chart grants the kinds of `workloadKinds` only. A configured kind lacks its right by mistake.
  const isUngranted = hasCode(error, 403) && known !== undefined && isReadyMade(known);
  if (isUngranted) leftOut(resource);
  // Old API servers lack some versions of built-in kinds, and custom kinds may have been removed.
  return isUngranted || hasCode(error, 404) ? [] : [{ resource, failure: reasonForOthers(error) }];
}
