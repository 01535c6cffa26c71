import { isIPv6, type Socket } from 'node:net';
import fastify from 'fastify';
import { Counter, type Registry } from 'prom-client';
import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:https';
import type { FastifyHttpsOptions, FastifyInstance } from 'fastify';

const EVERY_APP = {
  logger: false,
  /** No route has a schema. Fastify would load compilers all the same, which the bundle lacks (scripts/bundle.ts). */
  schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  /** Kept-alive connections get answers until the end of the drain; a 503 would be a failed call. */
  return503OnClosing: false,
} as const;

function noCompiler(): never {
  throw new Error('no route has a schema: there is nothing that compiles one');
}

/**
 * 500 idle connections cost 30 to 100 MiB. The chart's limit is 384 MiB, an idle server uses 95 MiB. One address may
 * have 233: an API server has 25 idle ones, and 200 calls under way (--max-mutating-requests-inflight).
 */
const TLS_CONNECTIONS = 700;

/** An app with TLS. It does not listen. */
export function tlsApp(options: FastifyHttpsOptions<Server>, limits: PortLimits): FastifyInstance<Server> {
  const app = fastify({ ...options, ...EVERY_APP });
  limitConnections(app.server, TLS_CONNECTIONS, limits);
  return app;
}

/** The kubelet, a few scrapers and a few people need one connection each. */
const PLAIN_CONNECTIONS = 100;
const PLAIN_BODY_BYTES = 1024;
/** The longest pause on a connection, and the longest time in which a request may arrive. */
const PLAIN_TIMEOUT_MILLISECONDS = 30_000;

/** A plain HTTP app, for the health port and the page. It does not listen. Every client may ask, so it has limits. */
export function plainApp(limits: PortLimits): FastifyInstance {
  const app = fastify({
    ...EVERY_APP,
    bodyLimit: PLAIN_BODY_BYTES,
    connectionTimeout: PLAIN_TIMEOUT_MILLISECONDS,
    requestTimeout: PLAIN_TIMEOUT_MILLISECONDS,
    forceCloseConnections: true,
  });
  limitConnections(app.server, PLAIN_CONNECTIONS, limits);
  return app;
}

/** Counts connections that a port closes. Each port has its series from the start. */
export function droppedConnections(ports: readonly string[], registers: Registry[]): Counter<'port'> {
  const dropped = new Counter({
    name: 'probewright_connections_dropped_total',
    help: 'Connections closed because an address was over the limits of a port.',
    labelNames: ['port'],
    registers,
  });
  for (const port of ports) dropped.inc({ port }, 0);
  return dropped;
}

/**
 * Beyond those that are open. One address may have 700. The API server has at most 600 calls under way at a time
 * (--max-requests-inflight, --max-mutating-requests-inflight).
 */
const WAITING_CONNECTIONS = 2100;
/** The API server gives up a TLS handshake after 10 s (client-go). */
const WAITING_MILLISECONDS = 10_000;
const MILLISECONDS_AN_OPENING = 2;
/** Of a connection that waits. The first message of a TLS client has some hundred bytes. */
const WAITING_BYTES = 8 * 1024;

/**
 * A quantity that remote addresses share. An address may hold half as much as it leaves free for all others: one
 * address a third, a second one a third of the rest. Source of the rule: A. Choudhury, E. Hahne: Dynamic Queue Length
 * Thresholds for Shared-Memory Packet Switches, IEEE/ACM Transactions on Networking 1998.
 */
export class SharedQuantity {
  readonly #total: number;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Returns false, and takes nothing, when the address would hold too much. */
  take(address: string, amount: number): boolean {
    const ofAddress = (this.#heldBy.get(address) ?? 0) + amount;
    if (ofAddress > (this.#total - this.#held - amount) / 2) return false;
    this.#heldBy.set(address, ofAddress);
    this.#held += amount;
    return true;
  }

  giveBack(address: string, amount: number): void {
    const left = (this.#heldBy.get(address) ?? 0) - amount;
    if (left > 0) this.#heldBy.set(address, left);
    else this.#heldBy.delete(address);
    this.#held -= amount;
  }
}

/** What the limits of a port need. `dropped` is called with the remote address of each connection that is closed. */
export interface PortLimits {
  readonly dropped: (address: string) => void;
  readonly monotonic: () => number;
}

/**
 * A connection of an address that has too many waits, because a closed one is a failed call of an API server. A TLS
 * handshake takes up to a millisecond, so few begin in a turn of the event loop. Addresses take turns.
 */
function limitConnections(server: HttpServer, most: number, { dropped, monotonic }: PortLimits): void {
  const opened = new SharedQuantity(most);
  const places = new SharedQuantity(WAITING_CONNECTIONS);
  const waiting = new Map<string, Set<Waiting>>();
  const begin = server.listeners('connection');
  let isBusy = false;
  let latest = -Infinity;
  const openNext = (): boolean => {
    for (const [address, queue] of waiting) {
      const [first] = queue;
      if (first === undefined || !opened.take(address, 1)) continue;
      first.open();
      // Behind the others.
      if (waiting.delete(address)) waiting.set(address, queue);
      return true;
    }
    return false;
  };
  const turn = (): void => {
    const now = monotonic();
    // One, and more after a turn in which reviews were decided.
    const count = 1 + Math.min((now - latest) / MILLISECONDS_AN_OPENING, 10);
    latest = now;
    isBusy = true;
    for (let left = count; isBusy && left >= 1; left -= 1) isBusy = openNext();
    if (isBusy) setImmediate(turn);
  };
  const start = (): void => {
    if (!isBusy) turn();
  };
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    while (!places.take(address, 1)) {
      // An API server has made the call of the oldest on another connection, but still dials (Go's net/http).
      const [oldest] = waiting.get(address) ?? [];
      if (oldest !== undefined) {
        oldest.drop();
        continue;
      }
      dropped(address);
      socket.destroy();
      return;
    }
    const queue = waiting.get(address) ?? new Set<Waiting>();
    const left = (): void => {
      queue.delete(entry);
      if (queue.size === 0) waiting.delete(address);
      places.giveBack(address, 1);
    };
    const { leave, drop } = untilOpened(socket, left, () => dropped(address));
    const open = (): void => {
      leave();
      socket.once('close', () => {
        opened.giveBack(address, 1);
        start();
      });
      for (const listener of begin) listener.call(server, socket);
      // HTTP reads from the socket. TLS takes what was put back, and then reads from below it (Node's _tls_wrap.js).
      if (socket.listenerCount('data') > 0) socket.resume();
    };
    const entry = { open, drop };
    waiting.set(address, queue.add(entry));
    start();
  });
}

interface Waiting {
  readonly open: () => void;
  readonly drop: () => void;
}

/**
 * Watches a socket that waits. An API server before 1.32 abandons most of them, as another connection becomes free for
 * the call. Only who reads notices that.
 *
 * @returns `leave` ends the wait, and puts back what was read. The socket is paused then. `drop` closes the socket
 */
function untilOpened(
  socket: Socket,
  left: () => void,
  dropped: () => void,
): { readonly leave: () => void; readonly drop: () => void } {
  const chunks: Buffer[] = [];
  const end = (): void => {
    clearTimeout(limit);
    socket.off('data', keep).off('end', close).off('close', end);
    left();
  };
  const close = (): void => {
    end();
    socket.destroy();
  };
  const drop = (): void => {
    dropped();
    close();
  };
  const keep = (chunk: Buffer): void => {
    chunks.push(chunk);
    if (socket.bytesRead > WAITING_BYTES) drop();
  };
  const limit = setTimeout(drop, WAITING_MILLISECONDS);
  // An error without a listener would end the process. `close` follows.
  socket
    .on('data', keep)
    .on('end', close)
    .on('close', end)
    .on('error', () => undefined);
  const leave = (): void => {
    end();
    socket.pause();
    if (chunks.length > 0) socket.unshift(Buffer.concat(chunks));
  };
  return { leave, drop };
}

/**
 * Limits are shared by it. Of an IPv6 address the first 64 bits count: one host may use all others (RFC 4291, 2.5).
 */
export function addressOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string {
  if (remoteAddress === undefined) return 'unknown';
  if (!isIPv6(remoteAddress)) return remoteAddress;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = [], tail = []] = remoteAddress.split('::').map((groups) => groups.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}
