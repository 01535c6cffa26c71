import type { Socket } from 'node:net';
import type { Address, Addresses } from './addresses.ts';
import type { ProcessorMeter } from './processor-meter.ts';

/**
 * What an address may use of the processor, in milliseconds, in one turn of the event loop by what it sends, before its connections are not read from
 * for the rest of the turn. An API server that keeps a hundred connections busy stays below.
 */
const ADDRESS_MILLISECONDS = 10;
/**
 * What all may use together in a turn, in milliseconds, before those addresses have to wait that have used more than a little lately, and no less than
 * three quarters of what addresses have used on average.
 */
const ALL_MILLISECONDS = 20;
const LITTLE_MILLISECONDS = 20;
const SHARE_OF_AVERAGE = 0.75;

export interface ReadingTurnsLimit {
  readonly addresses: Addresses;
  readonly meter: ProcessorMeter;
  /** Has something done at the end of this turn of the event loop: setImmediate. */
  readonly later: (work: () => void) => void;
  /** Told when an address has to wait that did not have to wait before. */
  readonly delayed: (address: Address) => void;
}

interface Reader {
  readonly socket: Socket;
  readonly line: Line;
  /** Not read from until its address has its next turn. */
  isHeld: boolean;
  /** Not read from until `unblock` is called. */
  isBlocked: boolean;
  /** The last turn in which something came. */
  turn: number;
}

/** The connections of an address. */
interface Line {
  readonly address: Address;
  readonly readers: Set<Reader>;
  /** Those that are held, the next one first. */
  held: Reader[];
  /** Milliseconds in this turn. */
  used: number;
  /** Connections that something came from in this turn. */
  active: number;
  /** What a connection used in the last turn in which the address used too much, in milliseconds. */
  cost: number;
}

/**
 * Bounds what is read in one turn of the event loop. Whatever is ready on any connection is read in one go otherwise: ninety connections with a
 * megabyte each stop everybody else for seconds. An address that has used its part of a turn is not read from for the rest of the turn, and in the
 * following turns some of its connections after the others. Of several such addresses, the one goes on that has used the least processor time lately.
 */
export class ReadingTurns {
  readonly #limit: ReadingTurnsLimit;
  readonly #lines = new Map<Address, Line>();
  readonly #readers = new WeakMap<Socket, Reader>();
  readonly #waiting = new Set<Line>();
  #touched: Line[] = [];
  #turn = 0;
  #used = 0;
  #isOverfull = false;
  #isTurnEnding = false;

  constructor(limit: ReadingTurnsLimit) {
    this.#limit = limit;
  }

  /** A connection that requests may come from. */
  add(socket: Socket): void {
    const address = this.#limit.addresses.of(socket);
    const line = this.#lines.get(address) ?? {
      address,
      readers: new Set(),
      held: [],
      used: 0,
      active: 0,
      cost: ADDRESS_MILLISECONDS,
    };
    this.#lines.set(address, line);
    const reader: Reader = { socket, line, isHeld: false, isBlocked: false, turn: -1 };
    line.readers.add(reader);
    this.#readers.set(socket, reader);
    // Node resumes connections by itself: a new one, or one whose body has been consumed.
    socket.on('resume', () => {
      if (reader.isHeld || reader.isBlocked) stopReading(socket);
    });
    if (this.#waiting.has(line)) this.#hold(line);
    socket.once('close', () => {
      this.#remove(reader);
    });
  }

  /** Something came on a connection: the work since the last look was for it. */
  came(socket: Socket): void {
    const spent = this.#limit.meter.lap();
    const reader = this.#readers.get(socket);
    if (reader === undefined) return;
    if (reader.turn !== this.#turn) {
      reader.turn = this.#turn;
      reader.line.active += 1;
    }
    this.#charge(reader.line, spent);
  }

  /** Charges an address for work that is done in the turn in which it was asked for. */
  charge(address: Address, milliseconds: number): void {
    const line = this.#lines.get(address);
    if (line === undefined) address.charge(milliseconds);
    else this.#charge(line, milliseconds);
  }

  /** Stops reading from a connection until it is unblocked. */
  block(socket: Socket): void {
    const reader = this.#readers.get(socket);
    if (reader === undefined) return;
    reader.isBlocked = true;
    stopReading(socket);
  }

  unblock(socket: Socket): void {
    const reader = this.#readers.get(socket);
    if (reader === undefined) return;
    reader.isBlocked = false;
    if (!reader.isHeld) socket.resume();
  }

  /** Whether nothing is read from a connection because its address has to wait. */
  isHeld(socket: Socket): boolean {
    return this.#readers.get(socket)?.isHeld === true;
  }

  #charge(line: Line, milliseconds: number): void {
    line.address.charge(milliseconds);
    if (line.used === 0) this.#touched.push(line);
    line.used += milliseconds;
    this.#used += milliseconds;
    this.#endTurnLater();
    if (line.used > ADDRESS_MILLISECONDS) this.#hold(line);
    if (this.#used > ALL_MILLISECONDS && !this.#isOverfull) {
      this.#isOverfull = true;
      this.#holdAllThatUseMuch();
    }
  }

  #holdAllThatUseMuch(): void {
    const used = Array.from(this.#lines.values(), (line) => ({ line, used: line.address.used() }));
    const much = used.filter((one) => one.used > LITTLE_MILLISECONDS);
    const average = much.reduce((sum, one) => sum + one.used, 0) / much.length;
    for (const one of much) if (one.used >= SHARE_OF_AVERAGE * average) this.#hold(one.line);
  }

  #hold(line: Line): void {
    if (line.held.length === line.readers.size) return;
    const free = [...line.readers].filter(({ isHeld }) => !isHeld);
    if (!this.#waiting.has(line)) {
      this.#waiting.add(line);
      this.#limit.delayed(line.address);
    }
    if (line.active > 0) line.cost = line.used / line.active;
    for (const reader of free) {
      reader.isHeld = true;
      stopReading(reader.socket);
    }
    // Those that have had nothing of this turn are before those that have.
    const isServed = ({ turn }: Reader): boolean => turn === this.#turn;
    line.held.push(...free.filter((reader) => !isServed(reader)), ...free.filter(isServed));
  }

  #endTurnLater(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    this.#limit.later(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#isTurnEnding = false;
    this.#chargeRest(this.#limit.meter.lap());
    this.#turn += 1;
    this.#used = 0;
    this.#isOverfull = false;
    for (const line of this.#touched) {
      line.used = 0;
      line.active = 0;
    }
    this.#touched = [];
    for (let used = 0; used < ADDRESS_MILLISECONDS;) {
      const next = this.#leastUsed();
      if (next === undefined) break;
      used += this.#release(next);
    }
    if (this.#waiting.size > 0) this.#endTurnLater();
  };

  /** Charges what was done behind the last event of the turn, such as sending answers, in the proportions of the turn. */
  #chargeRest(milliseconds: number): void {
    if (this.#used === 0) return;
    for (const line of this.#touched) {
      const rest = (milliseconds * line.used) / this.#used;
      line.address.charge(rest);
      if (line.held.length > 0 && line.active > 0) line.cost = (line.used + rest) / line.active;
    }
  }

  #leastUsed(): Line | undefined {
    let [least] = this.#waiting;
    if (this.#waiting.size > 1)
      for (const line of this.#waiting)
        if (least === undefined || line.address.used() < least.address.used()) least = line;
    return least;
  }

  /** Reads from some connections again, and gives what they will use, in milliseconds, when they are as busy as before. */
  #release(line: Line): number {
    const { cost } = line;
    const count = cost === 0 ? line.held.length : Math.max(1, Math.floor(ADDRESS_MILLISECONDS / cost));
    const next = line.held.splice(0, count);
    for (const reader of next) {
      reader.isHeld = false;
      if (!reader.isBlocked) reader.socket.resume();
    }
    if (line.held.length === 0) this.#waiting.delete(line);
    // Of an address whose connections do not all fit, no more than these.
    return this.#waiting.has(line) ? ADDRESS_MILLISECONDS : next.length * cost;
  }

  #remove(reader: Reader): void {
    const { line } = reader;
    line.readers.delete(reader);
    if (reader.isHeld) line.held = line.held.filter((one) => one !== reader);
    if (line.held.length === 0) this.#waiting.delete(line);
    if (line.readers.size === 0) this.#lines.delete(line.address);
  }
}

/** Node's HTTP server stops reading at this event, which a socket that is paused but about to be resumed does not emit. */
function stopReading(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause');
  else socket.pause();
}
