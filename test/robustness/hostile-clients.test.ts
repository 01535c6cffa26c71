import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonWeight } from '../../src/webhook/http/json-weight.ts';
import { PARSED_LIMIT_BYTES } from '../../src/webhook/http/review-body.ts';
import { REVIEW, ask, askHealth, collect, keepAlive, requestBytes, tcp, tls } from './client.ts';
import { besideCaller } from './beside-caller.ts';
import { readable, report } from './figures.ts';
import { Program } from './program.ts';
import type { Socket } from 'node:net';

/** Slower than this and than so many times the quiet run, and somebody suffers for another's faults. */
const LIMIT_MILLISECONDS = 50;
const QUIET_FACTOR = 3;
/** An attack that harms others harms them whenever it is made; a machine that was busy for a moment was not made busy by it. */
const GOES = 3;
const ATTACK_MILLISECONDS = 4000;
/** As deep as an API server nests. */
const MOST_LEVELS = 9000;
/** What the chart gives to a container. */
const CHART_LIMIT_BYTES = 384 * 1024 * 1024;

let program: Program;
/** Another one, for those that would be the first to go when the connections of the other are too many. */
let patient: Program;
let quiet = 0;
const open: Socket[] = [];
/** Two that are never done: begun first, looked at last, as the server's patience is 35 s and it looks every 30 s. */
let slowHeaders: Promise<{ text: string; ended: boolean; after: number }>;
let slowBody: Promise<{ text: string; ended: boolean; after: number }>;

beforeAll(async () => {
  // As the chart starts it.
  const nodeArgs = ['--max-old-space-size=192', '--max-semi-space-size=8'];
  program = await Program.start({ nodeArgs, args: ['--log-level', 'error'] });
  patient = await Program.start({ args: ['--log-level', 'error'] });
  const nothing = (): Promise<void> => Promise.resolve();
  await besideCaller(program, 1500, nothing);
  quiet = (await besideCaller(program, ATTACK_MILLISECONDS, nothing)).delay;
  report('Hostile clients', 'quiet run: 100 calls a second of a caller that behaves', `p99 ${readable(quiet)}`);
  slowHeaders = drip(requestBytes(REVIEW).slice(0, 60));
  slowBody = drip(requestBytes(REVIEW).slice(0, 300));
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await Promise.all([program.stop(), patient.stop()]);
});

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends a text byte by byte, one a second, and never what is missing. */
async function drip(text: string): Promise<{ text: string; ended: boolean; after: number }> {
  const socket = await tls(patient.port);
  open.push(socket);
  let sent = 0;
  const timer = setInterval(() => socket.write(text[sent++] ?? ' '), 1000);
  const result = await collect(socket, 100_000);
  clearInterval(timer);
  return result;
}

/** Reviews with as much as is read of what takes the most memory for its length. */
function heaviestBodies(): [string, string][] {
  const list =
    (item: (index: number) => string): ((count: number) => string) =>
    (count) =>
      `[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]`;
  const nested =
    (open: (index: number) => string, close: string): ((count: number) => string) =>
    (count) =>
      list((chunk) => {
        const levels = Math.min(MOST_LEVELS, count - chunk * MOST_LEVELS);
        const opened = Array.from({ length: levels }, (_, index) => open(chunk * MOST_LEVELS + index));
        return `${opened.join('')}0${close.repeat(levels)}`;
      })(Math.ceil(count / MOST_LEVELS));
  const shapes: Record<string, (count: number) => string> = {
    'empty objects': list(() => '{}'),
    'keys that are indices': list(() => '{"33":0}'),
    'keys of their own': list((index) => `{"k${index}":0}`),
    'texts of their own': list((index) => `"\u4e00${index}"`),
    'nested lists': nested(() => '[', ']'),
    'nested keys that are indices': nested(() => '{"33":', '}'),
    'nested keys of their own': nested((index) => `{"k${index}":`, '}'),
  };
  return Object.entries(shapes).map(([shape, make]) => {
    const body = (count: number): string => `{"more":${make(count)},${REVIEW.slice(1)}`;
    const isRead = (count: number): boolean =>
      body(count).length < 10_000_000 && jsonWeight(body(count), PARSED_LIMIT_BYTES) <= PARSED_LIMIT_BYTES;
    let count = 1 << 21;
    for (let step = count / 2; step >= 1024; step /= 2) count += isRead(count) ? step : -step;
    return [shape, body(isRead(count) ? count : count - 2048)];
  });
}

/** 5,000, or as many as this process may have open: Node has raised the soft limit to the hard one. */
function idleConnections(): { wanted: number; allowed: string } {
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()) || Infinity;
  const wanted = Math.min(5000, Math.max(50, limit - 500));
  return { wanted, allowed: wanted < 5000 ? ` (not 5000, as ulimit -n is ${limit})` : '' };
}

/** What the server says of itself, by the series' name with its labels. */
async function metric(series: string): Promise<number> {
  const { body } = await askHealth(program.healthPort, '/metrics');
  const line = body.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

const droppedConnections = (): Promise<number> => metric('probewright_connections_dropped_total{port="webhook"}');
const inFlight = (): Promise<number> => metric('probewright_admission_in_flight');

/** The most memory, in bytes, that the server has while eight connections send a request again and again, and read what comes. */
async function mostMemoryUnder(request: string): Promise<number> {
  const burst = request.repeat(Math.max(1, Math.floor(262_144 / request.length)));
  const sockets = await Promise.all(Array.from({ length: 8 }, () => tls(program.port)));
  let most = 0;
  const end = performance.now() + 2500;
  const flooding = sockets.map(async (socket) => {
    socket.resume();
    while (performance.now() < end && !socket.destroyed) {
      // Not more than a few MB on this side.
      if (socket.writableLength < 2_000_000) socket.write(burst);
      await pause(1);
    }
  });
  while (performance.now() < end) {
    most = Math.max(most, (await program.vitals()).rss);
    await pause(50);
  }
  await Promise.all(flooding);
  for (const socket of sockets) socket.destroy();
  return most;
}

/**
 * Runs an attack beside a caller that behaves; nobody may fail to be answered, or feel it in every go. What the host and other processes took away
 * from the program and the caller meanwhile is not the attack's doing.
 */
async function beside(scenario: string, attack: (until: () => boolean) => Promise<string>): Promise<void> {
  const seen: string[] = [];
  let suffers = true;
  let last = '';
  while (suffers && seen.length < GOES) {
    const end = performance.now() + ATTACK_MILLISECONDS;
    let what = '';
    const { calls, failures, delay, stolen } = await besideCaller(program, ATTACK_MILLISECONDS, async () => {
      what = await attack(() => performance.now() >= end);
    });
    expect(failures).toEqual([]);
    const isSlow = delay > LIMIT_MILLISECONDS && delay > QUIET_FACTOR * quiet;
    suffers = isSlow && delay > stolen;
    seen.push(isSlow ? `${readable(delay)} with ${readable(stolen)} taken by the host` : readable(delay));
    last = `${what}; ${calls} other calls`;
  }
  const p99 = `p99 ${seen.join(', then ')} (quiet ${readable(quiet)})`;
  report('Hostile clients', scenario, `${last}, ${p99}`);
  expect(suffers, p99).toBe(false);
}

/** Connections are opened before anybody measures: hundreds of handshakes at once are a flood, which is another attack. */
async function besideConnections(
  scenario: string,
  attack: (until: () => boolean, sockets: readonly Socket[]) => Promise<string>,
): Promise<void> {
  const sockets: Socket[] = [];
  for (let count = 0; count < 200; count += 1) sockets.push(await tls(program.port));
  await beside(scenario, (until) => attack(until, sockets));
  for (const socket of sockets) socket.destroy();
}

describe('while somebody else misbehaves, a caller that behaves is answered as ever', () => {
  it('beside 200 connections that send their headers byte by byte', () =>
    besideConnections('200 slow headers', async (until, sockets) => {
      const text = requestBytes(REVIEW);
      for (let sent = 0; !until(); sent += 1) {
        for (const socket of sockets) socket.write(text[sent % 60] ?? ' ');
        await pause(50);
      }
      return `${sockets.length} connections`;
    }));

  it('beside 200 connections that send their bodies byte by byte', () =>
    besideConnections('200 slow bodies', async (until, sockets) => {
      for (const socket of sockets) socket.write(requestBytes('x'.repeat(100_000)).slice(0, 400));
      while (!until()) {
        for (const socket of sockets) socket.write('x');
        await pause(50);
      }
      return `${sockets.length} connections`;
    }));

  it('beside sockets that are half closed: those that asked are answered all the same', () =>
    beside('half-closed sockets', async (until) => {
      let answered = 0;
      let silent = 0;
      while (!until()) {
        const asking = await tls(program.port, { allowHalfOpen: true } as object);
        asking.end(requestBytes(REVIEW).repeat(3));
        const { text, ended } = await collect(asking, 3000);
        expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3);
        expect(ended).toBe(true);
        answered += 3;
        const half = await tls(program.port);
        half.end(requestBytes(REVIEW).slice(0, 100));
        await collect(half, 3000);
        silent += 1;
        const [mute, greeting] = await Promise.all([tcp(program.port), tcp(program.port)]);
        mute.end();
        greeting.end('\x16\x03\x01\x02\x00\x01');
        expect((await Promise.all([collect(mute, 3000), collect(greeting, 3000)])).map(({ ended }) => ended)).toEqual([
          true,
          true,
        ]);
      }
      return `${answered} whole requests answered, ${silent} half ones dropped`;
    }));

  it('beside 5,000 idle connections, which cost the server no more memory than the chart gives it', async () => {
    const { wanted, allowed } = idleConnections();
    const idle: Socket[] = [];
    const before = await droppedConnections();
    // Opened before the clock runs: thousands of handshakes are this process's own work as much as the server's.
    for (let count = 0; count < wanted; count += 100) {
      const some = Array.from({ length: Math.min(100, wanted - count) }, (_, index) =>
        (index % 2 === 0 ? tls : tcp)(program.port),
      );
      idle.push(...(await Promise.all(some)));
    }
    const dropped = (await droppedConnections()) - before;
    const { rss } = await program.vitals();
    const had = `${dropped} of them closed for others; server has ${Math.round(rss / 1024 / 1024)} MiB`;
    await beside(`${wanted} idle connections, half of them with TLS${allowed}`, () => Promise.resolve(had));
    for (const socket of idle) socket.destroy();
    expect(rss).toBeLessThan(CHART_LIMIT_BYTES);
  });

  it('beside connections that are opened by the hundred each second, never used, and push each other out', () =>
    beside('a stream of connections that are never used', async (until) => {
      const flood: Socket[] = [];
      const { wanted } = idleConnections();
      const before = await droppedConnections();
      while (!until()) {
        // As fast as they can be would be a fight for the processor, which is another attack.
        await pause(5);
        flood.push(await tcp(program.port), await tcp(program.port));
        // This process is not to run out of what one may have open.
        flood.splice(0, Math.max(0, flood.length - wanted)).forEach((socket) => socket.destroy());
      }
      const dropped = (await droppedConnections()) - before;
      for (const socket of flood) socket.destroy();
      return `${dropped} closed for others`;
    }));

  it('beside clients with TLS 1.1 and older, which are refused', () =>
    beside('TLS below 1.2', async (until) => {
      let refused = 0;
      while (!until()) {
        const old = tls(program.port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
        await expect(old).rejects.toThrow(/protocol version|EPROTO|disconnected|ECONNRESET/i);
        refused += 1;
        await pause(5);
      }
      return `${refused} refused`;
    }));

  it('beside plain HTTP and noise on the TLS port', () =>
    beside('plain HTTP on the TLS port', async (until) => {
      let refused = 0;
      while (!until()) {
        for (const text of [requestBytes(REVIEW), '\x16\x03\x01\x02\x00\x01', '\0'.repeat(1000), 'SSH-2.0-x\r\n']) {
          const socket = await tcp(program.port);
          socket.write(text);
          // A handshake that is begun is waited for; the others are cut off.
          const { text: answer } = await collect(socket, text.startsWith('\x16') ? 20 : 3000);
          expect(answer).not.toContain('200 OK');
          socket.destroy();
          refused += 1;
        }
      }
      return `${refused} connections, no answer to any`;
    }));

  it('beside bodies over 10 MiB, announced and not, which are refused', () =>
    beside('oversized bodies', async (until) => {
      let announced = 0;
      let chunked = 0;
      while (!until()) {
        const socket = await tls(program.port);
        socket.write(requestBytes(REVIEW, { 'content-length': String(11 * 1024 * 1024) }));
        expect((await collect(socket, 300)).text).toMatch(/^HTTP\/1.1 413 /);
        socket.destroy();
        announced += 1;
        await pause(10);
        if (chunked > 5) continue;
        chunked += 1;
        const stream = await tls(program.port);
        stream.write(
          'POST /mutate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
        );
        const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
        for (let count = 0; count < 170; count += 1) stream.write(chunk);
        expect((await collect(stream, 2000)).text).toMatch(/^HTTP\/1.1 413 /);
        stream.destroy();
      }
      return `${announced} announced, ${chunked} not: all 413`;
    }));

  it('beside 60 bodies of 10 MiB that stop before their last byte, and cost no more memory than the chart gives', () =>
    beside('bodies that stop before their last byte', async () => {
      const text = requestBytes('x'.repeat(9_900_000)).slice(0, -1);
      const before = await droppedConnections();
      let most = 0;
      const sockets: Socket[] = [];
      for (let count = 0; count < 60; count += 1) {
        const socket = await tls(program.port);
        sockets.push(socket);
        await new Promise((resolve) => socket.write(text, resolve));
        most = Math.max(most, (await program.vitals()).rss);
      }
      const dropped = (await droppedConnections()) - before;
      for (const socket of sockets) socket.destroy();
      expect(most).toBeLessThan(CHART_LIMIT_BYTES);
      expect(dropped).toBeGreaterThan(50);
      return `${dropped} closed for others; server has ${Math.round(most / 1024 / 1024)} MiB at most`;
    }));

  it('beside bodies of three million empty objects, which are refused before they are parsed', () =>
    beside('bodies of 3,000,000 empty objects', async (until) => {
      const body = `{"request":[${'{},'.repeat(3_000_000)}{}]}`;
      let refused = 0;
      for (const agent = keepAlive(); !until(); await pause(200)) {
        expect((await ask(program.port, { agent, body })).code).toBe(413);
        refused += 1;
      }
      const { rss } = await program.vitals();
      expect(rss).toBeLessThan(CHART_LIMIT_BYTES);
      return `${refused}: all 413; server has ${Math.round(rss / 1024 / 1024)} MiB`;
    }));

  it('with bodies of which a byte more of memory would be refused, in any shape, the server stays within what the chart gives', async () => {
    let most = 0;
    // As much of others' bodies as may be held beside it.
    const held = await Promise.all(Array.from({ length: 4 }, () => tls(program.port)));
    for (const socket of held) socket.write(requestBytes('x'.repeat(9_900_000)).slice(0, -1));
    for (const [shape, body] of heaviestBodies()) {
      const agent = keepAlive();
      for (let count = 0; count < 3; count += 1)
        expect((await ask(program.port, { agent, body })).code, shape).toBe(200);
      const { rss } = await program.vitals();
      expect(rss, shape).toBeLessThan(CHART_LIMIT_BYTES);
      most = Math.max(most, rss);
    }
    for (const socket of held) socket.destroy();
    report(
      'Hostile clients',
      'bodies of 48 MiB once they are parsed, in seven shapes',
      `server has ${Math.round(most / 1024 / 1024)} MiB at most`,
    );
  });

  it('clients that send more than can be answered, request upon request, cost no more memory than the chart gives', async () => {
    const shapes = {
      'reviews that are heavy once parsed': requestBytes(`${'{"1":'.repeat(10_900)}0${'}'.repeat(10_900)}`),
      'reviews of 64 KB': requestBytes(`{"more":"${'x'.repeat(63_000)}",${REVIEW.slice(1)}`),
      'bodies that are no JSON': requestBytes('x'.repeat(65_000)),
      'requests without a body': 'POST /mutate HTTP/1.1\r\nhost: x\r\n\r\n',
    };
    let most = 0;
    for (const [shape, request] of Object.entries(shapes)) {
      most = Math.max(most, await mostMemoryUnder(request));
      expect((await ask(program.port)).code, shape).toBe(200);
    }
    expect(most).toBeLessThan(CHART_LIMIT_BYTES);
    report(
      'Hostile clients',
      'eight connections that send requests without waiting for answers, in four shapes',
      `server has ${Math.round(most / 1024 / 1024)} MiB at most`,
    );
  });

  it('callers that reset their connections right behind a request leave nothing behind', async () => {
    const before = await inFlight();
    const others = 'GET /x HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(330);
    for (let count = 0; count < 80; count += 1) {
      const below = await tcp(program.port);
      const socket = await tls(program.port, { socket: below });
      socket.write(count % 4 === 3 ? requestBytes(REVIEW) + others : requestBytes(REVIEW).repeat(1 + (count % 4)));
      await pause(count % 3);
      below.resetAndDestroy();
    }
    let left = await inFlight();
    // A connection whose answer can never leave is given up when nothing has moved on it for 10 to 20 s.
    for (let second = 0; left > before && second < 30; second += 1) {
      await pause(1000);
      left = await inFlight();
    }
    expect(left).toBe(before);
    report('Hostile clients', '80 connections that are reset right behind their requests', 'nothing left in flight');
  });

  it('beside a client that sends 50 requests at once and hangs up, and one that waits for all answers', () =>
    beside('pipelining', async (until) => {
      let answers = 0;
      while (!until()) {
        const rude = await tls(program.port);
        rude.write(requestBytes(REVIEW).repeat(50));
        rude.destroy();
        const patient = await tls(program.port);
        patient.write(requestBytes(REVIEW).repeat(49) + requestBytes(REVIEW, { connection: 'close' }));
        const { text } = await collect(patient, 5000);
        const found = text.match(/HTTP\/1.1 200 OK/g)?.length ?? 0;
        expect(found).toBe(50);
        answers += found;
        await pause(100);
      }
      return `${answers} answers, none missing`;
    }));

  it('beside requests that no parser should take twice: smuggled lengths, huge headers, no host', () =>
    beside('malformed HTTP', async (until) => {
      const malformed = [
        `POST /mutate HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
        `POST /mutate HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
        `POST /mutate HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`,
        `GET /mutate HTTP/9.9\r\n\r\n`,
        `POST /mutate HTTP/1.1\r\n\r\n`,
        `POST /mutate HTTP/1.1\r\nhost: x\r\n folded: y\r\ncontent-length: -1\r\n\r\n`,
        `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
        `POST /mutate HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n`,
      ];
      let refused = 0;
      while (!until()) {
        for (const text of malformed) {
          const socket = await tls(program.port);
          socket.write(text, 'latin1');
          expect((await collect(socket, 200)).text).not.toMatch(/HTTP\/1.1 [25]/);
          socket.destroy();
          refused += 1;
        }
      }
      return `${refused} refused`;
    }));
});

describe('a client that never comes to an end', () => {
  it('is cut off, whether it stops in the headers or in the body', async () => {
    const results = await Promise.all([slowHeaders, slowBody]);
    for (const { ended, text } of results) {
      expect(ended).toBe(true);
      expect(text).toMatch(/^HTTP\/1.1 408 /);
    }
    report(
      'Hostile clients',
      'a request that is never finished',
      `cut off after ${results.map(({ after }) => readable(after)).join(' and ')}, with 408`,
    );
    const agent = keepAlive();
    expect((await ask(patient.port, { agent })).code).toBe(200);
    agent.destroy();
  });
});
