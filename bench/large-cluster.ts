import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How large the cluster is. */
export interface ClusterSize {
  readonly namespaces: number;
  readonly workloads: number;
  readonly pods: number;
}

/** An API server that makes its objects while it answers, so that it can be larger than memory. */
export interface LargeCluster {
  readonly server: string;
  /** The instants of all requests that were no watch, in milliseconds on the monotonic clock. */
  readonly requests: readonly number[];
  /** Sends an event to the open watches of a resource. */
  send(resource: string, type: string, object: object): void;
  readonly pod: (index: number, changes?: object) => object;
  stop(): Promise<void>;
}

const VERSION = '1000';
/** One of a hundred workloads has a finding. */
const BAD_EVERY = 100;

type Make = (index: number) => object;

/** Starts the server on a free port. */
export async function startLargeCluster({ namespaces, workloads, pods }: ClusterSize): Promise<LargeCluster> {
  const requests: number[] = [];
  const watches = new Map<string, Set<ServerResponse>>();
  const stored = new Map<string, object>();
  const namespaceOf = (index: number): string => `team-${index % namespaces}`;
  const collections: Readonly<Record<string, readonly [number, Make]>> = {
    namespaces: [
      namespaces,
      (index) => ({ metadata: { ...meta(`team-${index}`), labels: { team: `team-${index}` } } }),
    ],
    deployments: [workloads, (index) => workload(index, namespaceOf(index))],
    pods: [pods, (index) => pod(index, namespaceOf(index), workloads)],
  };
  const kinds = [
    ['v1', 'Pod', 'pods'],
    ['apps/v1', 'Deployment', 'deployments'],
    ['openreports.io/v1alpha1', 'Report', 'reports'],
  ] as const;

  function list(resource: string, url: URL): object {
    const [count = 0, make] = collections[resource] ?? [];
    const start = Number(url.searchParams.get('continue') ?? '0');
    const limit = Number(url.searchParams.get('limit') ?? '500');
    const end = Math.min(count, start + limit);
    const items = make === undefined ? [] : Array.from({ length: end - start }, (_, offset) => make(start + offset));
    const next = end < count ? { continue: String(end) } : {};
    return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: VERSION, ...next }, items };
  }

  function answerOf(url: URL, method: string, body: string): readonly [number, object] {
    const { pathname } = url;
    if (pathname === '/apis') {
      const groups = kinds.flatMap(([groupVersion]) => {
        const [name = '', version = ''] = groupVersion.split('/');
        return version === '' ? [] : [{ name, versions: [{ groupVersion }], preferredVersion: { groupVersion } }];
      });
      return [200, { groups }];
    }
    const resources = kinds.filter(([version]) => pathname === (version === 'v1' ? '/api/v1' : `/apis/${version}`));
    if (resources.length > 0)
      return [200, { resources: resources.map(([, kind, name]) => ({ name, kind, namespaced: true })) }];
    const parts = pathname.split('/').filter((part) => part !== '');
    const resource = parts.findLast((part) => Object.hasOwn(collections, part)) ?? parts.at(-1) ?? '';
    if (method === 'POST' || method === 'PUT') {
      const object = JSON.parse(body) as { metadata: { name: string } };
      const path = method === 'PUT' ? pathname : `${pathname}/${object.metadata.name}`;
      stored.set(path, { ...object, metadata: { ...object.metadata, resourceVersion: VERSION, uid: path } });
      return [201, stored.get(path) ?? {}];
    }
    const found = stored.get(pathname);
    if (found !== undefined) return [200, found];
    if (parts.at(-1) === resource || ['reports', 'probepolicies'].includes(resource)) return [200, list(resource, url)];
    const index = Number(/-(\d+)$/.exec(pathname)?.[1]);
    const [, make] = collections[parts.at(-2) ?? ''] ?? [];
    if (make !== undefined && !Number.isNaN(index)) return [200, make(index)];
    return [404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'not found' }];
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const url = new URL(request.url ?? '/', 'http://api');
    response.setHeader('content-type', 'application/json');
    if (url.searchParams.get('watch') === 'true') {
      const resource = url.pathname.split('/').at(-1) ?? '';
      const open = watches.get(resource) ?? new Set<ServerResponse>();
      watches.set(resource, open.add(response));
      response.once('close', () => open.delete(response));
      response.flushHeaders();
      return;
    }
    requests.push(performance.now());
    const isObject = /\/(leases|reports|deployments|pods)\/[^/]+$/.test(url.pathname);
    const [status, object] =
      isObject && request.method === 'GET' && /leases|reports/.test(url.pathname) && !stored.has(url.pathname)
        ? ([404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'not found' }] as const)
        : answerOf(url, request.method ?? 'GET', body);
    response.statusCode = status;
    response.end(JSON.stringify(object));
  }

  const server = createServer((request, response) => {
    let body = '';
    request
      .setEncoding('utf8')
      .on('data', (chunk: string) => (body += chunk))
      .on('end', () => {
        answer(request, response, body);
      });
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    send: (resource, type, object) => {
      const line = `${JSON.stringify({ type, object })}\n`;
      for (const watch of watches.get(resource) ?? []) watch.write(line);
    },
    pod: (index, changes = {}) => ({ ...pod(index, namespaceOf(index), workloads), ...changes }),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function meta(name: string, namespace?: string): object {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    uid: `${name}-0000-0000-0000-000000000000`,
    resourceVersion: VERSION,
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [
      {
        manager: 'argocd',
        operation: 'Apply',
        fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': {} } } } },
      },
    ],
  };
}

function template(index: number): object {
  const port = index % BAD_EVERY === 0 ? 'htpp' : 'http';
  const env = Array.from({ length: 12 }, (_, number) => ({
    name: `SETTING_${number}`,
    value: `value-${index}-${number}`,
  }));
  return {
    metadata: { labels: { app: `web-${index}`, team: `team-${index % 400}` } },
    spec: {
      containers: [
        {
          name: 'app',
          image: `registry.example/app-${index}:1`,
          env,
          ports: [{ name: 'http', containerPort: 8080 }],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port }, periodSeconds: 5 },
          livenessProbe: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 10, failureThreshold: 6 },
        },
        { name: 'proxy', image: 'registry.example/proxy:1', readinessProbe: { tcpSocket: { port: 15_021 } } },
      ],
    },
  };
}

function workload(index: number, namespace: string): object {
  const status = { replicas: 3, readyReplicas: 3, conditions: [{ type: 'Available', status: 'True' }] };
  const selector = { matchLabels: { app: `web-${index}` } };
  return {
    metadata: meta(`web-${index}`, namespace),
    spec: { replicas: 3, selector, template: template(index) },
    status,
  };
}

function pod(index: number, namespace: string, workloads: number): object {
  const owner = `web-${index % workloads}-5d9c8f7b6`;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }];
  const { metadata, spec } = template(index % workloads) as { metadata: { labels: object }; spec: object };
  const labels = { ...metadata.labels, 'pod-template-hash': '5d9c8f7b6' };
  const containerStatuses = ['app', 'proxy'].map((name) => ({
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: 'registry.example/app:1',
    imageID: 'registry.example/app@sha256:0',
    containerID: `containerd://${index}-${name}`,
    state: { running: { startedAt: '2026-01-01T00:00:10Z' } },
  }));
  const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: '2026-01-01T00:00:20Z',
  }));
  return {
    metadata: { ...meta(`pod-${index}`, namespace), labels, ownerReferences },
    spec: { ...spec, nodeName: `node-${index % 1000}` },
    status: { phase: 'Running', conditions, containerStatuses, podIP: '10.0.0.1' },
  };
}
