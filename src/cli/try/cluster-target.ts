import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { VERSION } from '../../base/version.ts';
import { ApiClient, ApiError } from '../../cluster/client/api-client.ts';
import { loadUserAccess, type ClusterAccess } from '../../cluster/client/cluster-access.ts';
import { PROGRAM } from '../command-table.ts';
import { failure, hostPort, type Answer, type NotRun } from './answer.ts';
import { askHttpDirectly } from './ask.ts';
import { podExec } from './pod-exec.ts';
import type { PodName } from './pod-channel.ts';
import type { CommandEnd } from './exec-probe.ts';
import { podProxyProbe, withoutOwnHeaders } from './pod-proxy.ts';
import { ForwardRefused, PortForwards } from './port-forward.ts';
import type { CommandIo } from '../io.ts';
import type { CommandLine } from '../flags/flag.ts';
import type { Inputs } from '../input/inputs.ts';
import type { Endpoint } from './connection.ts';
import type { HttpProbe } from './http-probe.ts';
import type { Target } from './target.ts';
import type { TRY } from './definition.ts';

/** Go's words, also in those of the runtime about a port without a listener. */
const REFUSED = 'connection refused';
const ADDRESS_MILLISECONDS = 2000;
const NO_TLS = 'tls: first record does not look like a TLS handshake';
const HTTP_TO_HTTPS = 'http: server gave HTTP response to HTTPS client';

/**
 * The target of a workload of a cluster: its newest Pod that runs, or the one that `--pod` names.
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
  const name = stringMember(objectMember(found, 'metadata') ?? {}, 'name') ?? '';
  const status = objectMember(found, 'status') ?? {};
  return new PodTarget(access, { namespace, name, ip: stringMember(status, 'podIP') ?? '' }, startOf(status));
}

/**
 * A Pod. HTTP goes through the API server's Pod proxy, which asks the Pod's address as the kubelet does; TCP and gRPC
 * through port-forward, which asks loopback inside the Pod; commands through exec.
 */
class PodTarget implements Target {
  readonly name: string;
  readonly host: string;
  readonly startedAt?: number;
  readonly #access: ClusterAccess;
  readonly #pod: PodName & { readonly ip: string };
  readonly #forwards: PortForwards;
  readonly #refusing = new Map<number, Promise<boolean>>();

  constructor(access: ClusterAccess, pod: PodName & { readonly ip: string }, startedAt: number | undefined) {
    this.#access = access;
    this.#pod = pod;
    this.#forwards = new PortForwards(access, pod);
    this.name = `Pod ${pod.namespace}/${pod.name}`;
    this.host = pod.ip;
    if (startedAt !== undefined) this.startedAt = startedAt;
  }

  async http(probe: HttpProbe, timeout: number): Promise<Answer | NotRun> {
    const plain = withoutOwnHeaders(probe);
    const answer = await this.#proxied(plain, timeout);
    if ('notRun' in answer) return answer;
    // The proxy has shown that the Pod's address answers. The headers that it replaces go through port-forward.
    if (answer.code !== undefined && plain.headers.length < probe.headers.length)
      return await askHttpDirectly(this, probe, timeout);
    if (answer.code !== undefined || !answer.text.endsWith(NO_TLS)) return answer;
    // The kubelet's HTTP client tells a server of HTTP from others. The API server's proxy does not.
    const other = await this.#proxied({ ...plain, isHttps: false }, timeout);
    const isHttp = !('notRun' in other) && other.code !== undefined;
    return isHttp ? { ...answer, text: answer.text.replace(NO_TLS, HTTP_TO_HTTPS) } : answer;
  }

  async endpoint(port: number): Promise<Endpoint | NotRun | Answer> {
    const refusedDial = (why: string): Answer => failure(`dial tcp ${hostPort(this.host, port)}: connect: ${why}`);
    try {
      await this.#forwards.prove(port);
      if (await this.#addressRefuses(port)) return refusedDial(REFUSED);
      return { host: '127.0.0.1', port: await this.#forwards.local(port) };
    } catch (error) {
      if (!(error instanceof ForwardRefused)) return refused(error);
      return refusedDial(/refused/i.test(error.message) ? REFUSED : error.message.trim());
    }
  }

  async exec(container: string, command: readonly string[], timeout: number): Promise<CommandEnd | NotRun> {
    return await podExec(this.#access, this.#pod, container, command, timeout).catch(refused);
  }

  async isLoopbackOnly(port: number): Promise<boolean> {
    if (!(await this.#addressRefuses(port))) return false;
    return await this.#forwards.prove(port).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    await this.#forwards.close();
  }

  #proxied(probe: HttpProbe, timeout: number): Promise<Answer | NotRun> {
    return podProxyProbe(this.#access, this.#pod, probe, timeout).catch(refused);
  }

  /** True when the Pod's address refuses connections. False also without the right to ask. */
  #addressRefuses(port: number): Promise<boolean> {
    const probe = { isHttps: false, host: this.host, port, path: '/', headers: [] };
    const known =
      this.#refusing.get(port) ??
      this.#proxied(probe, ADDRESS_MILLISECONDS).then(
        (answer) => 'text' in answer && answer.text.endsWith(`connect: ${REFUSED}`),
      );
    this.#refusing.set(port, known);
    return known;
  }
}

/** The API server names the right that is missing: `cannot create resource "pods/exec"`. */
function refused(error: unknown): NotRun {
  if (error instanceof ApiError) return { notRun: `the API server refuses: ${error.message}` };
  return { notRun: messageOf(error) };
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
