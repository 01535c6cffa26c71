import { once } from 'node:events';
import https from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Addresses } from '../../src/process/addresses.ts';
import { limitConnections } from '../../src/process/connection-limit.ts';
import { makeServingPair } from '../support/certificate.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';
import type { AddressInfo, Socket } from 'node:net';
import type { ServerResponse } from 'node:http';

const MOST = 4;

let pair: { certPem: string; keyPem: string };
let server: https.Server;
let port: number;
let now: number;
let dropped: number;
/** Requests that ask to be left waiting. */
let waiting: ServerResponse[];
const open: Socket[] = [];

beforeAll(async () => {
  pair = await makeServingPair();
});

beforeEach(async () => {
  [now, dropped, waiting] = [0, 0, []];
  // Answers with the status that the path says, or not yet.
  server = https.createServer({ cert: pair.certPem, key: pair.keyPem }, (request, response) => {
    const status = Number(request.url?.slice(1));
    if (status === 0) waiting.push(response);
    else response.writeHead(status).end();
  });
  limitConnections(server, {
    most: MOST,
    addresses: new Addresses(() => now),
    dropped: () => (dropped += 1),
    monotonic: () => now,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** A connection without TLS, once the server knows of it. */
async function tcp(localAddress?: string): Promise<Socket> {
  const seen = once(server, 'connection');
  const socket = watched(
    connectPlain({ host: '127.0.0.1', port, ...(localAddress !== undefined && { localAddress }) }),
  );
  await Promise.all([seen, once(socket, 'connect')]);
  return socket;
}

/** A connection with TLS, once the server knows of it. */
async function tls(localAddress?: string): Promise<Socket> {
  const seen = once(server, 'secureConnection');
  const socket = watched(
    connectTls({
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      ...(localAddress !== undefined && { localAddress }),
    } as object),
  );
  await Promise.all([seen, once(socket, 'secureConnect')]);
  return socket;
}

function watched(socket: Socket): Socket {
  open.push(socket);
  return socket.on('error', () => undefined).resume();
}

/** Asks for a status, and waits for the answer. */
async function ask(socket: Socket, status: number): Promise<Socket> {
  const closed = once(server, 'request').then(([, response]) => once(response as ServerResponse, 'close'));
  socket.write(`GET /${status} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await closed;
  return socket;
}

/** Asks, and gets no answer. */
async function askInVain(socket: Socket): Promise<Socket> {
  const seen = once(server, 'request');
  socket.write('GET /0 HTTP/1.1\r\nhost: x\r\n\r\n');
  await seen;
  return socket;
}

async function several(count: number, make: () => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) sockets.push(await make());
  return sockets;
}

const proven = async (): Promise<Socket> => ask(await tls(), 200);

/** Which of the sockets the server closed, once it has closed so many. */
async function closedOf(sockets: readonly Socket[], count: number): Promise<number[]> {
  await waitUntil(`${count} are closed`, () => sockets.filter(({ closed }) => closed).length === count);
  // Nobody else follows.
  await new Promise((resolve) => setTimeout(resolve, 30));
  return sockets.flatMap(({ closed }, index) => (closed ? [index] : []));
}

describe('as many connections as a port may have', () => {
  it('stay open, with TLS and without', async () => {
    const sockets = [...(await several(2, () => tls())), ...(await several(2, () => tcp()))];
    expect(await closedOf(sockets, 0)).toEqual([]);
    expect(dropped).toBe(0);
  });

  it('that were closed since make room for others', async () => {
    for (const socket of await several(MOST, proven)) {
      socket.destroy();
      await once(socket, 'close');
    }
    for (let left = -1; left !== 0; left = await openConnections()) await new Promise(setImmediate);
    const sockets = await several(MOST, () => tls());
    expect(await closedOf(sockets, 0)).toEqual([]);
    expect(dropped).toBe(0);
  });
});

describe('when one more comes', () => {
  it('the oldest that never asked is closed, whether it has TLS or is still shaking hands', async () => {
    const sockets = [await tcp(), await tls(), await tcp(), await tls(), await tls(), await tls()];
    expect(await closedOf(sockets, 2)).toEqual([0, 1]);
    expect(dropped).toBe(2);
  });

  it('one that was only ever refused is as good as one that never asked, and one with an answer stays', async () => {
    const sockets = [
      await proven(),
      await ask(await tls(), 404),
      await ask(await tls(), 400),
      ...(await several(3, tls)),
    ];
    expect(await closedOf(sockets, 2)).toEqual([1, 2]);
  });

  it('a slow body is no shelter: the oldest goes whether it is asking or not', async () => {
    const sockets = [await askInVain(await tls()), ...(await several(4, tls))];
    expect(await closedOf(sockets, 1)).toEqual([0]);
  });

  it('the newcomer is served, however many idle ones there are', async () => {
    await several(MOST, tcp);
    for (let count = 0; count < 3; count += 1) {
      await tcp();
      const { closed } = await proven();
      expect(closed).toBe(false);
    }
  });

  it('and all others were answered, the one that is idle for longest is closed', async () => {
    const sockets = await several(MOST, proven);
    await ask(sockets[0] as Socket, 200);
    sockets.push(await tls());
    expect(await closedOf(sockets, 1)).toEqual([1]);
  });

  it('and strangers have less than half the places, a proven one goes before a stranger', async () => {
    const sockets = [...(await several(3, proven)), ...(await several(2, () => tls()))];
    expect(await closedOf(sockets, 1)).toEqual([0]);
    // From now on the strangers have half of them, and go themselves.
    sockets.push(await tls());
    expect(await closedOf(sockets, 2)).toEqual([0, 3]);
  });

  it('and all others are being answered, the newcomer is closed', async () => {
    const sockets = await several(MOST, proven);
    for (const socket of sockets) await askInVain(socket);
    sockets.push(await tcp());
    expect(await closedOf(sockets, 1)).toEqual([MOST]);
    await Promise.all(waiting.map((response) => once(response.end(), 'close')));
    // They are idle again.
    sockets.push(await tls());
    expect(await closedOf(sockets, 2)).toEqual([0, MOST]);
  });

  it('one whose request takes longer than any honest one is closed before one that is idle', async () => {
    const sockets = await several(MOST, proven);
    await askInVain(sockets[2] as Socket);
    now += 5001;
    await askInVain(sockets[3] as Socket);
    sockets.push(await tls());
    expect(await closedOf(sockets, 1)).toEqual([2]);
  });

  it('more requests on a connection do not make its first one younger', async () => {
    const sockets = await several(MOST, proven);
    await askInVain(sockets[2] as Socket);
    now += 5001;
    await askInVain(sockets[2] as Socket);
    sockets.push(await tls());
    expect(await closedOf(sockets, 1)).toEqual([2]);
  });
});

it('the address that has most connections pays for one that is too many, even when another address opens it', async () => {
  const strangers = await several(1, () => tcp('127.0.0.3'));
  const others = await several(MOST - 1, async () => {
    const socket = await tls('127.0.0.2');
    return ask(socket, 200);
  });
  const sockets = [...strangers, ...others, await tcp('127.0.0.4')];
  // Of the crowd, the one that is idle for longest, and not the stranger who came first of all.
  expect(await closedOf(sockets, 1)).toEqual([1]);
  sockets.push(await tcp('127.0.0.5'));
  // Strangers have more than half the places now.
  expect(await closedOf(sockets, 2)).toEqual([0, 1]);
});

describe('beside strangers of many addresses', () => {
  const API_SERVER = '127.0.0.2';
  const provenOf = async (address: string): Promise<Socket> => ask(await tls(address), 200);

  it('proven ones of one address stay, busy or idle, while strangers have more than half the places', async () => {
    const honest = await several(2, () => provenOf(API_SERVER));
    await askInVain(honest[0] as Socket);
    const strangers = [];
    for (let last = 3; last < 9; last += 1) strangers.push(await tcp(`127.0.0.${last}`));
    expect(await closedOf([...honest, ...strangers], 4)).toEqual([2, 3, 4, 5]);
  });

  it('proven ones that are being answered stay, and the oldest stranger of any address goes', async () => {
    const honest = await several(3, () => provenOf(API_SERVER));
    for (const socket of honest) await askInVain(socket);
    const strangers = [await tcp('127.0.0.3'), await tcp('127.0.0.4')];
    expect(await closedOf([...honest, ...strangers], 1)).toEqual([3]);
  });

  it('proven ones that are being answered stay, and so does a newcomer of their address', async () => {
    const honest = await several(3, () => provenOf(API_SERVER));
    for (const socket of honest) await askInVain(socket);
    const sockets = [...honest, await tcp('127.0.0.3'), await tls(API_SERVER)];
    expect(await closedOf(sockets, 1)).toEqual([3]);
  });

  it('one that has been a stranger for more than five seconds goes before proven ones that are idle', async () => {
    const sockets = [await tcp('127.0.0.3'), ...(await several(3, () => provenOf(API_SERVER)))];
    now += 5001;
    sockets.push(await tls('127.0.0.4'));
    expect(await closedOf(sockets, 1)).toEqual([0]);
  });
});

it('a flood of connections closes one for each that is too many, and no more', async () => {
  const good = await proven();
  for (let round = 0; round < 40; round += 1) await Promise.all(Array.from({ length: 5 }, () => tcp()));
  await waitUntil('all are in', () => dropped >= 201 - MOST);
  expect(await openConnections()).toBe(MOST);
  expect(dropped).toBe(201 - MOST);
  await ask(good, 200);
  expect(good.closed).toBe(false);
});

const openConnections = (): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });
