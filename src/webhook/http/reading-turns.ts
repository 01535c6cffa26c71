import type { Socket } from 'node:net';
import type { Address, Addresses } from '../../process/addresses.ts';
import type { ProcessorMeter } from './processor-meter.ts';

/**
 * The processor time, in milliseconds, that an address's data may use in one turn of the event loop. Above the limit,
 * the server stops reading from the address's connections for the rest of the turn. An API server with 100 busy
 * connections stays below the limit.
 */
const ADDRESS_MILLISECONDS = 10;
/**
 * The processor time, in milliseconds, of all addresses together in one turn. Above the limit, busy addresses have to
 * wait. A busy address used more than LITTLE_MILLISECONDS lately (1.4 % of the processor), and at least three quarters
 * of the average of such addresses.
 */
const ALL_MILLISECONDS = 20;
const LITTLE_MILLISECONDS = 5;
const SHARE_OF_AVERAGE = 0.75;

export interface ReadingTurnsLimit {
  readonly addresses: Addresses;
  readonly meter: ProcessorMeter;
  /** Runs work at the end of this turn of the event loop: setImmediate. */
  readonly later: (work: () => void) => void;
  /** Called when an address starts to wait. */
  readonly delayed: (address: Address) => void;
}

interface Reader {
  readonly socket: Socket;
  readonly line: Line;
  /** True while reading is paused until the address's next turn. */
  isHeld: boolean;
  /** True while reading is paused until `unblock` is called. */
  isBlocked: boolean;
  /** The last turn in which data came. */
  turn: number;
}

/** The connections of an address. */
interface Line {
  readonly address: Address;
  readonly readers: Set<Reader>;
  /** The held connections, the next one first. */
  held: Reader[];
  /** Processor time in this turn, in milliseconds. */
  used: number;
  /** The number of connections that sent data in this turn. */
  active: number;
  /**
   * The processor time of one connection, in milliseconds, in the last turn in which the address exceeded its limit.
   */
  cost: number;
}

/**
 * Limits the data that the server reads in one turn of the event loop. Without a limit, the server reads all ready
 * connections at once: 90 connections with 1 MB each stop all other clients for seconds. When an address has used its
 * part of a turn, the server stops reading from the address for the rest of the turn. In the following turns, the
 * server reads from some of the address's connections at a time. Of several waiting addresses, the address that used
 * the least processor time lately goes first.
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

  /** Adds a connection that may carry requests. */
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
    // Node itself resumes connections: a new connection, or a connection after the end of a body.
    socket.on('resume', () => {
      if (reader.isHeld || reader.isBlocked) stopReading(socket);
    });
    if (this.#waiting.has(line)) this.#hold(line);
    socket.once('close', () => {
      this.#remove(reader);
    });
  }

  /** Data came on a connection: the work since the last call of `lap` is charged to the connection's address. */
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

  /** Charges an address for work that is done in the turn of the request. */
  charge(address: Address, milliseconds: number): void {
    const line = this.#lines.get(address);
    if (line === undefined) address.charge(milliseconds);
    else this.#charge(line, milliseconds);
  }

  /** Pauses reading from a connection until `unblock`. */
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

  /** Whether reading from a connection is paused because the connection's address has to wait. */
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
    // Connections that the server has not read in this turn come first.
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

  /**
   * Charges the work after the last event of the turn, such as sending answers. The addresses pay in proportion to
   * their use of the turn.
   */
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

  /**
   * Resumes reading from some connections. Returns their expected processor time, in milliseconds, if the connections
   * stay as busy as before.
   */
  #release(line: Line): number {
    const { cost } = line;
    const count = cost === 0 ? line.held.length : Math.max(1, Math.floor(ADDRESS_MILLISECONDS / cost));
    const next = line.held.splice(0, count);
    for (const reader of next) {
      reader.isHeld = false;
      if (!reader.isBlocked) reader.socket.resume();
    }
    if (line.held.length === 0) this.#waiting.delete(line);
    // If the address still has held connections, these connections fill the whole turn.
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

/**
 * Node's HTTP server stops reading at the `pause` event. A paused socket that is about to be resumed does not emit the
 * event.
 */
function stopReading(socket: Socket): void {
  if (socket.isPaused()) socket.emit('pause');
  else socket.pause();
}
