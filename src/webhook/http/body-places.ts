import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Address } from '../../process/addresses.ts';

/**
 * Short bodies do not wait for long ones. All tenants share the address of the API server, and one tenant may send many
 * long bodies.
 */
const SHORT_BODY_BYTES = 128 * 1024;
/** The limit on the total bytes of an address's short bodies that are being read, or wait for a decision. */
const ALL_SHORT_BYTES = 512 * 1024;
/** The limit on the number of an address's long bodies that are being read, or wait for a decision. */
const PLACES = 4;
/**
 * A body that grows by less than LEAST_GROWTH_BYTES between two looks is slow. The server continues to read the slow
 * body, and other bodies no longer wait for its place.
 */
const LOOK_MILLISECONDS = 100;
const LEAST_GROWTH_BYTES = 16 * 1024;

export interface BodyPlacesLimit {
  /** The bytes of a body received so far. */
  readonly received: (request: IncomingMessage) => number;
  /** Stops and starts reading from a connection. */
  readonly block: (socket: Socket) => void;
  readonly unblock: (socket: Socket) => void;
  /** Whether reading from a connection is paused for another reason. */
  readonly isHeld: (socket: Socket) => boolean;
  /** Called when a body has to wait. */
  readonly delayed: (address: Address) => void;
}

interface Body {
  readonly request: IncomingMessage;
  readonly bytes: number;
  readonly read: () => void;
  /** The bytes received at the last look. */
  seen: number;
}

/** The short bodies of an address, or the long ones. */
interface Line {
  readonly address: Address;
  readonly isShort: boolean;
  readonly placed: Map<IncomingMessage, Body>;
  readonly waiting: Map<IncomingMessage, Body>;
  bytes: number;
  /** Whether the shortest body gets the next place. */
  isForShortest: boolean;
}

/**
 * Gives each address a few places for long bodies, and a byte limit for short bodies. The server does not read a body
 * without a place from the network. Short bodies are read in order of arrival. The places for long bodies go in turn to
 * the shortest body and to the oldest body, so neither waits for all others.
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
   * @param bytes the maximum size of the body
   * @param read called once when the body may be read, at once or later; never called if the request leaves first
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

  /** The request is answered, or its client disconnected. A second call has no effect. */
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

/** The body that gets the next place. */
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
