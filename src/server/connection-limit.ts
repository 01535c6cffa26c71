import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Address, Addresses } from './addresses.ts';

/** Who may stay connected to a port, and who is told of those that may not. */
export interface ConnectionLimit {
  /** The most connections that are open at a time. */
  readonly most: number;
  /** A connection is closed to keep to the limit. */
  readonly dropped: (address: Address) => void;
  readonly addresses: Addresses;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
}

/** An honest request comes in one piece and is answered in milliseconds, or in seconds when its namespace is news: longer is a slow body. */
const PATIENCE_MILLISECONDS = 5000;

/** One connection, below TLS. */
interface Connection {
  readonly socket: Socket;
  readonly address: Address;
  /** Requests that are not answered yet; pipelined ones are several. */
  underWay: number;
  /** Whether a request was ever answered with 2xx. */
  proven: boolean;
  /** When it last went from idle to busy, by the clock. */
  busySince: number;
  /** Counts up whenever one is opened or goes from idle to busy or back: the lowest has been as it is for longest. */
  turn: number;
}

/**
 * Keeps a server's open connections within a limit: when one comes that is too many, another is closed for it. A connection costs about 60 KiB,
 * so a client that opens thousands would have the server killed for its memory. The one that is closed is of the address that has most, or of several that
 * have as many. An API server does not repeat a POST that meets a closing connection, so those of that address go last that may be its own:
 *
 * 1. strangers, which never had an answer with 2xx, oldest first: an honest one is a stranger for a moment only. Whether they have a request
 *    under way does not matter, or slow bodies would outlive the newcomer that is still shaking hands.
 * 2. a proven one whose request has been under way for too long,
 * 3. a proven one with no request under way, idle for longest. The API server sees it close and takes another.
 * 4. a stranger after all, the oldest or the newcomer, when all others are being answered.
 *
 * Half the places of the address are the strangers': while the proven hold more, they go first, or somebody who proves himself a thousand times over would
 * leave no time to shake hands. A proof is cheap where callers are not verified; with client certificates nobody else has one.
 */
export function limitConnections(server: Server, limit: ConnectionLimit): void {
  const connections = new OpenConnections(limit);
  // Below TLS, as a handshake that is never finished takes its place, too.
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
  });
  server.on('secureConnection', (socket: Socket) => {
    connections.secured(socket);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    connections.began(request.socket);
    // `close` comes exactly once, also when the caller hangs up.
    response.on('close', () => {
      connections.ended(request.socket, response.writableFinished && response.statusCode < 300);
    });
  });
}

class OpenConnections {
  readonly #limit: ConnectionLimit;
  /** By age. Searched when one is too many, so that a request costs no more than a few numbers: sets by state would be made anew again and again. */
  readonly #open = new Set<Connection>();
  /** By what requests come on: the connection itself, or the TLS that is spoken on it. */
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** By the address of the other end, which TLS has in common with the connection below it. */
  readonly #byPeer = new Map<string, Connection>();
  #turn = 0;

  constructor(limit: ConnectionLimit) {
    this.#limit = limit;
  }

  add(socket: Socket): void {
    const address = this.#limit.addresses.of(socket);
    const connection: Connection = { socket, address, underWay: 0, proven: false, busySince: 0, turn: ++this.#turn };
    const peer = peerOf(socket);
    this.#open.add(connection);
    this.#bySocket.set(socket, connection);
    this.#byPeer.set(peer, connection);
    socket.once('close', () => {
      this.#open.delete(connection);
      if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
    });
    if (this.#open.size > this.#limit.most) this.#drop(this.#victim(connection));
  }

  secured(socket: Socket): void {
    const connection = this.#byPeer.get(peerOf(socket));
    if (connection !== undefined) this.#bySocket.set(socket, connection);
  }

  began(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    // Of pipelined ones the first counts: they do not make each other younger.
    if (connection === undefined || ++connection.underWay > 1) return;
    connection.busySince = this.#limit.monotonic();
    connection.turn = ++this.#turn;
  }

  ended(socket: Socket, isProof: boolean): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    connection.proven ||= isProof;
    if (--connection.underWay === 0) connection.turn = ++this.#turn;
  }

  /** The connections of the addresses that have most. */
  #crowd(): Connection[] {
    const counts = new Map<Address, number>();
    for (const { address } of this.#open) counts.set(address, (counts.get(address) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return [...this.#open].filter(({ address }) => counts.get(address) === most);
  }

  #victim(newcomer: Connection): Connection {
    const crowd = this.#crowd();
    let strangers = 0;
    let stranger: Connection | undefined;
    let slowest: Connection | undefined;
    let idle: Connection | undefined;
    for (const connection of crowd) {
      if (!connection.proven) {
        strangers += 1;
        stranger ??= connection;
      } else if (connection.underWay > 0) slowest = earlier(slowest, connection);
      else idle = earlier(idle, connection);
    }
    if (stranger !== undefined && stranger !== newcomer && strangers > (crowd.length - 1) / 2) return stranger;
    if (slowest !== undefined && this.#limit.monotonic() - slowest.busySince > PATIENCE_MILLISECONDS) return slowest;
    // Of its own address, the newcomer itself is a stranger in any case.
    return idle ?? stranger ?? slowest ?? newcomer;
  }

  #drop(connection: Connection): void {
    // Now, and not when it is closed at last: the next newcomer is not to find it.
    this.#open.delete(connection);
    connection.socket.destroy();
    this.#limit.dropped(connection.address);
  }
}

function earlier(one: Connection | undefined, other: Connection): Connection {
  return one === undefined || other.turn < one.turn ? other : one;
}

function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''} ${localAddress ?? ''}`;
}
