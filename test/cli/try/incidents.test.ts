import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { closedPort, h2c, health, http, https, tcp } from './probe-servers.ts';
import { tryOne } from './run-try.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** An incident whose manifest is silent: a server, the probe of its manifest, and what `try` finds. */
interface Incident {
  readonly name: string;
  readonly start: () => Promise<object>;
  readonly args?: readonly string[];
  readonly cause: string | null;
  readonly result?: string;
  readonly event?: RegExp;
  /** The field of the first edits below the probe, and their values. Absent = nothing is known to work. */
  readonly edits?: Readonly<Record<string, unknown>>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server whose paths have these statuses; every other path has 404. */
const paths =
  (known: Readonly<Record<string, number>>): Handler =>
  (request, response) => {
    response.statusCode = known[request.url ?? ''] ?? 404;
    response.end('ok');
  };
const live = (port: number, more: object = {}) => ({
  ports: [{ name: 'http', containerPort: port }],
  livenessProbe: { httpGet: { path: '/health', port, ...more } },
});
const ready = (port: number, more: object = {}) => ({
  ports: [{ name: 'http', containerPort: port }],
  readinessProbe: { httpGet: { path: '/health', port, ...more } },
});
const grpc = (port: number, service?: string) => ({
  readinessProbe: { grpc: { port, ...(service !== undefined && { service }) }, timeoutSeconds: 1 },
});
const exec = (command: readonly string[], more: object = {}) => ({ livenessProbe: { exec: { command }, ...more } });
const later = (milliseconds: number, handler: Handler): Handler => {
  return (request, response) => void setTimeout(() => handler(request, response), milliseconds);
};
const ON_HOST = ['--exec', 'env'] as const;

const INCIDENTS: readonly Incident[] = [
  {
    name: 'the framework serves /livez, and the manifest asks /health',
    start: async () => live(await http(paths({ '/livez': 200, '/readyz': 200 }))),
    cause: 'http-404',
    event: /^Liveness probe failed: HTTP probe failed with statuscode: 404$/,
    edits: { 'httpGet.path': '/livez' },
  },
  {
    name: 'Spring Boot without its base path',
    start: async () =>
      ready(await http(paths({ '/actuator/health/readiness': 200, '/actuator/health/liveness': 200 }))),
    cause: 'http-404',
    edits: { 'httpGet.path': '/actuator/health/readiness' },
  },
  {
    name: 'liveness is never sent to a path of readiness',
    start: async () => live(await http(paths({ '/readyz': 200 }))),
    cause: 'http-404',
  },
  {
    name: 'a password that an environment variable turns on',
    start: async () => live(await http(paths({ '/health': 401, '/healthz': 200 }))),
    cause: 'http-401',
    edits: { 'httpGet.path': '/healthz' },
  },
  {
    name: 'every path needs a token',
    start: async () => live(await http((_request, response) => response.writeHead(403).end())),
    cause: 'http-403',
  },
  {
    name: 'ALLOWED_HOSTS knows localhost only',
    start: async () =>
      live(await http(({ headers }, response) => response.writeHead(headers.host === 'localhost' ? 200 : 400).end())),
    cause: 'http-400',
    edits: { 'httpGet.httpHeaders': [{ name: 'Host', value: 'localhost' }] },
  },
  {
    name: 'a rate limit',
    start: async () => live(await http((_request, response) => response.writeHead(429).end())),
    cause: 'http-4xx',
  },
  {
    name: 'readiness that asks a database which is down',
    start: async () => ready(await http(paths({ '/health': 503, '/healthz': 200 }))),
    cause: 'http-5xx',
  },
  {
    name: 'liveness that asks a database which is down',
    start: async () => live(await http(paths({ '/health': 503, '/livez': 200 }))),
    cause: 'http-5xx',
    edits: { 'httpGet.path': '/livez' },
  },
  {
    name: 'a slow database',
    start: async () => live(await http(later(1300, paths({ '/health': 200 })))),
    cause: 'slow',
    event: /context deadline exceeded \(Client\.Timeout exceeded while awaiting headers\)$/,
    edits: { timeoutSeconds: 3 },
  },
  {
    name: 'an answer that takes more than half of the time',
    start: async () => live(await http(later(650, paths({ '/health': 200 })))),
    cause: 'slow',
    result: 'warns',
    edits: { timeoutSeconds: 2 },
  },
  {
    name: 'the server speaks TLS',
    start: async () => live(await https(paths({ '/health': 200 }))),
    cause: 'tls-mismatch',
    edits: { 'httpGet.scheme': 'HTTPS' },
  },
  {
    name: 'the server speaks TLS, and serves another path',
    start: async () => live(await https(paths({ '/livez': 200 }))),
    cause: 'tls-mismatch',
    edits: { 'httpGet.scheme': 'HTTPS', 'httpGet.path': '/livez' },
  },
  {
    name: 'TLS ends at the ingress',
    start: async () => live(await http(paths({ '/health': 200 })), { scheme: 'HTTPS' }),
    cause: 'tls-mismatch',
    event: /http: server gave HTTP response to HTTPS client$/,
    edits: { 'httpGet.scheme': 'HTTP' },
  },
  {
    name: 'mutual TLS',
    start: async () => live(await https(paths({ '/health': 200 }), { requestCert: true }), { scheme: 'HTTPS' }),
    cause: 'tls-handshake',
    event: /remote error: tls: /,
    edits: { httpGet: null, tcpSocket: 'PORT' },
  },
  {
    name: 'a gRPC server behind httpGet',
    start: async () => live(await h2c(health({ serving: 1 }))),
    cause: 'http2-only',
    edits: { httpGet: null, grpc: 'PORT' },
  },
  {
    name: 'HTTP/2 without TLS',
    start: async () => live(await h2c((stream) => stream.respond({ ':status': 200 }, { endStream: true }))),
    cause: 'http2-only',
    edits: { httpGet: null, tcpSocket: 'PORT' },
  },
  {
    name: 'a database behind httpGet',
    start: async () => live(await tcp((socket) => socket.end('-ERR unknown command\r\n'))),
    cause: 'other-protocol',
    edits: { httpGet: null, tcpSocket: 'PORT' },
  },
  {
    name: 'the application listens on another declared port',
    start: async () => {
      const [wrong, right] = [await closedPort(), await http(paths({ '/health': 200 }))];
      const ports = [
        { name: 'http', containerPort: wrong },
        { name: 'admin', containerPort: right },
      ];
      return { ...live(wrong), ports };
    },
    cause: 'connection-refused',
    event: /dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
    edits: { 'httpGet.port': 'admin' },
  },
  {
    name: 'migrations run before the server listens',
    start: async () => live(await closedPort()),
    cause: 'connection-refused',
  },
  {
    name: 'a redirect to the login of another host',
    start: async () =>
      live(
        await http((request, response) => {
          if (request.url === '/healthz') response.end();
          else response.writeHead(302, { location: 'https://login.example.com/' }).end();
        }),
      ),
    cause: 'redirect-other-host',
    result: 'warns',
    event: /^Liveness probe warning: Probe terminated redirects, Response body: $/,
    edits: { 'httpGet.path': '/healthz' },
  },
  {
    name: 'a framework that redirects everything without TLS',
    start: async () =>
      live(
        await http(({ headers }, response) => {
          if (headers['x-forwarded-proto'] === 'https') response.end();
          else response.writeHead(301, { location: 'https://shop.example.com/' }).end();
        }),
      ),
    cause: 'redirect-other-host',
    result: 'warns',
    edits: { 'httpGet.httpHeaders': [{ name: 'X-Forwarded-Proto', value: 'https' }] },
  },
  {
    name: 'a page of metrics as the health endpoint',
    start: async () => live(await http((_request, response) => response.end('a'.repeat(20_000)))),
    cause: 'body-over-10-kib',
    result: 'warns',
  },
  {
    name: 'an event stream as the health endpoint',
    start: async () =>
      live(
        await http((request, response) => (request.url === '/health' ? response.write('data: 1\n') : response.end())),
      ),
    cause: 'timeout',
    event: /^Liveness probe errored and resulted in failure state: context deadline exceeded/,
  },
  {
    name: 'the image has no curl',
    start: async () => exec(['no-curl-here', '-f', `http://localhost:${await http(paths({ '/health': 200 }))}/health`]),
    args: ON_HOST,
    cause: 'executable-not-found',
  },
  {
    name: 'a command that fails',
    start: () => Promise.resolve(exec([process.execPath, '-e', 'console.log("no session"); process.exitCode = 1'])),
    args: ON_HOST,
    cause: 'command-failed',
    event: /^Liveness probe failed: no session\n$/,
  },
  {
    name: 'a command that hangs',
    start: () => Promise.resolve(exec([process.execPath, '-e', 'setTimeout(() => 0, 1300)'])),
    args: ON_HOST,
    cause: 'slow',
    event: /^Liveness probe failed: command timed out: ".*" timed out after 1s$/,
    edits: { timeoutSeconds: expect.any(Number) as number },
  },
  {
    name: 'a gRPC service that the server does not know',
    start: async () =>
      grpc(
        await h2c((stream) => {
          stream.once('data', (bytes: Buffer) =>
            health(bytes.length > 5 ? { status: 5, message: 'unknown service' } : { serving: 1 })(stream),
          );
        }),
        'shop.Orders',
      ),
    cause: 'grpc-unhealthy',
    event:
      /^Readiness probe failed: error: health rpc probe failed: rpc error: code = NotFound desc = unknown service$/,
    edits: { 'grpc.service': null },
  },
  {
    name: 'a gRPC server without a health service',
    start: async () => grpc(await h2c(health({ status: 12, message: 'unknown service grpc.health.v1.Health' }))),
    cause: 'grpc-unimplemented',
    edits: { grpc: null, tcpSocket: 'PORT' },
  },
  {
    name: 'a gRPC server with TLS',
    start: async () => grpc(await https(paths({}))),
    cause: 'grpc-tls',
    edits: { grpc: null, tcpSocket: 'PORT' },
  },
  {
    name: 'a gateway of REST where gRPC is asked',
    start: async () => grpc(await http(paths({ '/readyz': 200 }))),
    cause: 'other-protocol',
    edits: { grpc: null, httpGet: expect.objectContaining({ path: '/readyz' }) as object },
  },
  {
    name: 'a port name with a typo',
    start: async () => live(await http(paths({ '/health': 200 })), { port: 'htpp' }),
    cause: 'port-name-undeclared',
    event: /^Liveness probe errored and resulted in unknown state: strconv\.Atoi: parsing "htpp": invalid syntax$/,
    edits: { 'httpGet.port': 'http' },
  },
];

describe('an incident', () => {
  it.each(INCIDENTS)('has its cause and its remedy: $name', async (incident) => {
    const container = await incident.start();
    const probe = await tryOne(container, ['--count', '1', ...(incident.args ?? [])]);
    expect({ result: probe.result, cause: probe.cause }).toEqual({
      result: incident.result ?? 'fails',
      cause: incident.cause,
    });
    if (incident.event !== undefined) expect(probe.event).toMatch(incident.event);
    expect(probe.remedy).not.toBe('');
    const field = (path: string): string => path.replace(/^spec\.containers\[0\]\.\w+\./, '');
    const edits = Object.fromEntries(probe.edits.map(({ path, value }) => [field(path), value]));
    const wanted = Object.entries(incident.edits ?? {}).map(([path, value]) => [
      path,
      value === 'PORT' ? { port: expect.any(Number) as number } : value,
    ]);
    expect(edits).toEqual(Object.fromEntries(wanted));
  });

  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  it('has its cause: the application listens on loopback only', async () => {
    // 127.0.0.2 is this machine, and not the address on which the server listens.
    const port = await http(paths({ '/health': 200 }));
    const probe = await tryOne(live(port), ['--count', '1', '--address', own ?? '127.0.0.2']);
    expect(probe).toMatchObject({ result: 'fails', cause: 'loopback-only', edits: [] });
    expect(probe.remedy).toContain('0.0.0.0');
  });
});
