import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { makeServingPair } from '../support/certificate.ts';
import { type AuditEvent, auditFlags, readAuditLog, writeAuditPolicy } from './audit-log.ts';
import { type HttpAnswer, send } from './http-requests.ts';
import { type CommandResult, type StartedProcess, freePorts, run, startProcess, untilServing } from './processes.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/**
 * A real control plane on loopback: etcd and kube-apiserver, and kube-controller-manager when asked for. No kubelet runs,
 * so Pods stay Pending. It needs KUBEBUILDER_ASSETS, and uses only flags that servers from 1.20 to 1.36 know.
 */
export interface ControlPlane {
  /** Path of a kubeconfig for a cluster administrator. */
  readonly kubeconfig: string;
  /** The API server, `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** The server's version as it tells it, for example `v1.20.2`. */
  readonly version: string;
  /** Which Kubernetes 1.x the server is. */
  readonly minor: number;
  /** What a client of its own needs to speak to the API server as the administrator. */
  readonly access: { readonly caPem: string; readonly token: string };
  /** The API server alone: what it stored stays in etcd, and it comes back on the same port. */
  readonly apiServer: ApiServer;
  /** The Services' addresses: loopback, so a process here can listen on a Service's ClusterIP. */
  readonly serviceClusterCidr: string;
  /** Runs kubectl as the administrator. Throws when it fails, unless `allowFailure`. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<CommandResult>;
  /** One request to the API server as the administrator. Any status is an answer; a body that is no string goes as JSON. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** One request to the API server as one of `users`, with credentials of that user's own. */
  requestAs(
    user: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<HttpAnswer>;
  /** kubectl apply, of objects or YAML. */
  apply(...manifests: readonly (object | string)[]): Promise<void>;
  /** Adds an object to a collection. Throws the answer when it fails, as the next two do. */
  create(collection: string, object: object): Promise<void>;
  read<T>(path: string): Promise<T>;
  /** Deletes an object if it is there. */
  delete(path: string): Promise<void>;
  /** A kubeconfig, as text, for one of `users`. */
  kubeconfigOf(user: string): string;
  /** What the audited users asked so far, oldest first; nothing when nobody is audited. */
  auditEvents(): Promise<AuditEvent[]>;
  /** Ends the processes that were started, and removes their directory. */
  stop(): Promise<void>;
}

/** A kube-apiserver that can go away and come back, as servers do. */
export interface ApiServer {
  /** Ends it: SIGKILL unless told otherwise, as a crash gives nobody a word of warning. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it, unless it runs, and waits until it is ready. */
  start(): Promise<void>;
  /** When it was started and when it was ready, on the wall clock in milliseconds; once for each start. */
  readonly starts: readonly { readonly from: number; readonly ready: number }[];
}

/** What to start besides etcd and kube-apiserver, and how. */
export interface ControlPlaneOptions {
  /** Start kube-controller-manager too: Deployments then become ReplicaSets and Pods. */
  readonly controllers?: boolean;
  /** `--authorization-mode`, default RBAC. */
  readonly authorization?: string;
  /** More flags for kube-apiserver, for what only some versions know. */
  readonly apiServerFlags?: readonly string[];
  /** Users beside the administrator. They have no rights until a binding gives them some. */
  readonly users?: readonly string[];
  /** Users whose requests are recorded, without bodies. */
  readonly auditedUsers?: readonly string[];
}

/** How to run kubectl once. */
export interface KubectlOptions {
  /** Its standard input. */
  readonly input?: string;
  /** Answer a failure as a result instead of throwing it. */
  readonly allowFailure?: boolean;
}

// Test files run side by side, each in a worker of its own. Two control planes must not give one address to two Services.
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0);
const serviceClusterCidr = `127.${110 + worker}.0.0/16`;
const firstServiceAddress = `127.${110 + worker}.0.1`;

/** The short names: servers after 1.27 renamed their controllers and keep these as aliases. */
const controllerNames =
  'deployment,replicaset,statefulset,daemonset,job,cronjob,garbagecollector,serviceaccount,clusterrole-aggregation';

/** Why no control plane can be started here, in one sentence; undefined when it can. */
export function controlPlaneProblem(options: ControlPlaneOptions = {}): string | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (!assets) return 'KUBEBUILDER_ASSETS is not set: it names a directory with kube-apiserver, etcd and kubectl.';
  const wanted = ['kube-apiserver', 'etcd', 'kubectl', ...(options.controllers ? ['kube-controller-manager'] : [])];
  const missing = wanted.filter((name) => !isExecutable(join(assets, name)));
  return missing.length === 0 ? undefined : `KUBEBUILDER_ASSETS (${assets}) has no executable ${missing.join(', ')}.`;
}

function refuseWithoutAssets(options: ControlPlaneOptions = {}): void {
  const problem = controlPlaneProblem(options);
  if (problem !== undefined) throw new Error(problem);
}

/** The version of the kube-apiserver binary, for example `v1.20.2`: for flags that must be known before it runs. */
export async function apiServerVersion(): Promise<string> {
  refuseWithoutAssets();
  const { stdout } = await run(asset('kube-apiserver'), ['--version'], {});
  return stdout.trim().split(' ').at(-1) ?? '';
}

/** Starts a control plane and waits until it serves. Whoever starts it stops it. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  refuseWithoutAssets(options);
  const directory = await temporaryDirectory('control-plane');
  const processes: StartedProcess[] = [];
  const stop = async (): Promise<void> => {
    // Clients before servers: an API server waits for open watches, and etcd's end would fill its log.
    for (const started of processes.toReversed()) await started.stop();
    await directory.remove();
  };
  try {
    return await launch(directory.path, options, processes, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function launch(
  directory: string,
  options: ControlPlaneOptions,
  processes: StartedProcess[],
  stop: () => Promise<void>,
): Promise<ControlPlane> {
  const [etcdPort, peerPort, apiPort, managerPort] = await freePorts(4);
  const keys = await writeKeys(directory, options.users ?? []);
  const server = `https://127.0.0.1:${apiPort}`;
  const kubeconfig = join(directory, 'admin.kubeconfig');
  await writeSecret(kubeconfig, kubeconfigText({ server, caPem: keys.caPem, token: keys.token }));

  processes.push(startProcess('etcd', asset('etcd'), etcdFlags(directory, etcdPort, peerPort)));
  const flags = [...apiServerFlags(directory, etcdPort, apiPort, options), ...(options.apiServerFlags ?? [])];
  if (options.auditedUsers) {
    await writeAuditPolicy(directory, options.auditedUsers);
    flags.push(...auditFlags(directory));
  }
  const { request, close } = adminClient(server, keys.caPem, keys.token);
  const answers = async (path: string): Promise<boolean> => (await request('GET', path)).status === 200;
  const apiServer = restartableApiServer(flags, processes, () => answers('/readyz'));
  await apiServer.start();
  await untilServing(processes, () => answers('/api/v1/namespaces/default'));

  if (options.controllers) {
    const managerFlags = [
      ...controllerManagerFlags(directory, kubeconfig, managerPort),
      ...(await closedPlainPortFlags()),
    ];
    processes.push(startProcess('kube-controller-manager', asset('kube-controller-manager'), managerFlags));
    const manager = adminClient(`https://127.0.0.1:${managerPort}`, keys.caPem, keys.token);
    await untilServing(processes, async () => (await manager.request('GET', '/healthz')).status === 200);
    manager.close();
  }
  const { body } = await request('GET', '/version');
  const version = (JSON.parse(body) as { gitVersion: string }).gitVersion;
  const tokenOf = (user: string): string => {
    const token = keys.userTokens.get(user);
    if (token === undefined) throw new Error(`the control plane was started without the user ${user}`);
    return token;
  };
  const own = {
    kubectl: (args: readonly string[], kubectlOptions?: KubectlOptions) =>
      kubectl(directory, kubeconfig, args, kubectlOptions),
    request,
  };
  return {
    kubeconfig,
    server,
    version,
    minor: Number(/^v1\.(\d+)/.exec(version)?.[1]),
    access: { caPem: keys.caPem, token: keys.token },
    apiServer,
    serviceClusterCidr,
    ...own,
    ...objectRequests(own),
    requestAs: (user, method, path, body, headers = {}) =>
      request(method, path, body, { authorization: `Bearer ${tokenOf(user)}`, ...headers }),
    kubeconfigOf: (user) => kubeconfigText({ server, caPem: keys.caPem, token: tokenOf(user) }),
    auditEvents: () => readAuditLog(directory),
    stop: async () => {
      close();
      await stop();
    },
  };
}

function objectRequests({
  kubectl: run,
  request,
}: Pick<ControlPlane, 'kubectl' | 'request'>): Pick<ControlPlane, 'apply' | 'create' | 'read' | 'delete'> {
  /** Sends a request, and gives the body of an answer with one of these statuses. */
  const expected = async (
    statuses: readonly number[],
    method: string,
    path: string,
    sent?: object,
  ): Promise<string> => {
    const { status, body } = await request(method, path, sent);
    if (!statuses.includes(status)) throw new Error(`${method} ${path}: ${status} ${body}`);
    return body;
  };
  return {
    apply: async (...manifests) => {
      const texts = manifests.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
      await run(['apply', '--filename=-'], { input: texts.join('\n---\n') });
    },
    create: async (collection, object) => {
      await expected([201], 'POST', collection, object);
    },
    read: async <T>(path: string) => JSON.parse(await expected([200], 'GET', path)) as T,
    delete: async (path) => {
      await expected([200, 202, 404], 'DELETE', path);
    },
  };
}

function restartableApiServer(
  flags: readonly string[],
  processes: StartedProcess[],
  ready: () => Promise<boolean>,
): ApiServer {
  const starts: { from: number; ready: number }[] = [];
  let current: StartedProcess | undefined;
  return {
    starts,
    async start() {
      if (current !== undefined) return;
      const from = Date.now();
      current = startProcess('kube-apiserver', asset('kube-apiserver'), flags);
      // Right behind etcd: everything else is its client, and is to end before it.
      processes.splice(1, 0, current);
      await untilServing(processes.slice(0, 2), ready);
      starts.push({ from, ready: Date.now() });
    },
    async stop(signal = 'SIGKILL') {
      if (current === undefined) return;
      processes.splice(processes.indexOf(current), 1);
      await current.stop(signal);
      current = undefined;
    },
  };
}

function etcdFlags(directory: string, clientPort: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    '--name=test',
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=test=${peer}`,
    '--unsafe-no-fsync',
  ];
}

function apiServerFlags(directory: string, etcdPort: number, port: number, options: ControlPlaneOptions): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    ...servingFlags(directory),
    `--token-auth-file=${join(directory, 'tokens.csv')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(directory, 'service-account.pub')}`,
    `--service-account-signing-key-file=${join(directory, 'service-account.key')}`,
    `--service-cluster-ip-range=${serviceClusterCidr}`,
    `--authorization-mode=${options.authorization ?? 'RBAC'}`,
    // Without it a Pod need not wait for its namespace's service account and token.
    '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none',
    '--allow-privileged=true',
  ];
}

function controllerManagerFlags(directory: string, kubeconfig: string, port: number): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--controllers=${controllerNames}`,
    // As clusters do: the webhooks see each controller under its own name, not the administrator's.
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${join(directory, 'service-account.key')}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    ...servingFlags(directory),
  ];
}

/**
 * Servers before 1.24 also open a fixed plain-text port on every address, which two runs at once would fight for; later
 * ones have lost it together with its flag.
 */
async function closedPlainPortFlags(): Promise<string[]> {
  const { stdout } = await run(asset('kube-controller-manager'), ['--help'], {});
  return /^\s+--port int\b/m.test(stdout) ? ['--port=0'] : [];
}

function servingFlags(directory: string): string[] {
  return [
    `--cert-dir=${directory}`,
    `--tls-cert-file=${join(directory, 'serving.crt')}`,
    `--tls-private-key-file=${join(directory, 'serving.key')}`,
  ];
}

/** One serving pair for both servers, the service accounts' keys, and the administrator's token. */
async function writeKeys(
  directory: string,
  users: readonly string[],
): Promise<{ caPem: string; token: string; userTokens: ReadonlyMap<string, string> }> {
  const { certPem, keyPem, caPem } = await makeServingPair({
    commonName: 'kube-apiserver',
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ipAddresses: ['127.0.0.1', firstServiceAddress],
  });
  const serviceAccount = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const token = randomBytes(24).toString('hex');
  await writeSecret(join(directory, 'serving.crt'), certPem);
  await writeSecret(join(directory, 'serving.key'), keyPem);
  await writeSecret(join(directory, 'service-account.pub'), serviceAccount.publicKey);
  await writeSecret(join(directory, 'service-account.key'), serviceAccount.privateKey);
  const userTokens = new Map(users.map((user) => [user, randomBytes(24).toString('hex')]));
  const lines = [
    `${token},admin,admin,"system:masters"`,
    ...[...userTokens].map(([user, own]) => `${own},${user},${user}`),
  ];
  await writeSecret(join(directory, 'tokens.csv'), `${lines.join('\n')}\n`);
  return { caPem, token, userTokens };
}

function writeSecret(path: string, content: string): Promise<void> {
  return writeFile(path, content, { mode: 0o600 });
}

/** A kubeconfig of one cluster and one user. A kubeconfig is YAML, and JSON is YAML. */
export function kubeconfigText(options: {
  readonly server: string;
  /** Without it, nothing is verified. */
  readonly caPem?: string;
  readonly token?: string;
  readonly namespace?: string;
}): string {
  const { server, caPem, token, namespace = 'default' } = options;
  const trust =
    caPem === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user', namespace } }],
    clusters: [{ name: 'test', cluster: { server, ...trust } }],
    users: [{ name: 'user', user: { token } }],
  });
}

async function kubectl(
  directory: string,
  kubeconfig: string,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<CommandResult> {
  // A home of its own: neither the discovery cache nor the preferences of whoever runs the tests play a part.
  const home = join(directory, 'home');
  await mkdir(home, { recursive: true });
  const env = { HOME: home, KUBECONFIG: kubeconfig, PATH: process.env['PATH'] };
  const result = await run(asset('kubectl'), args, { env, input: options.input ?? '' });
  if (result.code !== 0 && options.allowFailure !== true) {
    throw new Error(`kubectl ${args.join(' ')} ended with code ${String(result.code)}: ${result.stderr.trim()}`);
  }
  return result;
}

function adminClient(
  server: string,
  ca: string,
  token: string,
): { request: ControlPlane['request']; close: () => void } {
  const agent = new Agent({ ca, keepAlive: true });
  return {
    request: (method, path, body, headers = {}) => {
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const type = payload === undefined ? {} : { 'content-type': 'application/json' };
      const all = { authorization: `Bearer ${token}`, accept: 'application/json', ...type, ...headers };
      return send(new URL(path, server), { method, agent, headers: all }, payload);
    },
    close: () => {
      agent.destroy();
    },
  };
}

function asset(name: string): string {
  return join(process.env['KUBEBUILDER_ASSETS'] ?? '', name);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
