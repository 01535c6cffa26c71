import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { once } from 'node:events';
import { connect } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/process/log.ts';
import { startServer, type RunningServer } from '../../src/webhook/serve.ts';
import { makeServingPair } from '../support/certificate.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { expectValidReply } from '../support/protocol.ts';
import { appContainer, pod, reviewOf } from '../support/worlds.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../src/webhook/review/trusted-controllers.ts';

const review = reviewOf(pod([appContainer()]));
const uid = String(review.request['uid']);
const policy = (path: string): string => `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: all }
spec: { kubernetesProbeEndpoints: { readinessProbe: ${path} } }
`;

interface Answer {
  readonly code: number;
  readonly body: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly peer: string | undefined;
}

let directory: string;
let policies: string;
let running: RunningServer | undefined;
let lines: Record<string, unknown>[];
let clockSkew: number;
let agent: https.Agent;

beforeEach(async () => {
  directory = await temporaryDirectory();
  policies = join(directory, 'policies');
  await mkdir(policies);
  await writeFile(join(policies, 'all.yaml'), policy('/one'));
  await writePair(await makeServingPair({ commonName: 'first' }));
  lines = [];
  clockSkew = 0;
  agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
});

afterEach(async () => {
  agent.destroy();
  await running?.stop(0);
  running = undefined;
});

async function writePair({ certPem, keyPem }: { certPem: string; keyPem: string }): Promise<void> {
  await writeFile(join(directory, 'tls.key'), keyPem);
  await writeFile(join(directory, 'tls.crt'), certPem);
}

/** A server that listens. */
type Listening = Omit<RunningServer, 'port'> & { readonly port: number };

async function start(): Promise<Listening> {
  const config = {
    policies,
    host: '127.0.0.1',
    port: 0,
    healthPort: 0,
    tlsCert: join(directory, 'tls.crt'),
    tlsKey: join(directory, 'tls.key'),
    clientCa: undefined,
    clientNames: [],
    enforcement: 'Deny',
    mutation: 'On',
    controllers: DEFAULT_TRUSTED_CONTROLLERS,
    logLevel: 'info',
    workloadKinds: undefined,
    drainSeconds: 0,
    cluster: undefined,
  } as const;
  const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  running = await startServer(config, {
    log,
    notice: () => undefined,
    now: () => Date.now() + clockSkew,
    monotonic: () => performance.now(),
  });
  return { ...running, port: await running.port };
}

function ask(server: Listening, with_: https.Agent = agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      path: '/mutate?timeout=5s',
      method: 'POST',
      agent: with_,
      headers: { 'content-type': 'application/json' },
    };
    const request = https.request(options, (response) => {
      const socket: unknown = response.socket;
      const peer = socket instanceof TLSSocket ? commonName(socket.getPeerCertificate()) : undefined;
      collect(response, (body) => resolve({ code: response.statusCode ?? 0, body, headers: response.headers, peer }));
    });
    request.on('error', reject).end(JSON.stringify(review));
  });
}

/** Empty for a resumed TLS session, which sends no certificate. */
function commonName(certificate: Partial<PeerCertificate>): string | undefined {
  return certificate.subject?.CN as string | undefined;
}

function health(server: Listening, path: string): Promise<{ code: number; body: string }> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port: server.healthPort, path, agent: false }, (response) =>
        collect(response, (body) => resolve({ code: response.statusCode ?? 0, body })),
      )
      .on('error', reject);
  });
}

function collect(response: http.IncomingMessage, done: (body: string) => void): void {
  let body = '';
  response
    .setEncoding('utf8')
    .on('data', (chunk: string) => (body += chunk))
    .on('end', () => done(body));
}

function injectedPath(answer: Answer): unknown {
  const { patch } = expectValidReply('mutate', uid, JSON.parse(answer.body));
  return (patch?.at(-1)?.value as { httpGet: { path: string } }).httpGet.path;
}

async function eventually<T>(probe: () => Promise<T> | T, wanted: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const value = await probe();
    if (wanted(value)) return value;
    if (Date.now() > deadline) throw new Error(`gave up; last value ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function untilPath(server: Listening, path: string): Promise<void> {
  await eventually(
    async () => injectedPath(await ask(server)),
    (found) => found === path,
  );
}

async function untilLogged(message: string): Promise<void> {
  await eventually(
    () => logged(message),
    (line) => line !== undefined,
  );
}

const logged = (message: string): Record<string, unknown> | undefined => lines.find(({ msg }) => msg === message);

describe('policies in a directory', () => {
  it('are in force from the start, and an edit counts without a restart', async () => {
    const server = await start();
    expect(injectedPath(await ask(server))).toBe('/one');
    await writeFile(join(policies, 'all.yaml'), policy('/two'));
    await untilPath(server, '/two');
  });

  it('mounted like a ConfigMap change when the link is swapped', async () => {
    await rm(join(policies, 'all.yaml'));
    for (const [version, path] of [
      ['..v1', '/one'],
      ['..v2', '/two'],
    ] as const) {
      await mkdir(join(policies, version));
      await writeFile(join(policies, version, 'all.yaml'), policy(path));
    }
    await symlink('..v1', join(policies, '..data'));
    await symlink('..data/all.yaml', join(policies, 'all.yaml'));
    const server = await start();
    expect(injectedPath(await ask(server))).toBe('/one');
    await symlink('..v2', join(policies, '..data_tmp'));
    await rename(join(policies, '..data_tmp'), join(policies, '..data'));
    await untilPath(server, '/two');
  });

  it('stay in force when a file turns bad, which is logged, counted and told by a server that stays ready', async () => {
    const server = await start();
    await writeFile(join(policies, 'more.yaml'), 'kind: ProbePolicy\nspec: {}\n');
    await untilLogged('policy not usable, keeping the last good set');
    expect(lines.filter(({ level }) => level === 'error').map(({ problem }) => problem)).toContain(
      `${join(policies, 'more.yaml')}:1:1: apiVersion: must be probewright.dev/v1alpha1, not nothing`,
    );
    expect(injectedPath(await ask(server))).toBe('/one');
    const ready = await health(server, '/readyz');
    expect(ready.code).toBe(200);
    expect(JSON.parse(ready.body)).toMatchObject({
      status: 'ready',
      policies: { inForce: 1, problems: expect.arrayContaining([expect.stringContaining('more.yaml:1:1')]) as unknown },
    });
    expect((await health(server, '/metrics')).body).toMatch(
      /probewright_config_objects\{kind="policy",status="problem"\} [1-9]/,
    );

    await rm(join(policies, 'more.yaml'));
    await writeFile(join(policies, 'all.yaml'), policy('/mended'));
    await untilPath(server, '/mended');
    expect((await health(server, '/metrics')).body).toContain(
      'probewright_config_objects{kind="policy",status="problem"} 0',
    );
  });

  it('stay in force when the directory goes away', async () => {
    const server = await start();
    await rename(policies, `${policies}-gone`);
    await untilLogged('policy not usable, keeping the last good set');
    expect(injectedPath(await ask(server))).toBe('/one');
    await rename(`${policies}-gone`, policies);
    await eventually(
      async () =>
        (JSON.parse((await health(server, '/readyz')).body) as { policies: { problems: string[] } }).policies.problems,
      (problems) => problems.length === 0,
    );
  });

  it('that are bad from the start keep the server from starting, with every problem told', async () => {
    await writeFile(
      join(policies, 'a.yaml'),
      'kind: ProbePolic\n---\nkind: ProbePolicy\napiVersion: probewright.dev/v1alpha1\nmetadata: {name: x, namespace: apps}\nspec: {prot: 1}\n',
    );
    await expect(start()).rejects.toMatchObject({
      problems: [
        {
          file: join(policies, 'a.yaml'),
          line: 1,
          message: 'kind: unknown kind "ProbePolic"; did you mean "ProbePolicy"?',
        },
        { file: join(policies, 'a.yaml'), line: 6, message: 'spec.prot: unknown field; did you mean "port"?' },
      ],
    });
  });

  it('that are missing keep the server from starting', async () => {
    await rm(policies, { recursive: true });
    await expect(start()).rejects.toThrow(/the policy directory cannot be read: .*ENOENT/);
  });
});

describe('the certificate', () => {
  it('is swapped without dropping a connection: the open one goes on, new ones get the new one', async () => {
    const server = await start();
    expect((await ask(server)).peer).toBe('first');
    await writePair(await makeServingPair({ commonName: 'second' }));
    const fresh = async (): Promise<Answer> => ask(server, new https.Agent({ rejectUnauthorized: false }));
    await eventually(fresh, ({ peer }) => peer === 'second');
    const { code, peer } = await ask(server);
    expect([code, peer]).toEqual([200, 'first']);
  });

  it('stays when the new files do not belong together, which is logged and told', async () => {
    const server = await start();
    const { certPem } = await makeServingPair({ commonName: 'second' });
    await writeFile(join(directory, 'tls.crt'), certPem);
    await untilLogged('the certificate cannot be used; the last good one stays in use');
    expect((await ask(server, new https.Agent({ rejectUnauthorized: false }))).peer).toBe('first');
    expect(JSON.parse((await health(server, '/readyz')).body)).toMatchObject({
      status: 'ready',
      certificate: { problems: [expect.stringContaining('the certificate and the key do not belong together')] },
    });
  });

  it('that has expired makes the server not ready, and serving goes on', async () => {
    const server = await start();
    clockSkew = 48 * 3_600_000;
    const ready = await health(server, '/readyz');
    expect([ready.code, (JSON.parse(ready.body) as { certificate: { expired: boolean } }).certificate.expired]).toEqual(
      [503, true],
    );
    expect(ready.body).toContain('"problems":["the serving certificate has expired at ');
    expect((await ask(server)).code).toBe(200);
  });

  it('that cannot be read keeps the server from starting', async () => {
    await writeFile(join(directory, 'tls.crt'), 'nonsense');
    await expect(start()).rejects.toThrow(/tls\.crt.*the certificate is not PEM-encoded X\.509/);
  });

  it('is not served below TLS 1.2', async () => {
    const server = await start();
    const old = new https.Agent({
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await expect(ask(server, old)).rejects.toThrow(/protocol version|EPROTO|disconnected/i);
  });
});

describe('stopping', () => {
  it('goes unready at once, answers with Connection: close while it drains, and then refuses connections', async () => {
    const server = await start();
    expect((await health(server, '/readyz')).code).toBe(200);
    const stopped = server.stop(0.5);
    expect((await health(server, '/readyz')).code).toBe(503);
    expect((await health(server, '/livez')).code).toBe(200);
    const { code, headers } = await ask(server);
    expect([code, headers.connection]).toEqual([200, 'close']);
    await stopped;
    await expect(ask(server)).rejects.toThrow(/ECONNREFUSED/);
  });
});

it('a server that stops does not wait for connections that never ask, or only half', async () => {
  const server = await start();
  const silent = connect({ host: '127.0.0.1', port: server.port });
  await once(silent, 'connect');
  const half = https.request({
    host: '127.0.0.1',
    port: server.port,
    path: '/mutate',
    method: 'POST',
    rejectUnauthorized: false,
  });
  half.on('error', () => undefined);
  half.setHeader('content-length', 100).write('{');
  await once(half, 'socket');
  await Promise.all([server.stop(0), once(silent, 'close')]);
});

describe('a connection', () => {
  it('is kept for 1,000 to 2,000 requests and then closed with an answer, so that callers spread over replicas', async () => {
    const server = await start();
    let count = 1;
    let last = await ask(server);
    for (; last.headers.connection !== 'close' && count < 3000; count += 1) last = await ask(server);
    expect([last.code, last.headers.connection]).toEqual([200, 'close']);
    expect(count).toBeGreaterThanOrEqual(1000);
    expect(count).toBeLessThanOrEqual(2000);
    expect((await ask(server)).headers.connection).not.toBe('close');
  });
});

describe('a decision', () => {
  it('is one line of constant message and fields, without the object', async () => {
    const server = await start();
    await ask(server);
    const line = logged('decision');
    expect(line).toMatchObject({
      level: 'info',
      webhook: 'mutate',
      uid,
      operation: 'CREATE',
      kind: 'v1/Pod',
      namespace: 'apps',
      name: 'web',
      user: 'jane',
      dryRun: false,
      result: 'mutate',
      policies: ['ClusterProbePolicy/all'],
      injected: ['app.readinessProbe <- ClusterProbePolicy/all'],
      notInjected: ['app.livenessProbe.no-endpoint', 'app.startupProbe.no-endpoint'],
    });
    expect(JSON.stringify(line)).not.toContain('example.test');
  });
});

it('README and examples agree: the reviews in examples/ are the captured ones', () =>
  expect(readFileSync('examples/reviews/pod-create.json', 'utf8')).toBe(
    readFileSync('test/fixtures/reviews/pod-create-by-user.json', 'utf8'),
  ));
