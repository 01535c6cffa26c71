import { PATIENCE_MILLISECONDS } from './patience.ts';
import { peerOf } from './peer.ts';
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

/** One connection, below TLS. */
interface Connection {
  readonly socket: Socket;
  readonly address: Address;
  /** When it was opened, by the clock. */
  readonly openSince: number;
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
 * so a client that opens thousands would have the server killed for its memory. Strangers are those which never had an answer with 2xx: an honest one
 * is a stranger for a moment only. Whether strangers have a request under way does not matter, or slow bodies would outlive the newcomer that is still
 * shaking hands. An API server does not repeat a POST that meets a closing connection, so those go last that may be its own:
 *
 * 1. the oldest stranger of any address, when it has been one for too long,
 * 2. while strangers hold more than half of all places, the oldest one of the address that has most strangers,
 * 3. of the address that has most connections, or of several that have as many:
 *    the oldest stranger, while strangers hold more than half of the places of the address,
 *    a proven one whose request has been under way for too long,
 *    a proven one with no request under way, idle for longest: the API server sees it close and takes another,
 * 4. the oldest stranger of any address, or the newcomer when there is no other. A proven one stays while its request is answered in time.
 *
 * Half the places are the strangers': while the proven hold more, they go first, or somebody who proves himself a thousand times over would
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
    const connection: Connection = {
      socket,
      address,
      openSince: this.#limit.monotonic(),
      underWay: 0,
      proven: false,
      busySince: 0,
      turn: ++this.#turn,
    };
    const peer = peerOf(socket);
    address.connections += 1;
    this.#open.add(connection);
    this.#bySocket.set(socket, connection);
    this.#byPeer.set(peer, connection);
    socket.once('close', () => {
      address.connections -= 1;
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

  #victim(newcomer: Connection): Connection {
    const open = [...this.#open];
    const allStrangers = open.filter(({ proven }) => !proven);
    // The newcomer is one, the youngest.
    const [oldest = newcomer] = allStrangers;
    if (this.#isTooLong(oldest.openSince)) return oldest;
    if (allStrangers.length > (open.length - 1) / 2) return crowdOf(allStrangers)[0] ?? newcomer;
    return this.#victimOf(crowdOf(open), newcomer) ?? oldest;
  }

  #victimOf(crowd: readonly Connection[], newcomer: Connection): Connection | undefined {
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
    if (slowest !== undefined && this.#isTooLong(slowest.busySince)) return slowest;
    return idle;
  }

  #isTooLong(since: number): boolean {
    return this.#limit.monotonic() - since > PATIENCE_MILLISECONDS;
  }

  #drop(connection: Connection): void {
    // Now, and not when it is closed at last: the next newcomer is not to find it.
    this.#open.delete(connection);
    connection.socket.destroy();
    this.#limit.dropped(connection.address);
  }
}

/** The connections of the addresses that have most. */
function crowdOf(connections: readonly Connection[]): Connection[] {
  const counts = new Map<Address, number>();
  for (const { address } of connections) counts.set(address, (counts.get(address) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return connections.filter(({ address }) => counts.get(address) === most);
}

function earlier(one: Connection | undefined, other: Connection): Connection {
  return one === undefined || other.turn < one.turn ? other : one;
}
