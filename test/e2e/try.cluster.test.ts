import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { clusterPolicyDocument } from '../support/worlds.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { MERGE } from './http-requests.ts';
import { type PodNetwork, makePodNetwork, startTryKubelet, type TryKubelet } from './try-pod.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import type { Tried } from '../cli/try/run-try.ts';

const made = controlPlaneProblem() ?? (await makePodNetwork());
const problem = typeof made === 'string' ? made : undefined;
/** Asked for only where the tests are not skipped. */
const network = made as PodNetwork;

/** The application of the Pod: HTTP on 8080, HTTP on loopback only on 9090, and a gRPC health service on 9091. */
const APPLICATION = `
const { createServer } = require('node:http');
let flaky = 0;
const answer = (request, response) => {
  const to = { '/here': '/livez', '/away': 'http://login.example.com/', '/loop': '/loop' }[request.url];
  if (to !== undefined) return void response.writeHead(302, { location: to }).end();
  if (request.url === '/hang') return;
  if (request.url === '/flaky') return void response.writeHead((flaky += 1) === 1 ? 503 : 200).end();
  if (request.url === '/host') return void response.writeHead(request.headers.host === 'shop' ? 200 : 400).end();
  if (request.url === '/agent') return void response.writeHead(/^kube-probe/.test(request.headers['user-agent']) ? 200 : 400).end();
  response.writeHead(['/livez', '/readyz'].includes(request.url) ? 200 : request.url === '/down' ? 503 : 404).end();
};
createServer(answer).listen(8080, '0.0.0.0');
createServer(answer).listen(9090, '127.0.0.1');
const grpc = require('node:http2').createServer();
grpc.on('stream', (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
});
grpc.listen(9091, '0.0.0.0', () => console.log('ready'));
`;

interface Output {
  readonly code: number;
  readonly stderr: string;
  readonly probe: Tried;
}

describeUnless(problem, 'try with a Pod of a cluster', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let kubelet: TryKubelet;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let pods = 0;

  beforeAll(async () => {
    await keep(Promise.resolve(network));
    cluster = await keep(startControlPlane({ users: ['reader'] }));
    directory = await keep(temporaryDirectory('try'));
    kubelet = await keep(startTryKubelet(network));
    const application = network.start(APPLICATION);
    await keep(Promise.resolve({ stop: () => application.kill('SIGKILL') }));
    await once(application.stdout ?? application, 'data');
    await cluster.create('/api/v1/namespaces', { metadata: { name: 'shop' } });
    await cluster.create('/api/v1/nodes', { metadata: { name: 'node-1' } });
    await patch('/api/v1/nodes/node-1/status', {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    });
    await waitUntil('Pods can be created in shop', async () => {
      const path = '/api/v1/namespaces/shop/serviceaccounts';
      const account = await cluster.request('POST', path, { metadata: { name: 'default' } });
      return account.status === 201 || account.status === 409;
    });
    const rules = [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    ];
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop';
    await cluster.create(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
    const subjects = [{ kind: 'User', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    await cluster.create(`${rbac}/rolebindings`, { metadata: { name: 'reader' }, subjects, roleRef });
  });
  async function patch(path: string, status: object): Promise<void> {
    const answer = await cluster.request('PATCH', path, { status }, MERGE);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
  }

  /** Creates a Deployment with the probe, and its Pod, which runs at the address of the namespace. */
  async function workload(container: object): Promise<string> {
    const name = `web-${(pods += 1)}`;
    const labels = { app: name };
    const spec = {
      nodeName: 'node-1',
      automountServiceAccountToken: false,
      containers: [{ name: 'app', image: 'registry.example/app:1', ...container }],
    };
    const template = { metadata: { labels }, spec };
    await cluster.create('/apis/apps/v1/namespaces/shop/deployments', {
      metadata: { name },
      spec: { selector: { matchLabels: labels }, template },
    });
    await cluster.create('/api/v1/namespaces/shop/pods', { metadata: { name: `${name}-x`, labels }, spec });
    await patch(`/api/v1/namespaces/shop/pods/${name}-x/status`, {
      phase: 'Running',
      podIP: network.address,
      podIPs: [{ ip: network.address }],
      containerStatuses: [
        {
          name: 'app',
          ready: true,
          restartCount: 0,
          image: 'a',
          imageID: 'a',
          state: { running: { startedAt: null } },
        },
      ],
    });
    return name;
  }

  async function tried(
    probe: object | undefined,
    {
      args = [],
      container = {},
      kubeconfig = cluster.kubeconfig,
    }: { args?: string[]; container?: object; kubeconfig?: string } = {},
  ): Promise<Output> {
    const name = await workload({ ...container, ...(probe && { livenessProbe: probe }) });
    const line = ['try', '-n', 'shop', `deploy/${name}`, '--count', '1', '--output', 'json', ...args];
    const { code, stdout, stderr } = await runProbewright(line, {
      env: { KUBECONFIG: kubeconfig },
      monotonic: Date.now,
    });
    const [only] = stdout === '' ? [] : (JSON.parse(stdout) as { probes: readonly Tried[] }).probes;
    if (only === undefined) throw new Error(`no result: ${stderr}`);
    return { code, stderr, probe: only };
  }

  const get = (path: string, more: object = {}): object => ({ httpGet: { path, port: 8080, ...more } });
  const shown = (event: string): string => event.replaceAll(network.address, 'IP');

  it.each([
    ['/livez', 'passes', ''],
    ['/agent', 'passes', ''],
    ['/here', 'passes', ''],
    ['/down', 'fails', 'Liveness probe failed: HTTP probe failed with statuscode: 503'],
    ['/away', 'warns', 'Liveness probe warning: Probe terminated redirects, Response body: '],
    ['/loop', 'fails', 'Liveness probe failed: Get "/loop": stopped after 10 redirects'],
    [
      '/hang',
      'fails',
      'Liveness probe failed: Get "http://IP:8080/hang": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    ],
  ])('asks %s through the Pod proxy', async (path, result, event) => {
    const { probe } = await tried(get(path));
    expect([probe.result, shown(probe.event)]).toEqual([result, event]);
  });

  it('proposes a path that answers', async () => {
    const { probe, code } = await tried(get('/health'));
    expect(code).toBe(1);
    expect(probe.edits).toEqual([
      { path: 'spec.template.spec.containers[0].livenessProbe.httpGet.path', value: '/livez' },
    ]);
  });

  it('sends a header that the proxy replaces through port-forward', async () => {
    const before = kubelet.asked.length;
    const { probe } = await tried(get('/host', { httpHeaders: [{ name: 'Host', value: 'shop' }] }));
    expect(probe).toMatchObject({ result: 'passes', code: 200 });
    expect(kubelet.asked.length).toBeGreaterThan(before);
  });

  it('sees an application that listens on loopback only', async () => {
    const { probe } = await tried({ httpGet: { path: '/livez', port: 9090 } });
    expect(probe).toMatchObject({ result: 'fails', cause: 'loopback-only' });
    expect(shown(probe.event)).toBe(
      'Liveness probe failed: Get "http://IP:9090/livez": dial tcp IP:9090: connect: connection refused',
    );
  });

  it('sees a port on which nothing listens', async () => {
    const { probe } = await tried({ httpGet: { path: '/livez', port: 9999 } });
    expect(probe).toMatchObject({ result: 'fails', cause: 'connection-refused' });
  });

  it('sees TLS where there is none', async () => {
    const { probe } = await tried(get('/livez', { scheme: 'HTTPS' }));
    expect(shown(probe.event)).toBe(
      'Liveness probe failed: Get "https://IP:8080/livez": http: server gave HTTP response to HTTPS client',
    );
    expect(probe.cause).toBe('tls-mismatch');
  });

  it('connects TCP and asks gRPC through port-forward', async () => {
    expect((await tried({ tcpSocket: { port: 8080 } })).probe).toMatchObject({ result: 'passes' });
    // Servers before 1.24 drop the handler.
    if (cluster.minor >= 24) expect((await tried({ grpc: { port: 9091 } })).probe).toMatchObject({ result: 'passes' });
    else console.warn(`the gRPC probe is not tried: ${cluster.version} has none`);
    expect((await tried({ tcpSocket: { port: 9090 } })).probe).toMatchObject({
      result: 'fails',
      cause: 'loopback-only',
    });
    const { probe } = await tried({ tcpSocket: { port: 9999 } });
    expect(shown(probe.event)).toBe('Liveness probe failed: dial tcp IP:9999: connect: connection refused');
  });

  it('asks a gRPC probe of a policy through port-forward, also on a server that knows none', async () => {
    const asked = async (port: number): Promise<Tried> => {
      const grpc = { grpc: { port }, timeoutSeconds: 1 };
      const file = join(directory.path, 'grpc.yaml');
      await writeFile(file, JSON.stringify(clusterPolicyDocument({ probes: { livenessProbe: grpc } }, 'grpc')));
      const container = { ports: [{ name: 'main', containerPort: port }] };
      return (await tried(undefined, { container, args: ['--policies', file, '--probe', 'liveness'] })).probe;
    };
    expect(await asked(9091)).toMatchObject({ handler: 'grpc on port 9091', result: 'passes' });
    const refused = await asked(9999);
    expect(refused).toMatchObject({ result: 'fails', cause: 'connection-refused' });
    expect(shown(refused.event)).toBe(
      'Liveness probe failed: timeout: failed to connect service "IP:9999" within 1s: context deadline exceeded',
    );
    expect(await asked(8080)).toMatchObject({ result: 'fails', cause: 'other-protocol' });
  });

  it('runs commands by exec', async () => {
    const exec = (...command: string[]): object => ({ exec: { command } });
    expect((await tried(exec('sh', '-c', 'exit 0'))).probe).toMatchObject({ result: 'passes', code: 0 });
    const failed = (await tried(exec('sh', '-c', 'echo sick; exit 3'))).probe;
    expect(failed).toMatchObject({ result: 'fails', code: 3, event: 'Liveness probe failed: sick\n' });
    expect((await tried(exec('sleep', '5'))).probe.event).toBe(
      'Liveness probe failed: command timed out: "sleep 5" timed out after 1s',
    );
    const unknown = await tried(exec('no-such-program'), { args: ['--allow-side-effects'] });
    expect(unknown.probe).toMatchObject({ cause: 'executable-not-found' });
  });

  it('names the rights that are missing', async () => {
    const kubeconfig = join(directory.path, 'reader.json');
    await writeFile(kubeconfig, cluster.kubeconfigOf('reader'));
    const reasons = [];
    for (const probe of [get('/livez'), { tcpSocket: { port: 8080 } }, { exec: { command: ['true'] } }])
      reasons.push((await tried(probe, { kubeconfig })).probe);
    expect(reasons.map(({ result }) => result)).toEqual(['not run', 'not run', 'not run']);
    expect(reasons[0]?.remedy).toContain('pods/proxy');
    expect(reasons[1]?.remedy).toContain('pods/portforward');
    expect(reasons[2]?.remedy).toContain('pods/exec');
  });

  it('measures no start of a Pod that was Ready before, also where a probe of it fails once', async () => {
    const name = await workload({ readinessProbe: { ...get('/flaky'), periodSeconds: 1 } });
    const line = ['try', '-n', 'shop', `deploy/${name}`, '--wait', '20s', '--count', '1', '--output', 'json'];
    const io = { env: { KUBECONFIG: cluster.kubeconfig }, now: Date.now, monotonic: Date.now };
    const { stdout } = await runProbewright(line, io);
    expect(JSON.parse(stdout)).toMatchObject({ starts: [{ container: 'app', seconds: null }] });
  });

  it('asks the Pod that --pod names', async () => {
    const { probe } = await tried(get('/livez'), { args: ['--pod', 'web-1-x'] });
    expect(probe.result).toBe('passes');
  });
});
