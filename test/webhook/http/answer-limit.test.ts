import { once } from 'node:events';
import { connect } from 'node:net';
import fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { limitAnswers } from '../../../src/webhook/http/answer-limit.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Far more than the kernel holds for a connection whose other end does not read. */
const LARGE = 16 * 1024 * 1024;
const SHORT = 16_000;

let app: FastifyInstance;
let dropped: number;
let answered: number;
const open: Socket[] = [];

beforeEach(async () => {
  [dropped, answered] = [0, 0];
  app = fastify({ forceCloseConnections: true });
  limitAnswers(app, {
    most: 3 * LARGE,
    addresses: new Addresses(() => 0),
    monotonic: () => 0,
    dropped: () => (dropped += 1),
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    answered += 1;
    done();
  });
  app.get('/large', () => 'x'.repeat(LARGE));
  app.get('/short', () => 'x'.repeat(SHORT));
  await app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await app.close();
});

/** Asks, and does not read until it is resumed. */
function ask(path: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port });
  open.push(socket.on('error', () => undefined).pause());
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
}

it('answers that nobody reads cost the connection that has waited for longest, when they are too much together', async () => {
  const mute: Socket[] = [];
  for (let count = 1; count <= 3; count += 1) {
    const asked = once(app.server, 'request');
    mute.push(ask('/large'));
    await asked;
  }
  ask('/large').resume();
  await waitUntil('the one that reads has its answer', () => answered > 0);
  await waitUntil('one is dropped', () => dropped > 0);
  expect(dropped).toBe(1);
  await once(mute[0]?.resume() ?? app.server, 'close');
  expect(mute.slice(1).map(({ closed }) => closed)).toEqual([false, false]);
});

it('a long answer is the last on its connection, and a short one is not', async () => {
  const { port } = app.server.address() as AddressInfo;
  const connection = async (path: string): Promise<string | null> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).headers.get('connection');
  expect(await connection('/large')).toBe('close');
  expect(await connection('/short')).toBe('keep-alive');
});

it('answers that are read are never too much, however many', async () => {
  for (let count = 1; count <= 8; count += 1) {
    ask('/large').resume();
    await waitUntil('it is read', () => answered === count);
  }
  expect(dropped).toBe(0);
});

it('answers whose readers went away do not count', async () => {
  for (let count = 1; count <= 8; count += 1) {
    const asked = once(app.server, 'request');
    const gone = ask('/large');
    const [, response] = (await asked) as [unknown, ServerResponse];
    const closed = once(response, 'close');
    gone.destroy();
    await closed;
  }
  expect(dropped).toBe(0);
});
