import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { plainApp } from '../../src/process/http-app.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';
import type { FastifyInstance } from 'fastify';

let app: FastifyInstance;
let dropped = 0;
const open: Socket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await app.close();
});

function build(): FastifyInstance {
  return plainApp({ dropped: () => (dropped += 1), monotonic: () => performance.now() });
}

/** Opens connections one after another, and waits until the server has seen each. */
async function openConnections(count: number, localAddress: string): Promise<readonly Socket[]> {
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const seen = once(app.server, 'connection');
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined).resume();
    sockets.push(socket);
    await seen;
  }
  open.push(...sockets);
  return sockets;
}

it('a plain port closes new connections of an address with a third of all, counts them, and takes those of others', async () => {
  app = build();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const sockets = await openConnections(36, '127.0.0.2');
  await waitUntil('three are closed', () => sockets.filter(({ closed }) => closed).length === 3);
  expect(sockets.slice(0, 33).some(({ closed }) => closed)).toBe(false);
  expect(dropped).toBe(3);
  const others = await openConnections(20, '127.0.0.1');
  expect((await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`)).status).toBe(404);
  expect([others.some(({ closed }) => closed), dropped]).toEqual([false, 3]);
  sockets[0]?.destroy();
  await waitUntil('it is closed', () => sockets[0]?.closed === true);
  await openConnections(1, '127.0.0.2');
});

it('a plain port takes 200 new connections of an address in a second', async () => {
  let now = 0;
  app = plainApp({ dropped: () => (dropped += 1), monotonic: () => now });
  await app.listen({ host: '127.0.0.1', port: 0 });
  dropped = 0;
  for (let count = 0; count < 210; count += 1) (await openConnections(1, '127.0.0.2'))[0]?.destroy();
  const before = dropped;
  expect(before).toBeGreaterThanOrEqual(10);
  await openConnections(1, '127.0.0.1');
  now = 1000;
  await openConnections(1, '127.0.0.2');
  expect(dropped).toBe(before);
});

it('a plain port takes no large body, and waits for no slow request', async () => {
  app = build();
  app.post('/', () => 'done');
  const headers = { 'content-type': 'text/plain' };
  expect((await app.inject({ method: 'POST', url: '/', payload: 'x'.repeat(1024), headers })).statusCode).toBe(200);
  expect((await app.inject({ method: 'POST', url: '/', payload: 'x'.repeat(1025), headers })).statusCode).toBe(413);
  expect({ request: app.server.requestTimeout, idle: app.server.timeout }).toEqual({ request: 30_000, idle: 30_000 });
});
