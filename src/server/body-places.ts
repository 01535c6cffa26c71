import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Address } from './addresses.ts';

/** Short bodies do not wait for long ones: all tenants share the address of the API server, and one of them may have it send long ones. */
const SHORT_BODY_BYTES = 128 * 1024;
/** Short bodies of an address that are read, or wait to be decided, at a time: what they have together, in bytes. */
const ALL_SHORT_BYTES = 512 * 1024;
/** Longer bodies of an address that are read, or wait to be decided, at a time. */
const PLACES = 4;
/** A body that grows by less in a look's time is slow: it goes on, but others no longer wait for it. */
const LOOK_MILLISECONDS = 100;
const LEAST_GROWTH_BYTES = 16 * 1024;

export interface BodyPlacesLimit {
  /** Bytes of a body so far. */
  readonly received: (request: IncomingMessage) => number;
  /** Stops and starts reading from a connection. */
  readonly block: (socket: Socket) => void;
  readonly unblock: (socket: Socket) => void;
  /** Whether nothing is read from a connection at the moment for another reason. */
  readonly isHeld: (socket: Socket) => boolean;
  /** Told when a body has to wait. */
  readonly delayed: (address: Address) => void;
}

interface Body {
  readonly request: IncomingMessage;
  readonly bytes: number;
  readonly read: () => void;
  /** Received at the last look. */
  seen: number;
}

/** The short bodies of an address, or the long ones. */
interface Line {
  readonly address: Address;
  readonly isShort: boolean;
  readonly placed: Map<IncomingMessage, Body>;
  readonly waiting: Map<IncomingMessage, Body>;
  bytes: number;
  /** Whether the next place is for the shortest body. */
  isForShortest: boolean;
}

/**
 * Gives each address a few places for long bodies, and some bytes for short ones. A body that has no place is not read from the network. Short bodies
 * are read in their order. The places of long ones go to the shortest and to the oldest in turn: neither waits for all others.
 */
export class BodyPlaces {
  readonly #limit: BodyPlacesLimit;
  readonly #short = new Map<Address, Line>();
  readonly #long = new Map<Address, Line>();
  readonly #lineOf = new WeakMap<IncomingMessage, Line>();
  #look: NodeJS.Timeout | undefined;

  constructor(limit: BodyPlacesLimit) {
    this.#limit = limit;
  }

  /**
   * @param bytes the most that the body may have
   * @param read called once the body may be read: at once, or later, or never when the request leaves first
   */
  enter(request: IncomingMessage, address: Address, bytes: number, read: () => void): void {
    const line = this.#line(address, bytes <= SHORT_BODY_BYTES);
    this.#lineOf.set(request, line);
    const body: Body = { request, bytes, read, seen: 0 };
    if (line.waiting.size === 0 && hasPlace(line, body)) {
      place(line, body);
      return;
    }
    line.waiting.set(request, body);
    const { block, delayed } = this.#limit;
    block(request.socket);
    delayed(address);
    this.#lookLater();
  }

  /** The request is answered, or its client is gone. It may leave twice. */
  leave(request: IncomingMessage): void {
    const line = this.#lineOf.get(request);
    if (line === undefined) return;
    this.#lineOf.delete(request);
    line.waiting.delete(request);
    this.#freePlace(line, request);
    if (line.placed.size === 0 && line.waiting.size === 0) this.#lines(line.isShort).delete(line.address);
  }

  #lines(isShort: boolean): Map<Address, Line> {
    return isShort ? this.#short : this.#long;
  }

  #line(address: Address, isShort: boolean): Line {
    const lines = this.#lines(isShort);
    const known = lines.get(address);
    if (known !== undefined) return known;
    const line = { address, isShort, placed: new Map(), waiting: new Map(), bytes: 0, isForShortest: true };
    lines.set(address, line);
    return line;
  }

  #freePlace(line: Line, request: IncomingMessage): void {
    const body = line.placed.get(request);
    if (body === undefined) return;
    line.placed.delete(request);
    line.bytes -= body.bytes;
    for (let next = nextOf(line); next !== undefined && hasPlace(line, next); next = nextOf(line)) {
      line.isForShortest = !line.isForShortest;
      line.waiting.delete(next.request);
      place(line, next);
      this.#limit.unblock(next.request.socket);
    }
  }

  #lookLater(): void {
    this.#look ??= setTimeout(() => {
      this.#look = undefined;
      for (const line of [...this.#short.values(), ...this.#long.values()])
        if (line.waiting.size > 0) this.#freePlacesOfSlow(line);
    }, LOOK_MILLISECONDS).unref();
  }

  #freePlacesOfSlow(line: Line): void {
    for (const body of [...line.placed.values()]) {
      const { request } = body;
      const received = this.#limit.received(request);
      const isSlow = !request.complete && received - body.seen < LEAST_GROWTH_BYTES && body.seen > 0;
      if (isSlow && !this.#limit.isHeld(request.socket)) this.#freePlace(line, request);
      else body.seen = Math.max(1, received);
    }
    if (line.waiting.size > 0) this.#lookLater();
  }
}

function hasPlace({ isShort, placed, bytes }: Line, body: Body): boolean {
  return isShort ? bytes + body.bytes <= ALL_SHORT_BYTES : placed.size < PLACES;
}

/** The body that has the next place. */
function nextOf({ isShort, isForShortest, waiting }: Line): Body | undefined {
  let [next] = waiting.values();
  if (isShort || !isForShortest) return next;
  for (const body of waiting.values()) if (next === undefined || body.bytes < next.bytes) next = body;
  return next;
}

function place(line: Line, body: Body): void {
  line.placed.set(body.request, body);
  line.bytes += body.bytes;
  body.read();
}
