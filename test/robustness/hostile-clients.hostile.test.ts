import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appContainer, pod, reviewOf } from '../support/worlds.ts';
import { REVIEW, ask, askHealth, collect, keepAlive, requestBytes, tcp, tls } from './client.ts';
import { besideCaller } from './beside-caller.ts';
import { CHART_LIMIT_BYTES, chartNodeArgs } from './chart-memory.ts';
import { readable, report } from './figures.ts';
import { Program } from './program.ts';
import { MACHINE_FACTOR } from './settings.ts';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';

/** No hostile client delays a review of another address for longer, and no turn of the event loop uses more. */
const LIMIT_MILLISECONDS = 500 * MACHINE_FACTOR;
/** A flood that harms others harms them whenever it is made; a machine that was busy for a moment was not made busy by it. */
const GOES = 3;
const ATTACK_MILLISECONDS = 4000;
const MIB = 1024 * 1024;
/** The API server of these tests has 127.0.0.1. */
const ATTACKER = '127.0.0.2';

let program: Program;
/** Never done: begun first, looked at last, as the server's patience is 35 s. */
let unfinished: Promise<{ text: string; ended: boolean; after: number }>[];
const open: Socket[] = [];

beforeAll(async () => {
  program = await Program.start({ nodeArgs: chartNodeArgs(), args: ['--log-level', 'error'] });
  unfinished = [60, 300].map((length) => drip(requestBytes(REVIEW).slice(0, length)));
  const { delay } = await besideCaller(program, 2000, () => Promise.resolve());
  report('Hostile clients', 'quiet run: 100 calls a second of a caller that behaves', `p99 ${readable(delay)}`);
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await program.stop();
});

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A TLS connection of an attacker. Undefined when the server closes it. */
async function attacking(localAddress = ATTACKER, options: ConnectionOptions = {}): Promise<TLSSocket | undefined> {
  return tls(program.port, { localAddress, ...options } as object).catch(() => undefined);
}

async function connections(count: number, localAddress = ATTACKER): Promise<TLSSocket[]> {
  const sockets: TLSSocket[] = [];
  while (sockets.length < count) {
    const socket = await attacking(localAddress);
    if (socket === undefined) await pause(100);
    else sockets.push(socket);
  }
  return sockets;
}

/** Sends a text byte by byte, one a second, and never what is missing. */
async function drip(text: string): Promise<{ text: string; ended: boolean; after: number }> {
  const socket = await tls(program.port, { localAddress: '127.0.0.99' } as object);
  open.push(socket);
  let sent = 0;
  const timer = setInterval(() => socket.write(text[sent++] ?? ' '), 1000);
  const result = await collect(socket, 100_000);
  clearInterval(timer);
  return result;
}

async function metric(name: string): Promise<number> {
  const { body } = await askHealth(program.healthPort, '/metrics');
  const line = body.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}
const droppedConnections = (): Promise<number> => metric('probewright_connections_dropped_total{port="webhook"}');
const inFlight = (): Promise<number> => metric('probewright_admission_in_flight');

/** A review of about a megabyte, with 4,000 environment variables. */
const MEGABYTE = JSON.stringify(
  reviewOf(
    pod([
      appContainer({
        env: Array.from({ length: 4000 }, (_, index) => ({ name: `V_${index}`, value: 'what it is '.repeat(20) })),
      }),
    ]),
  ),
);
/** As many containers and elements as are checked, which take long to decide. */
const LARGEST = JSON.stringify(
  reviewOf(
    pod(
      Array.from({ length: 300 }, (_, index) =>
        appContainer({
          name: `container-${index}`,
          args: Array.from({ length: 8 }, (__, arg) => `--flag-${arg}`),
          livenessProbe: { exec: { command: ['sh', '-c', `test -f /tmp/ready-${index}`] }, periodSeconds: 10 },
        }),
      ),
    ),
  ),
);

/** Connections that each send a request again and again, as soon as what they sent is answered. */
class Flood {
  readonly #sockets = new Set<Socket>();
  readonly #localAddress: string;
  #isOver = false;
  answers = 0;

  constructor(localAddress: string) {
    this.#localAddress = localAddress;
  }

  start(count: number, request: Buffer): this {
    for (let index = 0; index < count; index += 1) void this.#connect(request);
    return this;
  }

  stop(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #connect(request: Buffer): Promise<void> {
    if (this.#isOver) return;
    const socket = await attacking(this.#localAddress);
    const again = (): void => void setTimeout(() => void this.#connect(request), 10);
    if (socket === undefined) {
      again();
      return;
    }
    this.#sockets.add(socket);
    // The flood may have ended while the connection was being opened.
    if (this.#isOver as boolean) socket.destroy();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      again();
    });
    socket.on('data', (chunk: Buffer) => {
      const found = chunk.toString('latin1').match(/HTTP\/1.1 \d/g)?.length ?? 0;
      this.answers += found;
      if (found > 0) socket.write(request);
    });
    socket.write(request);
  }
}

const validate = (body: string): Buffer => Buffer.from(requestBytes(body).replace('/mutate', '/validate'));

/** Runs an attack beside an API server: each of its reviews is answered, and none waits for too long in every go. */
async function beside(scenario: string, attack: (until: () => boolean) => Promise<() => string>): Promise<void> {
  const seen: string[] = [];
  let isDelayed = true;
  let last = '';
  while (isDelayed && seen.length < GOES) {
    const end = performance.now() + ATTACK_MILLISECONDS;
    let stop = (): string => '';
    const fared = await besideCaller(program, ATTACK_MILLISECONDS, async () => {
      stop = await attack(() => performance.now() >= end);
    });
    last = stop();
    const { calls, failures, delay, stolen, longestTurn } = fared;
    expect(failures).toEqual([]);
    isDelayed = !(delay <= LIMIT_MILLISECONDS || delay <= stolen) || longestTurn > LIMIT_MILLISECONDS;
    seen.push(`p99 of ${calls} calls ${readable(delay)}, longest turn ${readable(longestTurn)}`);
    // What the attack has left is answered or given up.
    await pause(500);
  }
  const all = seen.join('; then ');
  report('Hostile clients', scenario, `${last}; ${all}`);
  expect(isDelayed, all).toBe(false);
}

function flood(...parts: [count: number, request: Buffer, localAddress?: string][]): () => Promise<() => string> {
  return () => {
    const floods = parts.map(([count, request, address = ATTACKER]) => new Flood(address).start(count, request));
    return Promise.resolve(() => {
      for (const one of floods) one.stop();
      return `${floods.reduce((sum, { answers }) => sum + answers, 0)} answers`;
    });
  };
}

const dozens = Buffer.from(requestBytes(REVIEW).repeat(50));
const rejected = Buffer.from('GET /x HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(90));

describe('while another address floods the server, the API server is answered within 500 ms', () => {
  it.each<[string, () => Promise<() => string>]>([
    ['90 connections with reviews of 1 MB from another address', flood([90, validate(MEGABYTE)])],
    ['200 connections with short reviews from another address', flood([200, validate(REVIEW)])],
    ['90 connections with Pods at the bounds from another address', flood([90, validate(LARGEST)])],
    [
      '200 connections with requests by the dozen from another address',
      flood([100, dozens], [100, rejected, '127.0.0.3']),
    ],
    ['4 connections with Pods at the bounds from the same address', flood([4, validate(LARGEST), '127.0.0.1'])],
    [
      'floods from five other addresses',
      flood(
        ...[2, 3, 4, 5, 6].flatMap((last): [number, Buffer, string][] => [
          [10, validate(MEGABYTE), `127.0.0.${last}`],
          [10, dozens, `127.0.0.${last}`],
          [4, validate(LARGEST), `127.0.0.${last}`],
        ]),
      ),
    ],
  ])('%s', beside);

  it('with handshakes without end', () =>
    beside('handshakes without end from another address', () => {
      let count = 0;
      let isOver = false;
      const shake = async (): Promise<void> => {
        while (!isOver) {
          (await attacking())?.destroy();
          count += 1;
        }
      };
      for (let parallel = 0; parallel < 40; parallel += 1) void shake();
      return Promise.resolve(() => {
        isOver = true;
        return `${count} handshakes`;
      });
    }));
});

describe('beside clients that never come to an end', () => {
  it('200 connections with slow bodies of 7 MiB: reviews of others are answered, long ones too, and the server is ready', async () => {
    const sockets = await connections(100);
    sockets.push(...(await connections(100, '127.0.0.3')));
    await beside('200 slow bodies of 7 MiB', async (until) => {
      for (const socket of sockets) socket.write(requestBytes('x'.repeat(7 * MIB - 100)).slice(0, 2 * MIB));
      const agent = keepAlive();
      for (let count = 0; count < 5; count += 1)
        expect((await ask(program.port, { agent, body: MEGABYTE })).code).toBe(200);
      agent.destroy();
      for (; !until(); await pause(50)) for (const socket of sockets) socket.write('x');
      return () => `${sockets.length} connections`;
    });
    const { rss } = await program.vitals();
    expect(rss).toBeLessThan(CHART_LIMIT_BYTES);
    for (const socket of sockets) socket.destroy();
    const began = performance.now();
    expect((await askHealth(program.healthPort, '/readyz')).code).toBe(200);
    expect((await ask(program.port, { body: MEGABYTE })).code).toBe(200);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('200 connections that send their headers byte by byte', async () => {
    const sockets = await connections(100);
    sockets.push(...(await connections(100, '127.0.0.3')));
    await beside('200 slow headers', async (until) => {
      const text = requestBytes(REVIEW);
      for (let sent = 0; !until(); sent += 1) {
        for (const socket of sockets) socket.write(text[sent % 60] ?? ' ');
        await pause(50);
      }
      return () => `${sockets.length} connections`;
    });
    for (const socket of sockets) socket.destroy();
  });

  it('connections that are open or wait, as many as four addresses get, with and without TLS', async () => {
    const before = await droppedConnections();
    const idle = [2, 3, 4, 5].flatMap((last) =>
      Array.from({ length: 900 }, async (_, count) => {
        const address = `127.0.0.${last}`;
        if (count % 2 === 0) return attacking(address);
        const socket = await tcp(program.port, address);
        // Less than what closes one that waits.
        socket.write(Buffer.alloc(8000));
        return socket;
      }),
    );
    let most = 0;
    await beside('3600 connections from four addresses', async (until) => {
      for (; !until(); await pause(50)) most = Math.max(most, (await program.vitals()).rss);
      return () => `${Math.round(most / MIB)} MiB`;
    });
    await expect.poll(droppedConnections, { timeout: 30_000 }).toBeGreaterThan(before);
    for (const connecting of idle) void connecting.then((socket) => socket?.destroy());
    expect(most).toBeLessThan(CHART_LIMIT_BYTES);
  });

  it('a request that is never finished is cut off with 408', async () => {
    const results = await Promise.all(unfinished);
    for (const { ended, text } of results) expect([ended, text.slice(0, 13)]).toEqual([true, 'HTTP/1.1 408 ']);
    const times = results.map(({ after }) => readable(after)).join(' and ');
    report('Hostile clients', 'a request that is never finished', `cut off after ${times}, with 408`);
  });
});

describe('memory stays within what the chart gives', () => {
  const nested = (open: string, close: string, count: number): string =>
    list(() => open.repeat(490) + '0' + close.repeat(490), Math.floor(count / 490));
  const list = (element: (index: number) => string, count: number): string =>
    `[${Array.from({ length: count }, (_, index) => element(index)).join(',')}]`;

  /** As many members as are read, in the shapes that take the most memory. */
  it.each<[string, string]>([
    ['empty objects', list(() => '{}', 145_000)],
    ['keys that are indices', list(() => '{"33":0}', 98_000)],
    ['keys of their own', list((index) => `{"k${index}":0}`, 98_000)],
    ['nested lists', nested('[', ']', 290_000)],
    ['nested keys that are indices', nested('{"33":', '}', 148_000)],
  ])('under twelve connections with %s', async (shape, value) => {
    const body = `{"more":${value},${REVIEW.slice(1)}`;
    expect((await ask(program.port, { body })).code).toBe(200);
    const attack = new Flood(ATTACKER).start(12, validate(body));
    let most = 0;
    for (const end = performance.now() + 3000; performance.now() < end; await pause(50))
      most = Math.max(most, (await program.vitals()).rss);
    attack.stop();
    expect(most).toBeLessThan(CHART_LIMIT_BYTES);
    report('Hostile clients', `bodies of ${shape}`, `server has ${Math.round(most / MIB)} MiB at most`);
  });

  it('under connections that do not read their answers', async () => {
    const sockets = await connections(100);
    const request = requestBytes(LARGEST);
    for (const socket of sockets) socket.pause().write(request);
    let most = 0;
    for (let count = 0; count < 20; count += 1) {
      most = Math.max(most, (await program.vitals()).rss);
      await pause(100);
    }
    for (const socket of sockets) socket.destroy();
    expect(most).toBeLessThan(CHART_LIMIT_BYTES);
    report('Hostile clients', '100 answers that nobody reads', `server has ${Math.round(most / MIB)} MiB at most`);
  });
});

it('callers that reset their connections right behind a request leave nothing behind', async () => {
  const before = await inFlight();
  for (let count = 0; count < 80; count += 1) {
    const below = await tcp(program.port);
    const socket = await tls(program.port, { socket: below });
    socket.write(requestBytes(REVIEW).repeat(1 + (count % 4)));
    await pause(count % 3);
    below.resetAndDestroy();
  }
  let left = await inFlight();
  // A connection whose answer can never leave is given up when nothing has moved on it for 40 s.
  for (let second = 0; left > before && second < 60; second += 1) {
    await pause(1000);
    left = await inFlight();
  }
  expect(left).toBe(before);
  report('Hostile clients', '80 connections that are reset right behind their requests', 'nothing left in flight');
});

describe('what is refused', () => {
  it('TLS before 1.2, plain HTTP and noise on the TLS port', async () => {
    const old = tls(program.port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
    await expect(old).rejects.toThrow(/protocol version|EPROTO|disconnected|ECONNRESET/i);
    for (const text of [requestBytes(REVIEW), '\0'.repeat(1000), 'SSH-2.0-x\r\n']) {
      const socket = await tcp(program.port);
      socket.write(text);
      expect((await collect(socket, 3000)).text).not.toContain('200 OK');
      socket.destroy();
    }
  });

  it('bodies over 64 MiB, announced and not', async () => {
    const announced = await tls(program.port);
    announced.write(requestBytes(REVIEW, { 'content-length': String(65 * MIB) }));
    expect((await collect(announced, 3000)).text).toMatch(/^HTTP\/1.1 413 /);
    const chunked = await tls(program.port);
    const head = 'POST /mutate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n';
    chunked.write(`${head}\r\n`);
    for (let count = 0; count < 65; count += 1) chunked.write(`100000\r\n${'x'.repeat(MIB)}\r\n`);
    expect((await collect(chunked, 20_000)).text).toMatch(/^HTTP\/1.1 413 /);
  });

  it.each([
    `POST /mutate HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `POST /mutate HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
    `POST /mutate HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`,
    `GET /mutate HTTP/9.9\r\n\r\n`,
    `POST /mutate HTTP/1.1\r\n\r\n`,
    `POST /mutate HTTP/1.1\r\nhost: x\r\n folded: y\r\ncontent-length: -1\r\n\r\n`,
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    `POST /mutate HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n`,
  ])('requests that no parser should take twice: %j', async (text) => {
    const socket = await tls(program.port);
    socket.write(text, 'latin1');
    expect((await collect(socket, 1000)).text).not.toMatch(/HTTP\/1.1 [25]/);
    socket.destroy();
  });
});
