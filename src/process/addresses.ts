import { isIPv6 } from 'node:net';
import type { Socket } from 'node:net';

/**
 * The half-life of recorded processor time: time used one half-life ago counts half. A new client goes first until it
 * has used as much as the others lately. With a long half-life, a flood would delay others at its start.
 */
const HALF_LIFE_MILLISECONDS = 250;
/**
 * The number of addresses in memory. Beyond this number, the server forgets the least recently used address without
 * connections.
 */
const MOST_ADDRESSES = 1000;

/** A remote address. Connections, memory and processor time are shared by address. */
export class Address {
  /** The name of the address in logs. */
  readonly name: string;
  /** Open connections. */
  connections = 0;
  readonly #monotonic: () => number;
  #used = 0;
  #usedAt = 0;

  constructor(name: string, monotonic: () => number) {
    this.name = name;
    this.#monotonic = monotonic;
  }

  /** Adds processor time, in milliseconds, that the server spent for the address. */
  charge(milliseconds: number): void {
    this.#used = this.used() + milliseconds;
  }

  /** The processor time that the address used lately, in milliseconds. Older time counts less. */
  used(): number {
    const now = this.#monotonic();
    if (now > this.#usedAt) {
      this.#used *= 2 ** ((this.#usedAt - now) / HALF_LIFE_MILLISECONDS);
      this.#usedAt = now;
    }
    return this.#used;
  }
}

/** The addresses of recent connections. The number is bounded, because an attacker may have many addresses. */
export class Addresses {
  readonly #monotonic: () => number;
  /** Sorted by last use: the most recently used address comes last. */
  readonly #known = new Map<string, Address>();
  readonly #bySocket = new WeakMap<object, Address>();

  /** @param monotonic a monotonic clock, in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The address at the other end of a connection. */
  of(socket: Pick<Socket, 'remoteAddress'>): Address {
    let address = this.#bySocket.get(socket);
    if (address === undefined) {
      address = this.#named(sharingAddress(socket.remoteAddress));
      this.#bySocket.set(socket, address);
    }
    return address;
  }

  #named(name: string): Address {
    const address = this.#known.get(name) ?? new Address(name, this.#monotonic);
    this.#known.delete(name);
    this.#known.set(name, address);
    if (this.#known.size > MOST_ADDRESSES) this.#forgetFirst();
    return address;
  }

  /** Keeps an address with connections: the next connection from the address must share the same limits. */
  #forgetFirst(): void {
    for (const [name, { connections }] of this.#known) {
      if (connections > 0) continue;
      this.#known.delete(name);
      return;
    }
  }
}

/**
 * The key by which a remote address shares limits. An IPv4 address may be written as IPv6 (RFC 4291, 2.5.5.2). The
 * first 64 bits of an IPv6 address count, because one host may use all other bits (RFC 4291, 2.5.1).
 */
export function sharingAddress(remoteAddress: string | undefined): string {
  // A closed connection has no remote address.
  if (remoteAddress === undefined) return 'unknown';
  if (!isIPv6(remoteAddress)) return remoteAddress;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = (remoteAddress.toLowerCase().split('%', 1)[0] ?? '').split('::');
  const groups = groupsOf(head);
  if (tail !== undefined) {
    const after = groupsOf(tail);
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
