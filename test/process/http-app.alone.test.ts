import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

/** The status line of each answer that has come on a connection. */
function answersOf(socket: Socket): { text: string } {
  const answers = { text: '' };
  socket.setEncoding('utf8').on('data', (chunk: string) => (answers.text += chunk));
  return answers;
}

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

describe('a plain port on which an address has a third of all connections', () => {
  beforeEach(async () => {
    dropped = 0;
    app = build();
    await app.listen({ host: '127.0.0.1', port: 0 });
  });

  it('lets further ones of the address wait, and answers them in their order when others close', async () => {
    const sockets = await openConnections(36, '127.0.0.2');
    const answers = sockets.map(answersOf);
    for (const socket of sockets) socket.write(REQUEST);
    await waitUntil('those that are open have answers', () => answers.slice(0, 33).every(({ text }) => text !== ''));
    const others = await openConnections(1, '127.0.0.1');
    expect((await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`)).status).toBe(404);
    expect(answers.slice(33).map(({ text }) => text)).toEqual(['', '', '']);
    // The other address leaves the first one less.
    for (const socket of sockets.slice(0, 2)) socket.destroy();
    await waitUntil('the first that waits has its answer', () => answers[33]?.text !== '');
    expect(answers[33]?.text).toMatch(/^HTTP\/1.1 404 /);
    expect(answers.slice(34).map(({ text }) => text)).toEqual(['', '']);
    sockets[33]?.write(REQUEST);
    await waitUntil('it has another answer', () => answers[33]?.text.match(/HTTP\/1.1 404/g)?.length === 2);
    expect([...sockets.slice(2), ...others].some(({ closed }) => closed)).toBe(false);
    expect(dropped).toBe(0);
  });

  it('forgets one that its client gives up or resets', async () => {
    const sockets = await openConnections(36, '127.0.0.2');
    sockets[33]?.end(REQUEST);
    sockets[34]?.resetAndDestroy();
    await waitUntil('it is closed', () => sockets[33]?.closed === true);
    const answers = answersOf(sockets[35] as Socket);
    sockets[0]?.destroy();
    sockets[35]?.write(REQUEST);
    await waitUntil('the last one has its answer', () => answers.text !== '');
    expect(dropped).toBe(0);
  });

  it('closes one that waits for 10 s, and one that sends more than 8 KiB', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const sockets = await openConnections(35, '127.0.0.2');
    vi.advanceTimersByTime(9999);
    expect(dropped).toBe(0);
    sockets[34]?.write('x'.repeat(8193));
    await once(sockets[34] as Socket, 'close');
    expect(dropped).toBe(1);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await waitUntil('the other one is closed', () => sockets[33]?.closed === true);
    expect([sockets.slice(0, 33).some(({ closed }) => closed), dropped]).toEqual([false, 2]);
  });

  it('closes the oldest when more than 700 of the address wait', async () => {
    const sockets = await openConnections(735, '127.0.0.2');
    await waitUntil('two are closed', () => sockets.filter(({ closed }) => closed).length === 2);
    expect(sockets.slice(33, 35).every(({ closed }) => closed)).toBe(true);
    expect(dropped).toBe(2);
  });
});

it('a plain port takes no large body, and waits for no slow request', async () => {
  app = build();
  app.post('/', () => 'done');
  const headers = { 'content-type': 'text/plain' };
  expect((await app.inject({ method: 'POST', url: '/', payload: 'x'.repeat(1024), headers })).statusCode).toBe(200);
  expect((await app.inject({ method: 'POST', url: '/', payload: 'x'.repeat(1025), headers })).statusCode).toBe(413);
  expect({ request: app.server.requestTimeout, idle: app.server.timeout }).toEqual({ request: 30_000, idle: 30_000 });
});
