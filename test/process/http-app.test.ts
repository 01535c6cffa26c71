import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { plainApp } from '../../src/process/http-app.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';
import type { AddressInfo, Socket } from 'node:net';
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

it('a plain port closes the oldest silent connection for each one above a hundred, and counts it', async () => {
  app = build();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  for (let count = 0; count < 103; count += 1) {
    const seen = once(app.server, 'connection');
    open.push(
      connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .resume(),
    );
    await seen;
  }
  await waitUntil('three are closed', () => open.filter(({ closed }) => closed).length === 3);
  expect(open.slice(0, 3).every(({ closed }) => closed)).toBe(true);
  expect(dropped).toBe(3);
});

it('a plain port takes no large body, and waits for no slow request', async () => {
  app = build();
  app.post('/', () => 'done');
  const headers = { 'content-type': 'text/plain' };
  expect((await app.inject({ method: 'POST', url: '/', payload: 'x'.repeat(1024), headers })).statusCode).toBe(200);
  expect((await app.inject({ method: 'POST', url: '/', payload: 'x'.repeat(1025), headers })).statusCode).toBe(413);
  expect({ request: app.server.requestTimeout, idle: app.server.timeout }).toEqual({ request: 30_000, idle: 30_000 });
});
