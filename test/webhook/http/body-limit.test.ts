import { once } from 'node:events';
import { connect } from 'node:net';
import fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { limitBodies } from '../../../src/webhook/http/body-limit.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const LARGE = 100_000;

let app: FastifyInstance;
let dropped: number;
let delayed: number;
/** What each whole body came to. */
let lengths: number[];
const open: Socket[] = [];

beforeEach(async () => {
  [dropped, delayed, lengths] = [0, 0, []];
  app = fastify({ forceCloseConnections: true });
  limitBodies(app, {
    most: 3 * LARGE,
    longest: 10 * LARGE,
    addresses: new Addresses(() => 0),
    monotonic: () => 0,
    dropped: () => (dropped += 1),
    delayed: () => (delayed += 1),
    block: (socket) => socket.pause(),
    unblock: (socket) => socket.resume(),
    isHeld: () => false,
  });
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  app.post('/', (request) => {
    lengths.push(String(request.body).length);
    return {};
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await app.close();
});

/** Announces a body and sends some of it. */
async function send(announced: number, sent: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port });
  open.push(socket.on('error', () => undefined).resume());
  const seen = once(app.server, 'request');
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${announced}\r\n\r\n`);
  await seen;
  socket.write('x'.repeat(sent));
  return socket;
}

it('bodies that are too much together cost the one that was begun first, and the others are read', async () => {
  const slow = [await send(LARGE, LARGE - 1), await send(LARGE, LARGE - 1), await send(LARGE, LARGE - 1)];
  await send(LARGE, LARGE);
  await waitUntil('the whole one is read', () => lengths.length === 1);
  await waitUntil('one is dropped', () => slow.some(({ closed }) => closed));
  expect(slow.map(({ closed }) => closed)).toEqual([true, false, false]);
  expect(dropped).toBe(1);
  slow[1]?.write('x');
  await waitUntil('a slow one is read in the end', () => lengths.length === 2);
  expect(lengths).toEqual([LARGE, LARGE]);
});

it('bodies one after the other are never too much, as what is answered does not count', async () => {
  for (let count = 1; count <= 12; count += 1) {
    await send(LARGE, LARGE);
    await waitUntil('it is read', () => lengths.length === count);
  }
  expect(dropped).toBe(0);
});

it('bodies whose callers went away do not count', async () => {
  for (let count = 1; count <= 12; count += 1) {
    const gone = once(app.server, 'request').then(([, response]) => once(response as ServerResponse, 'close'));
    (await send(LARGE, LARGE - 1)).destroy();
    await gone;
  }
  expect(dropped).toBe(0);
});

it('short ones are not counted', async () => {
  const short = await Promise.all(Array.from({ length: 6 }, () => send(16_000, 15_999)));
  await send(LARGE, LARGE);
  await waitUntil('it is read', () => lengths.length === 1);
  expect(short.some(({ closed }) => closed)).toBe(false);
});
