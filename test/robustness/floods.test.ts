import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appContainer, pod, reviewOf } from '../support/worlds.ts';
import { REVIEW, ask, collect, keepAlive, requestBytes, tls } from './client.ts';
import { besideCaller } from './beside-caller.ts';
import { readable, report } from './figures.ts';
import { Program } from './program.ts';
import type { Socket } from 'node:net';

/** The API server of these tests; the attackers have other addresses, unless a test says otherwise. */
const API_SERVER = '127.0.0.1';
const ATTACKER = '127.0.0.2';
/** No caller is delayed for longer by another, and no turn of the event loop uses more of the processor. */
const LIMIT_MILLISECONDS = 100;
/** A flood that harms others harms them whenever it is made; a machine that was busy for a moment was not made busy by it. */
const GOES = 3;
const FLOOD_MILLISECONDS = 4000;

let program: Program;

beforeAll(async () => {
  // As the chart starts it.
  const nodeArgs = ['--max-old-space-size=192', '--max-semi-space-size=8'];
  program = await Program.start({ nodeArgs, args: ['--log-level', 'error'] });
  await besideCaller(program, 2000, () => Promise.resolve());
});
afterAll(() => program.stop());

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A valid review of about a megabyte. */
const MEGABYTE = JSON.stringify(
  reviewOf(
    pod([
      appContainer({
        env: Array.from({ length: 18_000 }, (_, index) => ({
          name: `VARIABLE_${index}`,
          value: `what it is ${index}`,
        })),
      }),
    ]),
  ),
);
/** The same in 5,000 containers with probes, which take long to decide. */
const CONTAINERS = JSON.stringify(
  reviewOf(
    pod(
      Array.from({ length: 5000 }, (_, index) =>
        appContainer({
          name: `container-${index}`,
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

  /** @param answers to wait for before the request is sent again; 0 = without waiting */
  start(connections: number, request: Buffer, answers = 1): void {
    for (let count = 0; count < connections; count += 1) void this.#connect(request, answers);
  }

  stop(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #connect(request: Buffer, answers: number): Promise<void> {
    if (this.#isOver) return;
    const socket = await tls(program.port, { localAddress: this.#localAddress } as object).catch(() => undefined);
    if (socket === undefined) {
      setTimeout(() => void this.#connect(request, answers), 10);
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => void this.#connect(request, answers), 10);
    });
    let left = answers;
    socket.on('data', (chunk: Buffer) => {
      const found = chunk.toString('latin1').match(/HTTP\/1.1 \d/g)?.length ?? 0;
      this.answers += found;
      left -= found;
      if (answers > 0 && left > 0) return;
      left = answers;
      if (socket.writableLength < 1_000_000) socket.write(request);
    });
    socket.write(request);
  }
}

const requestOf = (body: string): Buffer => Buffer.from(requestBytes(body).replace('/mutate', '/validate'));

/**
 * Runs a flood beside an API server; it may not fail to be answered, or wait for too long in every go.
 *
 * @param own the sizes of the API server's own reviews, and how long they may wait in milliseconds: long ones take several turns of the event loop
 */
async function beside(
  scenario: string,
  flood: () => Promise<() => string>,
  own: { kilobytes?: number[]; limit?: number } = {},
): Promise<void> {
  const seen: string[] = [];
  let isDelayed = true;
  let last = '';
  while (isDelayed && seen.length < GOES) {
    let stop = (): string => '';
    const attack = async (): Promise<void> => {
      stop = await flood();
    };
    const fared = await besideCaller(program, FLOOD_MILLISECONDS, attack, own.kilobytes);
    last = stop();
    const { calls, failures, p99, delay, stolen, longestTurn } = fared;
    expect(failures).toEqual([]);
    // There is no delay to tell of when hardly a call was answered.
    const isSlow = Number.isNaN(delay) || (delay > (own.limit ?? LIMIT_MILLISECONDS) && delay > stolen);
    isDelayed = isSlow || longestTurn > LIMIT_MILLISECONDS;
    seen.push(
      `p99 of ${calls} calls ${readable(delay)} (${readable(p99)} with what other processes took), longest turn ${readable(longestTurn)}`,
    );
    // What the flood has left is answered or given up.
    await pause(500);
  }
  const all = seen.join('; then ');
  report('Hostile clients', scenario, `${last}; ${all}`);
  expect(isDelayed, all).toBe(false);
}

function floodOf(connections: number, body: string, localAddress = ATTACKER): () => Promise<() => string> {
  return () => {
    const flood = new Flood(localAddress);
    flood.start(connections, requestOf(body));
    return Promise.resolve(() => {
      flood.stop();
      return `${flood.answers} answers`;
    });
  };
}

function floodByTheDozen(): Promise<() => string> {
  const flood = new Flood(ATTACKER);
  flood.start(100, Buffer.from(requestBytes(REVIEW).repeat(50)), 50);
  flood.start(100, Buffer.from('GET /x HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(90)), 90);
  return Promise.resolve(() => {
    flood.stop();
    return `${flood.answers} answers`;
  });
}

describe('while another address floods the server, the API server is answered within 100 ms', () => {
  it('with 90 connections and valid reviews of a megabyte', () =>
    beside('90 connections with reviews of 1 MB from another address', floodOf(90, MEGABYTE)));

  it('with 24 connections and valid reviews of a megabyte', () =>
    beside('24 connections with reviews of 1 MB from another address', floodOf(24, MEGABYTE)));

  it('with 90 connections and Pods of 5,000 containers', () =>
    beside('90 connections with Pods of 5,000 containers from another address', floodOf(90, CONTAINERS)));

  it('with 200 connections and requests by the dozen, without waiting for answers', () =>
    beside('200 connections with requests by the dozen from another address', floodByTheDozen));

  it('with floods of all sorts from five addresses', () =>
    beside('floods from five other addresses', () => {
      const floods = [2, 3, 4, 5, 6].map((last) => new Flood(`127.0.0.${last}`));
      for (const flood of floods) {
        flood.start(10, requestOf(MEGABYTE));
        flood.start(10, Buffer.from(requestBytes(REVIEW).repeat(20)), 20);
        flood.start(4, requestOf(CONTAINERS));
      }
      return Promise.resolve(() => {
        for (const flood of floods) flood.stop();
        return `${floods.reduce((sum, { answers }) => sum + answers, 0)} answers`;
      });
    }));

  it('with bodies that never come to an end, and its own bodies of a megabyte are read', async () => {
    const slow: Socket[] = [];
    const timers: NodeJS.Timeout[] = [];
    await beside('60 bodies that never end, from another address', async () => {
      for (let count = 0; count < 60; count += 1) {
        const socket = await tls(program.port, { localAddress: ATTACKER } as object);
        slow.push(socket);
        socket.write(requestBytes('x'.repeat(1_000_000)).slice(0, -100));
        timers.push(setInterval(() => socket.write('x'), 400));
      }
      const agent = keepAlive({ localAddress: API_SERVER });
      const began = performance.now();
      for (let count = 0; count < 5; count += 1)
        expect((await ask(program.port, { agent, body: MEGABYTE })).code).toBe(200);
      const took = performance.now() - began;
      agent.destroy();
      return () => `5 reviews of 1 MB of the API server in ${readable(took)}`;
    });
    for (const timer of timers) clearInterval(timer);
    for (const socket of slow) socket.destroy();
  });

  it('with handshakes without end', () =>
    beside('handshakes without end from another address', () => {
      let count = 0;
      let isOver = false;
      const shake = async (): Promise<void> => {
        while (!isOver) {
          const socket = await tls(program.port, { localAddress: ATTACKER } as object).catch(() => undefined);
          socket?.destroy();
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

it('reviews of 20 to 60 KB of the API server are answered within 300 ms beside requests by the dozen of another address', () =>
  beside('requests by the dozen from another address, beside reviews of 20 to 60 KB', floodByTheDozen, {
    kilobytes: [20, 40, 60],
    limit: 300,
  }));

describe('one review does not delay another', () => {
  it('of the same address, when four dry runs take long to decide', () =>
    beside('4 connections with Pods of 5,000 containers from the same address', floodOf(4, CONTAINERS, API_SERVER)));
});

it('requests behind one that is rejected get no answer, and their connection is closed', async () => {
  const socket = await tls(program.port);
  socket.write(`GET /x HTTP/1.1\r\nhost: x\r\n\r\n${requestBytes(REVIEW).repeat(20)}`);
  const { text, ended } = await collect(socket, 5000);
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  expect(text.toLowerCase()).toContain('connection: close');
  expect(ended).toBe(true);
});

it('a request with garbage behind it is answered before the connection is closed', async () => {
  for (const body of [REVIEW, MEGABYTE]) {
    const socket = await tls(program.port);
    socket.write(`${requestBytes(body)}\0\0 garbage that is no HTTP\r\n\r\n`);
    const { text, ended } = await collect(socket, 5000);
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(text.toLowerCase()).toContain('connection: close');
    expect(text).toContain('"allowed":true');
    expect(ended).toBe(true);
  }
});
