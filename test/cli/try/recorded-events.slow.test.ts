import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { closedPort, h2c, health, http, https, tcp } from './probe-servers.ts';
import { tryOne } from './run-try.ts';

/** Addresses, ports and ids differ from run to run. */
function shown(message: string): string {
  return message
    .replace(/\d+\.\d+\.\d+\.\d+:\d+/g, 'ADDRESS')
    .replace(/ exec "[0-9a-f]{64}"/, '')
    .replace(/failed to start exec: /, '')
    .replace(/^(?:Startup|Liveness|Readiness) /, '')
    .replace(/\/[slr]"/, '/l"')
    .replace(/malformed HTTP response .*/, 'malformed HTTP response');
}

/** All messages about probes in the recordings of a kubelet 1.36.2. */
const recorded = new Set(
  readdirSync('test/fixtures/kubelet').flatMap((batch) => {
    const text = gunzipSync(readFileSync(`test/fixtures/kubelet/${batch}/events.jsonl.gz`)).toString();
    return [...text.matchAll(/"message": ?("(?:[^"\\]|\\.)*")/g)].map(([, message = '""']) =>
      shown((JSON.parse(message) as string).replace('(combined from similar events): ', '')),
    );
  }),
);

const get = (port: number, more: object = {}): object => ({
  livenessProbe: { httpGet: { path: '/l', port, ...more }, timeoutSeconds: 1 },
});
const grpc = (port: number): object => ({ livenessProbe: { grpc: { port }, timeoutSeconds: 1 } });
const exec = (...command: string[]): object => ({ livenessProbe: { exec: { command }, timeoutSeconds: 1 } });
const answer = (status: number, headers: Record<string, string> = {}): Promise<number> =>
  http((_request, response) => response.writeHead(status, headers).end());

/** The faults that the recordings hold, made again. */
const FAULTS: Readonly<Record<string, () => Promise<object>>> = {
  'status 503': async () => get(await answer(503)),
  'status 404': async () => get(await answer(404)),
  'status 400': async () => get(await answer(400)),
  'nothing on the port': async () => get(await closedPort()),
  'headers that never come': async () => get(await http(() => undefined)),
  'a body that never ends': async () => get(await http((_request, response) => response.write('a'))),
  'a connection that is closed': async () => get(await tcp((socket) => socket.once('data', () => socket.end()))),
  'a connection that is reset': async () =>
    get(await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))),
  'a redirect without end': async () => get(await answer(302, { location: '/l' })),
  'a redirect to another host': async () => get(await answer(302, { location: 'http://login.example.com/' })),
  'a port name that is not declared': async () => get(await answer(200), { port: 'nope' }),
  'HTTP where TLS is asked': async () => get(await answer(200), { scheme: 'HTTPS' }),
  'a certificate that is asked for': async () =>
    get(await https((_request, response) => response.end(), { requestCert: true }), { scheme: 'HTTPS' }),
  'HTTP/2 without TLS': async () => get(await h2c(() => undefined)),
  SSH: async () => get(await tcp((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'))),
  'gRPC: not serving': async () => grpc(await h2c(health({ serving: 2 }))),
  'gRPC: an unknown service': async () => grpc(await h2c(health({ status: 5, message: 'unknown service' }))),
  'gRPC: no health service': async () =>
    grpc(await h2c(health({ status: 12, message: 'unknown service grpc.health.v1.Health' }))),
  'gRPC: no answer': async () => grpc(await h2c(() => undefined)),
  'gRPC: nothing on the port': async () => grpc(await closedPort()),
};

describe('the recorded events of a kubelet', () => {
  it.each(Object.keys(FAULTS))('have the text that try prints: %s', async (name) => {
    const { event } = await tryOne((await FAULTS[name]?.()) ?? {}, ['--count', '1']);
    expect([...recorded]).toContain(shown(event));
  });

  it.each([
    ['printf "out of l\\n"; exit 1', 'probe failed: out of l\n'],
    ['exec sleep 5', undefined],
  ])('have the text that try prints for a command: %s', async (script, text) => {
    const { event } = await tryOne(exec('sh', '-c', script), ['--count', '1', '--exec', 'env']);
    const words = shown(event).replace(/timed out: ".*" timed/, 'timed out: "probe l" timed');
    expect(words).toBe(text ?? words);
    expect([...recorded]).toContain(words);
  });
});
