import { collectionPath, objectPath, PODS } from '../../cluster/client/api-path.ts';
import { objectsAt, textAt, valueAt } from '../../base/json/field-path.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { VERSION } from '../../base/version.ts';
import { ApiClient, ApiError } from '../../cluster/client/api-client.ts';
import { loadUserAccess } from '../../cluster/client/user-access.ts';
import { hostPort, NotRun } from './answer.ts';
import { GoError, until } from './connection.ts';
import { httpProbe } from './http-probe.ts';
import { ForwardRefused, forward, podExec, isForProxy, sendByProxy, type ClusterPod } from './pod-access.ts';
import { PROGRAM, type CommandIo } from '../io.ts';
import type { ClusterAccess } from '../../cluster/client/cluster-access.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import { nameOf, manifestsIn } from '../input/manifest.ts';
import type { NamedInputs } from '../input/live.ts';
import type { ContainerRun, Target } from './target.ts';
import type { TRY } from './definition.ts';

/** Go's words, also in those of the runtime about a port without a listener. */
const REFUSED = 'connection refused';
const ADDRESS_MILLISECONDS = 2000;
/** A Pod that does not refuse for so long is connected: the runtime dials when the channel opens. */
const ACCEPTED_MILLISECONDS = 700;
const OPEN_MILLISECONDS = 10_000;

/**
 * The target of a workload of a cluster: its newest Pod that runs, or the one that `--pod` names.
 *
 * @throws Error when the Pod cannot be found; ApiError when the API server refuses to list Pods
 */
export async function clusterTarget(
  { flags: { context, kubeconfig, pod: wanted } }: ParsedCommandLine<typeof TRY.flags>,
  { manifests, world }: NamedInputs,
  io: CommandIo,
): Promise<Target> {
  const access = await loadUserAccess({ kubeconfig, context, env: io.env });
  const workloads = manifestsIn(manifests);
  const [workload] = workloads;
  if (workload === undefined || workloads.length > 1)
    throw new Error('name one workload of the cluster, such as -n shop deploy/web');
  const { object } = workload;
  const namespace = textAt(object, 'metadata', 'namespace') ?? world.namespace;
  const client = new ApiClient(access, `${PROGRAM}/${VERSION}`);
  const pod = await findPod(client, namespace, object, wanted);
  const again = (): Promise<JsonObject> => findPod(client, namespace, object, textAt(pod, 'metadata', 'name'));
  return podTarget(access, namespace, pod, again);
}

/**
 * A Pod. HTTP goes through the API server's Pod proxy, which asks the Pod's address as the kubelet does; TCP and gRPC
 * through port-forward, which asks loopback inside the Pod; commands through exec.
 *
 * @param again reads the Pod once more
 */
function podTarget(
  access: ClusterAccess,
  namespace: string,
  found: JsonObject,
  again: () => Promise<JsonObject>,
): Target {
  const pod: ClusterPod = { access, namespace, name: textAt(found, 'metadata', 'name') ?? '' };
  const host = textAt(found, 'status', 'podIP') ?? '';
  const byProxy = sendByProxy(pod);
  const refusing = new Map<number, Promise<boolean>>();
  /** True when the Pod's address refuses connections. False also without the right to ask. */
  const addressRefuses = (port: number): Promise<boolean> => {
    const probe = { isHttps: false, host, port, path: '/', headers: [] };
    const known =
      refusing.get(port) ??
      httpProbe(probe, ADDRESS_MILLISECONDS, byProxy).then(
        ({ text }) => text.endsWith(`connect: ${REFUSED}`),
        () => false,
      );
    refusing.set(port, known);
    return known;
  };
  /** Why a port inside of the Pod refuses; undefined for one that does not. Rejects with NotRun. */
  const refusalInside = async (port: number): Promise<string | undefined> => {
    const stream = await forward(pod, port, AbortSignal.timeout(OPEN_MILLISECONDS)).catch(notRun);
    try {
      await until(stream, 'data', AbortSignal.timeout(ACCEPTED_MILLISECONDS));
    } catch (error) {
      if (error instanceof ForwardRefused) return /refused/i.test(error.message) ? REFUSED : error.message;
    } finally {
      stream.destroy();
    }
    return undefined;
  };
  return {
    name: `Pod ${namespace}/${pod.name}`,
    host,
    runOf: async (container) => runIn(await again(), container),
    proxied: (probe) => (isForProxy(probe) ? byProxy : undefined),
    prove: async (port) => {
      const why = (await refusalInside(port)) ?? ((await addressRefuses(port)) ? REFUSED : undefined);
      return why === undefined ? why : new GoError(`dial tcp ${hostPort(host, port)}: connect: ${why}`);
    },
    connect: async (port, signal) => ({
      stream: await forward(pod, port, signal).catch(notRun),
      local: '127.0.0.1',
      remote: hostPort(host, port),
    }),
    exec: (container, command, timeout) => podExec(pod, container, command, timeout).catch(notRun),
    isLoopbackOnly: async (port) =>
      (await addressRefuses(port)) && (await refusalInside(port).catch(() => REFUSED)) === undefined,
  };
}

/** The API server names the right that is missing: `cannot create resource "pods/exec"`. */
function notRun(error: unknown): never {
  throw new NotRun(error instanceof ApiError ? `the API server refuses: ${error.message}` : messageOf(error));
}

async function findPod(
  client: ApiClient,
  namespace: string,
  object: JsonObject,
  wanted: string | undefined,
): Promise<JsonObject> {
  const name = wanted ?? (textAt(object, 'kind') === 'Pod' ? textAt(object, 'metadata', 'name') : undefined);
  if (name !== undefined) {
    const one = await client.request({ method: 'GET', path: objectPath(PODS, { namespace, name }) });
    return isJsonObject(one) ? one : {};
  }
  const labelSelector = selectorOf(object);
  const list = await client.request({ method: 'GET', path: collectionPath(PODS, namespace), query: { labelSelector } });
  const createdAt = (pod: JsonObject): string => textAt(pod, 'metadata', 'creationTimestamp') ?? '';
  const [newest] = objectsAt(list, 'items')
    .filter((pod) => textAt(pod, 'status', 'phase') === 'Running')
    .toSorted((a, b) => createdAt(b).localeCompare(createdAt(a)));
  if (newest === undefined)
    throw new Error(
      `the namespace ${namespace} has no running Pod with the labels ${labelSelector}; to see why, run ` +
        `"${PROGRAM} explain -n ${namespace} ${(textAt(object, 'kind') ?? '').toLowerCase()}/${nameOf(object)}"`,
    );
  return newest;
}

function selectorOf(object: JsonObject): string {
  const places = ['selector.matchLabels', 'template.metadata.labels', 'jobTemplate.spec.template.metadata.labels'];
  const labels = places.map((place) => valueAt(object, ['spec', ...place.split('.')])).find(Boolean) ?? {};
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  if (pairs.length === 0) throw new Error('the workload selects its Pods by no label: name one with --pod');
  return pairs.join(',');
}

/** A container without a readiness probe is ready as soon as it runs (pkg/kubelet/prober/prober_manager.go). */
function runIn(pod: JsonObject, container: string): ContainerRun {
  const isNamed = (one: unknown): boolean => textAt(one, 'name') === container;
  const statuses = [
    ...objectsAt(pod, 'status', 'containerStatuses'),
    ...objectsAt(pod, 'status', 'initContainerStatuses'),
  ];
  const specs = [...objectsAt(pod, 'spec', 'containers'), ...objectsAt(pod, 'spec', 'initContainers')];
  const status = statuses.find(isNamed);
  const startedAt = Date.parse(textAt(status, 'state', 'running', 'startedAt') ?? '');
  const isReady = valueAt(status, ['ready']) === true && valueAt(specs.find(isNamed), ['readinessProbe']) !== undefined;
  return { ...(!Number.isNaN(startedAt) && { startedAt }), ...(isReady && { isReady }) };
}
