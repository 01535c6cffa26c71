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

/** 500 idle connections cost 30 to 100 MiB. The chart's limit is 384 MiB, an idle server uses 95 MiB. */
const TLS_CONNECTIONS = 500;

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
    help: 'Connections closed because a port reached its limit of connections, bodies or answers.',
    labelNames: ['port'],
    registers,
  });
  for (const port of ports) dropped.inc({ port }, 0);
  return dropped;
}

/**
 * A TLS handshake takes up to a millisecond of the processor. An API server keeps 25 idle connections, and opens more
 * for calls at the same moment: at most 200 (--max-mutating-requests-inflight).
 */
const NEW_CONNECTIONS_A_SECOND = 200;

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

/** Closes new connections of an address that has too many, or opens too many in a second. */
function limitConnections(server: HttpServer, most: number, { dropped, monotonic }: PortLimits): void {
  const connections = new SharedQuantity(most);
  const opened = new Map<string, number>();
  let second = -Infinity;
  server.maxConnections = most;
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    const now = monotonic();
    if (now - second >= 1000) {
      opened.clear();
      second = now;
    }
    const count = (opened.get(address) ?? 0) + 1;
    opened.set(address, count);
    if (count > NEW_CONNECTIONS_A_SECOND || !connections.take(address, 1)) {
      dropped(address);
      socket.destroy();
      return;
    }
    socket.once('close', () => connections.giveBack(address, 1));
  });
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
