import { once } from 'node:events';
import https from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { limitHandshakes } from '../../../src/webhook/http/handshake-limit.ts';
import { ProcessorMeter } from '../../../src/webhook/http/processor-meter.ts';
import { makeServingPair } from '../../support/certificate.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import type { AddressInfo, Socket } from 'node:net';

let pair: { certPem: string; keyPem: string };
let server: https.Server;
let port: number;
let now: number;
let dropped: string[];
let delayed: number;
const open: Socket[] = [];

beforeAll(async () => {
  pair = await makeServingPair();
});
beforeEach(async () => {
  [now, dropped, delayed] = [0, [], 0];
  server = https.createServer({ cert: pair.certPem, key: pair.keyPem }, (_request, response) => response.end('answer'));
  limitHandshakes(server, {
    addresses: new Addresses(() => now),
    meter: new ProcessorMeter(() => now),
    monotonic: () => now,
    later: setImmediate,
    delayed: () => (delayed += 1),
    dropped: ({ name }) => dropped.push(name),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function watched(socket: Socket): Socket {
  open.push(socket);
  return socket.on('error', () => undefined).resume();
}

/** A handshake that is begun and never goes on: half a record. */
async function stall(localAddress: string): Promise<Socket> {
  const socket = watched(connectPlain({ host: '127.0.0.1', port, localAddress }));
  await once(socket, 'connect');
  socket.write('\x16\x03\x01\x02\x00\x01');
  return socket;
}

async function shake(localAddress: string): Promise<Socket> {
  const socket = watched(connectTls({ host: '127.0.0.1', port, localAddress, rejectUnauthorized: false } as object));
  await once(socket, 'secureConnect');
  return socket;
}

const several = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

it('requests are answered behind the handshake', async () => {
  const socket = await shake('127.0.0.1');
  const answered = once(socket, 'data');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(String((await answered)[0])).toContain('200 OK');
});

it('connections that say nothing, or leave in the midst, delay no handshake', async () => {
  const silent = await several(100, async () => {
    const socket = watched(connectPlain({ host: '127.0.0.1', port }));
    await once(socket, 'connect');
    return socket;
  });
  for (const socket of await several(100, () => stall('127.0.0.2'))) socket.destroy();
  await several(100, () => shake('127.0.0.1'));
  expect([silent.some(({ closed }) => closed), dropped]).toEqual([false, []]);
});

it('handshakes that do not go on make room for those of an address that has fewer, and for their own after a second', async () => {
  const [two, three] = [await several(32, () => stall('127.0.0.2')), await several(32, () => stall('127.0.0.3'))];
  const own = stall('127.0.0.2').then(() => shake('127.0.0.2'));
  const other = shake('127.0.0.1');
  await waitUntil('they wait', () => delayed > 0);
  expect(dropped).toEqual([]);
  now = 150;
  await other;
  expect(dropped.length).toBeGreaterThan(0);
  now = 1100;
  await own;
  const closed = (): number => [...two, ...three].filter((socket) => socket.closed).length;
  await waitUntil('they are closed', () => closed() === dropped.length);
  expect(dropped.length).toBeLessThan(6);
});
