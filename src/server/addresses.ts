import { isIPv6 } from 'node:net';
import type { Socket } from 'node:net';

/** Processor time that was used so long ago counts half. */
const HALF_LIFE_MILLISECONDS = 1000;
/** Addresses that are remembered; of those without connections, the one that has not been used for longest is forgotten first. */
const MOST_ADDRESSES = 1000;

/** A remote address, which connections, memory and processor time are shared by. */
export class Address {
  /** As logs name it. */
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

  /** Notes processor time, in milliseconds, that was spent for the address. */
  charge(milliseconds: number): void {
    this.#used = this.used() + milliseconds;
  }

  /** The processor time that the address has used lately, in milliseconds: the longer ago, the less it counts. */
  used(): number {
    const now = this.#monotonic();
    if (now > this.#usedAt) {
      this.#used *= 2 ** ((this.#usedAt - now) / HALF_LIFE_MILLISECONDS);
      this.#usedAt = now;
    }
    return this.#used;
  }
}

/** The addresses that connections have come from lately. Their number is bounded, as an attacker may have many. */
export class Addresses {
  readonly #monotonic: () => number;
  /** The address that was used last comes last. */
  readonly #known = new Map<string, Address>();
  readonly #bySocket = new WeakMap<object, Address>();

  /** @param monotonic a clock that never goes back, in milliseconds */
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

  /** Not one that has connections: its next connection is to share with them. */
  #forgetFirst(): void {
    for (const [name, { connections }] of this.#known) {
      if (connections > 0) continue;
      this.#known.delete(name);
      return;
    }
  }
}

/**
 * What a remote address shares by. An IPv4 address may be written as IPv6 (RFC 4291, 2.5.5.2). Of an IPv6 address the first 64 bits count: one host
 * may use all others (RFC 4291, 2.5.1).
 */
export function sharingAddress(remoteAddress: string | undefined): string {
  // The connection is closed already.
  if (remoteAddress === undefined) return 'unknown';
  if (!isIPv6(remoteAddress)) return remoteAddress;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = remoteAddress.toLowerCase().replace(/%.*$/, '').split('::');
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
