import { peerOf } from '../../process/peer.ts';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Address, Addresses } from '../../process/addresses.ts';
import type { ProcessorMeter } from './processor-meter.ts';

/** The limit on unfinished handshakes. A client can make each handshake use a millisecond of the processor at once. */
const MOST_UNDER_WAY = 64;
const MOST_OF_AN_ADDRESS = 32;
/** The processor time of started handshakes in one turn of the event loop, in milliseconds. */
const TURN_MILLISECONDS = 10;
/**
 * The patience limits for a handshake, in milliseconds. The server closes a slower handshake when an address with fewer
 * handshakes, or the handshake's own address, needs the place.
 */
const PATIENCE_MILLISECONDS = { fewer: 100, own: 1000 };
/** The interval between two looks for slow handshakes while others wait, in milliseconds. */
const LOOK_MILLISECONDS = 50;

/**
 * The server closes a connection without any data after this time, in milliseconds. Node has the same limit for
 * handshakes.
 */
const SILENCE_MILLISECONDS = 120_000;

export interface HandshakeLimit {
  readonly addresses: Addresses;
  readonly meter: ProcessorMeter;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  /** Runs work in the next turn of the event loop: setImmediate. */
  readonly later: (work: () => void) => void;
  /**
   * `delayed` is called when a handshake has to wait. `dropped` is called when a connection is closed to keep to the
   * limit.
   */
  readonly delayed: (address: Address) => void;
  readonly dropped: (address: Address) => void;
}

interface Handshake {
  readonly socket: Socket;
  /** The two ends of the connection. The TLS socket on the connection has the same ends. */
  readonly peer: string;
  readonly address: Address;
  readonly begin: () => void;
  begunAt: number;
}

/**
 * Limits the TLS handshakes under way. A handshake starts after the client has sent data. The address that used the
 * least processor time lately goes first. Otherwise a client that opens connections endlessly would leave no time for
 * other clients.
 */
export function limitHandshakes(server: Server, limit: HandshakeLimit): void {
  // Node's own listener, which creates the TLS socket. This listener always exists, and is always the first.
  const [speakTls] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (speakTls === undefined) throw new Error('the server has no listener that speaks TLS');
  server.removeListener('connection', speakTls);
  const handshakes = new Handshakes(limit);
  server.on('connection', (socket: Socket) => {
    const giveUp = (): void => void socket.destroy();
    socket.once('error', giveUp).setTimeout(SILENCE_MILLISECONDS, giveUp);
    socket.once('readable', () => {
      handshakes.add(socket, () => {
        socket.removeListener('error', giveUp).removeListener('timeout', giveUp).setTimeout(0);
        speakTls.call(server, socket);
      });
    });
  });
  server.on('secureConnection', (socket: Socket) => {
    handshakes.over(socket);
  });
}

class Handshakes {
  readonly #limit: HandshakeLimit;
  readonly #waiting = new Set<Handshake>();
  /** The handshake by the two ends of its connection. The TLS socket on the connection has the same ends. */
  readonly #underWay = new Map<string, Handshake>();
  readonly #counts = new Map<Address, number>();
  #isScheduled = false;
  #look: NodeJS.Timeout | undefined;

  constructor(limit: HandshakeLimit) {
    this.#limit = limit;
  }

  add(socket: Socket, begin: () => void): void {
    if (socket.destroyed) return;
    const handshake = { socket, peer: peerOf(socket), address: this.#limit.addresses.of(socket), begin, begunAt: 0 };
    this.#waiting.add(handshake);
    socket.once('close', () => {
      this.#waiting.delete(handshake);
      this.#end(handshake);
    });
    this.#goOnLater();
  }

  over(socket: Socket): void {
    const handshake = this.#underWay.get(peerOf(socket));
    if (handshake !== undefined) this.#end(handshake);
  }

  #end(handshake: Handshake): void {
    const { peer, address } = handshake;
    if (this.#underWay.get(peer) !== handshake) return;
    this.#underWay.delete(peer);
    const count = this.#countOf(address) - 1;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
    if (this.#waiting.size > 0) this.#goOnLater();
  }

  #countOf(address: Address): number {
    return this.#counts.get(address) ?? 0;
  }

  #goOnLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#limit.later(() => {
      this.#isScheduled = false;
      this.#goOn();
    });
  }

  /** Starts the handshakes that may start in this turn. */
  #goOn(): void {
    const { meter } = this.#limit;
    meter.lap();
    let used = 0;
    while (used < TURN_MILLISECONDS) {
      const next = this.#next();
      if (next === undefined) break;
      this.#begin(next);
      const spent = meter.lap();
      next.address.charge(spent);
      used += spent;
    }
    if (this.#next() !== undefined) this.#goOnLater();
    else if (this.#waiting.size > 0) this.#lookLater();
  }

  #begin(handshake: Handshake): void {
    this.#waiting.delete(handshake);
    const { socket, address } = handshake;
    if (socket.destroyed) return;
    handshake.begunAt = this.#limit.monotonic();
    this.#underWay.set(handshake.peer, handshake);
    this.#counts.set(address, this.#countOf(address) + 1);
    handshake.begin();
  }

  #next(): Handshake | undefined {
    if (this.#underWay.size >= MOST_UNDER_WAY) return undefined;
    let best: Handshake | undefined;
    for (const handshake of this.#waiting) {
      const { address } = handshake;
      if (this.#countOf(address) >= MOST_OF_AN_ADDRESS) continue;
      if (best === undefined || (address !== best.address && address.used() < best.address.used())) best = handshake;
    }
    return best;
  }

  /** Closes slow handshakes after a while to make room. */
  #lookLater(): void {
    if (this.#look !== undefined) return;
    for (const { address } of this.#waiting) this.#limit.delayed(address);
    this.#look = setTimeout(() => {
      this.#look = undefined;
      this.#makeRoom();
      if (this.#waiting.size > 0) this.#goOnLater();
    }, LOOK_MILLISECONDS).unref();
  }

  #makeRoom(): void {
    for (const { address } of this.#waiting) {
      const slow = this.#slowest(address);
      if (slow === undefined) continue;
      this.#limit.dropped(slow.address);
      slow.socket.destroy();
      this.#end(slow);
    }
  }

  /** The oldest handshake that the server may close for an address. */
  #slowest(waiting: Address): Handshake | undefined {
    const now = this.#limit.monotonic();
    for (const handshake of this.#underWay.values()) {
      const { address, begunAt } = handshake;
      const isOwn = address === waiting;
      if (!isOwn && this.#countOf(waiting) >= this.#countOf(address)) continue;
      if (now - begunAt > (isOwn ? PATIENCE_MILLISECONDS.own : PATIENCE_MILLISECONDS.fewer)) return handshake;
    }
    return undefined;
  }
}
