import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { addressTarget } from '../../../src/cli/try/address-target.ts';
import { lookFurther } from '../../../src/cli/try/look-further.ts';
import { plannedOne } from './planned.ts';
import { http, https } from './probe-servers.ts';
import { tryOne } from './run-try.ts';

const liveness = (port: number) => ({ livenessProbe: { httpGet: { path: '/', port }, timeoutSeconds: 1 } });

it('an answer that comes after timeoutSeconds is a fact of the remedy', async () => {
  const port = await http((_request, response) => void sleep(1300).then(() => response.end()));
  const { cause, remedy, edits } = await tryOne(liveness(port), ['--count', '1']);
  expect(cause).toBe('slow');
  const [, seconds] = /^The answer comes after (\d\.\d) s\. Make the endpoint faster, or set /.exec(remedy) ?? [];
  expect(Number(seconds)).toBeGreaterThan(1);
  expect(edits.map(({ path }) => path)).toEqual(['spec.containers[0].livenessProbe.timeoutSeconds']);
  // The remedy rounds the seconds.
  expect(edits[0]?.value).toBeGreaterThanOrEqual(Number(seconds) * 2 - 0.1);
});

it('an answer that comes in time when asked again explains nothing, so its time is left out', async () => {
  let requests = 0;
  const port = await http((_request, response) => {
    requests += 1;
    if (requests > 1) response.end();
  });
  const { cause, remedy, edits } = await tryOne(liveness(port), ['--count', '1']);
  expect({ cause, remedy }).toEqual({ cause: 'slow', remedy: 'Make the endpoint faster, or set timeoutSeconds: 2.' });
  expect(edits).toEqual([{ path: 'spec.containers[0].livenessProbe.timeoutSeconds', value: 2 }]);
});

it('a path whose body does not end is replaced by a path that answers', async () => {
  let requests = 0;
  const port = await http((request, response) => {
    if (request.url === '/livez') return void response.end();
    requests += 1;
    if (requests > 1) return void response.destroy();
    response.writeHead(200, { 'content-length': 100 }).flushHeaders();
  });
  const { cause, edits } = await tryOne(liveness(port), ['--count', '1']);
  expect([cause, edits.map(({ value }) => value)]).toEqual(['timeout', ['/livez']]);
});

it('a server that answers only behind a PROXY header is told as that', async () => {
  const server = createServer((socket) => {
    socket.once('data', (chunk: Buffer) => {
      if (!chunk.toString('latin1').startsWith('PROXY ')) socket.destroy();
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { cause, remedy } = await tryOne(liveness(port), ['--count', '1']).finally(() => server.close());
  expect([cause, remedy]).toEqual(['proxy-header', expect.stringContaining('which a probe cannot send')]);
});

it('a server that asks for a certificate is probed by its port alone', async () => {
  const port = await https((_request, response) => void response.end(), {
    ...{ requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
  });
  const livenessProbe = { httpGet: { path: '/', port, scheme: 'HTTPS' }, timeoutSeconds: 1 };
  const { cause, edits } = await tryOne({ livenessProbe }, ['--count', '1']);
  expect([cause, edits.map(({ path, value }) => [path, value])]).toEqual([
    'tls-handshake',
    [
      ['spec.containers[0].livenessProbe.httpGet', null],
      ['spec.containers[0].livenessProbe.tcpSocket', { port }],
    ],
  ]);
});

it('a status 429 is a limit, and no other path is advised', async () => {
  const port = await http((request, response) => void response.writeHead(request.url === '/' ? 429 : 200).end());
  const { cause, edits } = await tryOne(liveness(port), ['--count', '1']);
  expect([cause, edits]).toEqual(['rate-limit', []]);
});

it('a redirect to https that nobody answers names the redirect', async () => {
  const port = await http((_request, response) => {
    response.writeHead(301, { location: 'https://127.0.0.1:1/' }).end();
  });
  const { cause, event, notes } = await tryOne(liveness(port), ['--count', '1']);
  expect(cause).toBe('redirect-https');
  expect(event).toContain('Get "https://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused');
  expect(notes).toEqual(['The path was redirected to https://127.0.0.1:1/, which gave no answer.']);
});

it.each([
  ['the first', [], true],
  ['the eighth', [1, 2, 3, 4, 5, 6, 7], true],
  ['not the ninth', [1, 2, 3, 4, 5, 6, 7, 8], false],
])('a port that the container does not declare is tried where it is %s that listens', async (_, before, isTried) => {
  const wrong = await http((_request, response) => void response.writeHead(404).end());
  const right = await http((_request, response) => void response.end());
  const open = (): Promise<readonly number[]> => Promise.resolve([...before, right]);
  const target = { ...addressTarget('127.0.0.1', new Map(), []), listeningPorts: open };
  const found = await lookFurther(
    plannedOne(liveness(wrong)),
    { result: 'failure', text: 'HTTP probe failed with statuscode: 404', code: 404 },
    { target, monotonic: Date.now, allowsSideEffects: false },
    undefined,
  );
  expect([found?.cause, found?.edits.map(({ value }) => value)]).toEqual(['http-404', isTried ? [right] : []]);
});
