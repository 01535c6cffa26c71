import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { closedPort, h2c, health, http, https, tcp } from './probe-servers.ts';
import { tryOne } from './run-try.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** An incident whose manifest is silent: a server, the probe of its manifest, and what `try` finds. */
type Incident = [name: string, cause: string | null, start: () => Promise<object>, found?: Found];
interface Found {
  readonly args?: readonly string[];
  /** Default: `fails`. */
  readonly result?: string;
  readonly event?: RegExp;
  readonly remedy?: RegExp;
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
  [
    'the framework serves /livez, and the manifest asks /health',
    'http-404',
    async () => live(await http(paths({ '/livez': 200, '/readyz': 200 }))),
    { event: /^Liveness probe failed: HTTP probe failed with statuscode: 404$/, edits: { 'httpGet.path': '/livez' } },
  ],
  [
    'Spring Boot without its base path',
    'http-404',
    async () => ready(await http(paths({ '/actuator/health/readiness': 200, '/actuator/health/liveness': 200 }))),
    { edits: { 'httpGet.path': '/actuator/health/readiness' } },
  ],
  [
    'liveness is never sent to a path of readiness',
    'http-404',
    async () => live(await http(paths({ '/readyz': 200 }))),
  ],
  [
    'a password that an environment variable turns on',
    'http-401',
    async () => live(await http(paths({ '/health': 401, '/healthz': 200 }))),
    { edits: { 'httpGet.path': '/healthz' } },
  ],
  [
    'every path needs a token',
    'http-403',
    async () => live(await http((_request, response) => response.writeHead(403).end())),
  ],
  [
    'ALLOWED_HOSTS knows localhost only',
    'http-400',
    async () =>
      live(await http(({ headers }, response) => response.writeHead(headers.host === 'localhost' ? 200 : 400).end())),
    { edits: { 'httpGet.httpHeaders': [{ name: 'Host', value: 'localhost' }] } },
  ],
  ['a rate limit', 'http-4xx', async () => live(await http((_request, response) => response.writeHead(429).end()))],
  [
    'readiness that asks a database which is down',
    'http-5xx',
    async () => ready(await http(paths({ '/health': 503, '/healthz': 200 }))),
  ],
  [
    'liveness that asks a database which is down',
    'http-5xx',
    async () => live(await http(paths({ '/health': 503, '/livez': 200 }))),
    { edits: { 'httpGet.path': '/livez' } },
  ],
  [
    'a slow database',
    'slow',
    async () => live(await http(later(1300, paths({ '/health': 200 })))),
    {
      event: /context deadline exceeded \(Client\.Timeout exceeded while awaiting headers\)$/,
      edits: { timeoutSeconds: 3 },
    },
  ],
  [
    'an answer that takes more than half of the time',
    'slow',
    async () => live(await http(later(650, paths({ '/health': 200 })))),
    { result: 'warns', edits: { timeoutSeconds: 2 } },
  ],
  [
    'the server speaks TLS',
    'tls-mismatch',
    async () => live(await https(paths({ '/health': 200 }))),
    { edits: { 'httpGet.scheme': 'HTTPS' } },
  ],
  [
    'the server speaks TLS, and serves another path',
    'tls-mismatch',
    async () => live(await https(paths({ '/livez': 200 }))),
    { edits: { 'httpGet.scheme': 'HTTPS', 'httpGet.path': '/livez' } },
  ],
  [
    'TLS ends at the ingress',
    'tls-mismatch',
    async () => live(await http(paths({ '/health': 200 })), { scheme: 'HTTPS' }),
    { event: /http: server gave HTTP response to HTTPS client$/, edits: { 'httpGet.scheme': 'HTTP' } },
  ],
  [
    'mutual TLS',
    'tls-handshake',
    async () => live(await https(paths({ '/health': 200 }), { requestCert: true }), { scheme: 'HTTPS' }),
    { event: /remote error: tls: /, edits: { httpGet: null, tcpSocket: 'PORT' } },
  ],
  [
    'a gRPC server behind httpGet',
    'http2-only',
    async () => live(await h2c(health({ serving: 1 }))),
    { edits: { httpGet: null, grpc: 'PORT' } },
  ],
  [
    'HTTP/2 without TLS',
    'http2-only',
    async () => live(await h2c((stream) => stream.respond({ ':status': 200 }, { endStream: true }))),
    { edits: { httpGet: null, tcpSocket: 'PORT' } },
  ],
  [
    'a database behind httpGet',
    'other-protocol',
    async () => live(await tcp((socket) => socket.end('-ERR unknown command\r\n'))),
    { edits: { httpGet: null, tcpSocket: 'PORT' } },
  ],
  [
    'the application listens on another declared port',
    'connection-refused',
    async () => {
      const [wrong, right] = [await closedPort(), await http(paths({ '/health': 200 }))];
      const ports = [
        { name: 'http', containerPort: wrong },
        { name: 'admin', containerPort: right },
      ];
      return { ...live(wrong), ports };
    },
    { event: /dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/, edits: { 'httpGet.port': 'admin' } },
  ],
  ['migrations run before the server listens', 'connection-refused', async () => live(await closedPort())],
  [
    'a redirect to the login of another host',
    'redirect-other-host',
    async () =>
      live(
        await http((request, response) => {
          if (request.url === '/healthz') response.end();
          else response.writeHead(302, { location: 'https://login.example.com/' }).end();
        }),
      ),
    {
      result: 'warns',
      event: /^Liveness probe warning: Probe terminated redirects, Response body: $/,
      edits: { 'httpGet.path': '/healthz' },
    },
  ],
  [
    'a framework that redirects everything without TLS',
    'redirect-other-host',
    async () =>
      live(
        await http(({ headers }, response) => {
          if (headers['x-forwarded-proto'] === 'https') response.end();
          else response.writeHead(301, { location: 'https://shop.example.com/' }).end();
        }),
      ),
    { result: 'warns', edits: { 'httpGet.httpHeaders': [{ name: 'X-Forwarded-Proto', value: 'https' }] } },
  ],
  [
    'a page of metrics as the health endpoint',
    'body-over-10-kib',
    async () => live(await http((_request, response) => response.end('a'.repeat(20_000)))),
    { result: 'warns' },
  ],
  [
    'an event stream as the health endpoint',
    'timeout',
    async () =>
      live(
        await http((request, response) => (request.url === '/health' ? response.write('data: 1\n') : response.end())),
      ),
    { event: /^Liveness probe errored and resulted in failure state: context deadline exceeded/ },
  ],
  [
    'the image has no curl',
    'executable-not-found',
    async () => exec(['no-curl-here', '-f', `http://localhost:${await http(paths({ '/health': 200 }))}/health`]),
    { args: ON_HOST },
  ],
  [
    'a command that fails',
    'command-failed',
    () => Promise.resolve(exec([process.execPath, '-e', 'console.log("no session"); process.exitCode = 1'])),
    { args: ON_HOST, event: /^Liveness probe failed: no session\n$/ },
  ],
  [
    'a command that hangs',
    'slow',
    () => Promise.resolve(exec([process.execPath, '-e', 'setTimeout(() => 0, 1300)'])),
    {
      args: ON_HOST,
      event: /^Liveness probe failed: command timed out: ".*" timed out after 1s$/,
      edits: { timeoutSeconds: expect.any(Number) as number },
    },
  ],
  [
    'a gRPC service that the server does not know',
    'grpc-unhealthy',
    async () =>
      grpc(
        await h2c((stream) => {
          stream.once('data', (bytes: Buffer) =>
            health(bytes.length > 5 ? { status: 5, message: 'unknown service' } : { serving: 1 })(stream),
          );
        }),
        'shop.Orders',
      ),
    {
      event:
        /^Readiness probe failed: error: health rpc probe failed: rpc error: code = NotFound desc = unknown service$/,
      edits: { 'grpc.service': null },
    },
  ],
  [
    'a gRPC server without a health service',
    'grpc-unimplemented',
    async () => grpc(await h2c(health({ status: 12, message: 'unknown service grpc.health.v1.Health' }))),
    { edits: { grpc: null, tcpSocket: 'PORT' } },
  ],
  [
    'a gRPC server with TLS',
    'grpc-tls',
    async () => grpc(await https(paths({}))),
    { edits: { grpc: null, tcpSocket: 'PORT' } },
  ],
  [
    'a gateway of REST where gRPC is asked',
    'other-protocol',
    async () => grpc(await http(paths({ '/readyz': 200 }))),
    { edits: { grpc: null, httpGet: expect.objectContaining({ path: '/readyz' }) as object } },
  ],
  ...(
    [
      ['a body that is cut off', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nok'],
      ['chunks that are none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
      ['a status that does not exist', 'HTTP/1.1 099 OK\r\n\r\n'],
    ] as const
  ).map(([name, text]): Incident => [
    name,
    'unclear',
    async () => live(await tcp((socket) => socket.once('data', () => socket.end(text)))),
    { remedy: /is no correct HTTP/ },
  ]),
  [
    'a body that is reset',
    'unclear',
    async () =>
      live(
        await tcp((socket) =>
          socket.once('data', () =>
            socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nok', () =>
              setTimeout(() => socket.resetAndDestroy(), 50),
            ),
          ),
        ),
      ),
    { event: /errored and resulted in failure state: read tcp .* connection reset by peer$/, remedy: /breaks off/ },
  ],
  [
    'a connection that is reset at once',
    'other-protocol',
    async () => live(await tcp((socket) => socket.resetAndDestroy())),
  ],
  ...(
    [
      ['answers in HTTP/1.1', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')],
      ['closes at once', (socket) => socket.end()],
      ['stays silent', () => undefined],
    ] as readonly [string, (socket: Socket) => unknown][]
  ).map(([name, handler]): Incident => [
    `gRPC asks a server that ${name}`,
    'other-protocol',
    async () => grpc(await tcp(handler)),
    { event: /failed to connect service/, remedy: /^The port is open/ },
  ]),
  [
    'a gRPC server that is not available',
    'grpc-unhealthy',
    async () => grpc(await h2c(health({ status: 14, message: 'starting' }))),
  ],
  [
    'a health service that asks for credentials',
    'grpc-unhealthy',
    async () => grpc(await h2c(health({ status: 16, message: 'no token' }))),
    { remedy: /credentials, which a probe cannot send/ },
  ],
  [
    'a port name with a typo',
    'port-name-undeclared',
    async () => live(await http(paths({ '/health': 200 })), { port: 'htpp' }),
    {
      event: /^Liveness probe errored and resulted in unknown state: strconv\.Atoi: parsing "htpp": invalid syntax$/,
      edits: { 'httpGet.port': 'http' },
    },
  ],
];

describe('an incident', () => {
  it.each(INCIDENTS)('has its cause and its remedy: %s', async (_name, cause, start, incident = {}) => {
    const probe = await tryOne(await start(), ['--count', '1', ...(incident.args ?? [])]);
    expect({ result: probe.result, cause: probe.cause }).toEqual({ result: incident.result ?? 'fails', cause });
    if (incident.event !== undefined) expect(probe.event).toMatch(incident.event);
    expect(probe.remedy).toMatch(incident.remedy ?? /./);
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
