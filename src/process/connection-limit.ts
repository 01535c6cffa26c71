import { isIPv6, type Socket } from 'node:net';
import { Counter, type Registry } from 'prom-client';
import type { Server } from 'node:http';

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
export function limitConnections(server: Server, most: number, { dropped, monotonic }: PortLimits): void {
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
