import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { VERSION } from '../../base/version.ts';
import { ApiClient } from '../../cluster/client/api-client.ts';
import { ApiError } from '../../cluster/client/api-error.ts';
import { loadUserAccess } from '../../cluster/client/user-access.ts';
import { PROGRAM } from '../command-table.ts';
import { failure, hostPort, type NotRun } from './answer.ts';
import { podExec } from './pod-exec.ts';
import { podProxyProbe } from './pod-proxy.ts';
import { ForwardRefused, PortForwards } from './port-forward.ts';
import type { CommandIo } from '../io.ts';
import type { CommandLine } from '../flags/flag.ts';
import type { Inputs } from '../input/inputs.ts';
import type { Target } from './target.ts';
import type { TRY } from './definition.ts';

/**
 * The target of a workload of a cluster: its newest Pod that runs, or the one that `--pod` names. HTTP goes through the
 * API server's Pod proxy, TCP and gRPC through port-forward, commands through exec.
 *
 * @throws Error when the Pod cannot be found; ApiError when the API server refuses to list Pods
 */
export async function clusterTarget(
  { flags }: CommandLine<typeof TRY.flags>,
  inputs: Inputs,
  io: CommandIo,
): Promise<Target> {
  const { context, kubeconfig, pod: wanted } = flags;
  const access = await loadUserAccess({ kubeconfig, context, env: io.env });
  const client = new ApiClient(access, `${PROGRAM}/${VERSION}`);
  const workloads = inputs.texts.flatMap(({ manifests }) => manifests);
  const [workload] = workloads;
  if (workload === undefined || workloads.length > 1)
    throw new Error('name one workload of the cluster, such as -n shop deploy/web');
  const { object } = workload;
  const namespace = stringMember(objectMember(object, 'metadata') ?? {}, 'namespace') ?? inputs.namespace;
  const found = await findPod(client, namespace, object, wanted);
  const pod = { namespace, name: stringMember(objectMember(found, 'metadata') ?? {}, 'name') ?? '' };
  const status = objectMember(found, 'status') ?? {};
  const ip = stringMember(status, 'podIP') ?? '';
  const forwards = new PortForwards(access, pod);
  const startedAt = startOf(status);
  return {
    name: `Pod ${namespace}/${pod.name}`,
    host: ip,
    ...(startedAt !== undefined && { startedAt }),
    http: async (probe, timeout) => await podProxyProbe(access, { ...pod, ip }, probe, timeout),
    endpoint: async (port) => {
      try {
        await forwards.prove(port);
        return { host: '127.0.0.1', port: await forwards.local(port) };
      } catch (error) {
        if (error instanceof ForwardRefused)
          return failure(`dial tcp ${hostPort(ip, port)}: connect: ${refusalText(error.message)}`);
        return refused(error);
      }
    },
    exec: async (container, command, timeout) => {
      try {
        return await podExec(access, pod, container, command, timeout);
      } catch (error) {
        return refused(error);
      }
    },
    // The proxy has asked the Pod's address; port-forward asks loopback inside the Pod.
    isLoopbackOnly: async (port) =>
      await forwards.prove(port).then(
        () => true,
        () => false,
      ),
    close: () => forwards.close(),
  };
}

/** The API server names the right that is missing: `cannot create resource "pods/exec"`. */
function refused(error: unknown): NotRun {
  if (error instanceof ApiError) return { notRun: `the API server refuses: ${error.message}` };
  return { notRun: messageOf(error) };
}

/** The runtime's words about a port without a listener end like Go's. */
function refusalText(text: string): string {
  return /(connection refused|no route to host|i\/o timeout)\s*$/.exec(text)?.[1] ?? text.trim();
}

async function findPod(
  client: ApiClient,
  namespace: string,
  object: JsonObject,
  wanted: string | undefined,
): Promise<JsonObject> {
  const base = `/api/v1/namespaces/${namespace}/pods`;
  const name =
    wanted ??
    (member(object, 'kind') === 'Pod' ? stringMember(objectMember(object, 'metadata') ?? {}, 'name') : undefined);
  if (name !== undefined) {
    const one = await client.request({ method: 'GET', path: `${base}/${encodeURIComponent(name)}` });
    return isJsonObject(one) ? one : {};
  }
  const labelSelector = selectorOf(object);
  const list = await client.request({ method: 'GET', path: base, query: { labelSelector } });
  const items = isJsonObject(list) ? member(list, 'items') : undefined;
  const running = (Array.isArray(items) ? (items as readonly unknown[]) : [])
    .filter(isJsonObject)
    .filter((pod) => stringMember(objectMember(pod, 'status') ?? {}, 'phase') === 'Running')
    .toSorted((a, b) => createdAt(b).localeCompare(createdAt(a)));
  const [newest] = running;
  if (newest === undefined)
    throw new Error(`the namespace ${namespace} has no running Pod with the labels ${labelSelector}`);
  return newest;
}

function createdAt(pod: JsonObject): string {
  return stringMember(objectMember(pod, 'metadata') ?? {}, 'creationTimestamp') ?? '';
}

/** The labels that the workload's Pods have, as a selector. */
function selectorOf(object: JsonObject): string {
  const spec = objectMember(object, 'spec') ?? {};
  const template =
    objectMember(spec, 'template') ??
    objectMember(objectMember(objectMember(spec, 'jobTemplate') ?? {}, 'spec') ?? {}, 'template') ??
    {};
  const selector = objectMember(objectMember(spec, 'selector') ?? {}, 'matchLabels');
  const labels = selector ?? objectMember(objectMember(template, 'metadata') ?? {}, 'labels') ?? {};
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  if (pairs.length === 0) throw new Error('the workload selects its Pods by no label: name one with --pod');
  return pairs.join(',');
}

/** When the last of the containers started, in milliseconds since the epoch. */
function startOf(status: JsonObject): number | undefined {
  const statuses = member(status, 'containerStatuses');
  const starts = (Array.isArray(statuses) ? (statuses as readonly unknown[]) : [])
    .filter(isJsonObject)
    .map((one) => objectMember(objectMember(one, 'state') ?? {}, 'running') ?? {})
    .map((running) => Date.parse(stringMember(running, 'startedAt') ?? ''))
    .filter((time) => !Number.isNaN(time));
  return starts.length === 0 ? undefined : Math.max(...starts);
}
