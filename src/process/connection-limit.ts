import { PATIENCE_MILLISECONDS } from './patience.ts';
import { peerOf } from './peer.ts';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Address, Addresses } from './addresses.ts';

/** The limit on the connections of a port, and the report about closed connections. */
export interface ConnectionLimit {
  /** The maximum number of open connections. */
  readonly most: number;
  /** Called when a connection is closed to keep to the limit. */
  readonly dropped: (address: Address) => void;
  readonly addresses: Addresses;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/** One connection, below TLS. */
interface Connection {
  readonly socket: Socket;
  readonly address: Address;
  /** The time of the open, by the clock. */
  readonly openSince: number;
  /** The number of unanswered requests. Pipelined requests may be several. */
  underWay: number;
  /** Whether the connection ever had an answer with 2xx. */
  proven: boolean;
  /** The time of the last change from idle to busy, by the clock. */
  busySince: number;
  /**
   * A counter that grows at each open and at each change between idle and busy. The connection with the lowest turn has
   * been in its state for longest.
   */
  turn: number;
}

/**
 * Limits a server's open connections: above the limit, a new connection closes another one. A connection costs about 60
 * KiB, so a client with thousands of connections could exhaust the server's memory. A stranger is a connection that
 * never had an answer with 2xx. An honest connection is a stranger only for a moment. A request under way does not
 * protect a stranger: otherwise slow bodies would outlive a new connection in its handshake. An API server does not
 * retry a POST on a closing connection, so connections that may belong to API servers close last. The order:
 *
 * 1. The oldest stranger of any address, if the stranger is older than the patience limit.
 * 2. While strangers hold more than half of all places: the oldest stranger of the address with the most strangers.
 * 3. A connection of the address with the most connections, or of several such addresses. First the oldest stranger,
 *    while strangers hold more than half of the address's places. Next, a proven connection whose request exceeds the
 *    patience limit. Last, the proven connection that has been idle for longest: the API server sees the close and
 *    takes another connection.
 * 4. The oldest stranger of any address, or the new connection if there is no other. A proven connection stays while
 *    its requests are answered in time.
 *
 * Half of the places are for strangers. While proven connections hold more than half, proven connections close first.
 * Otherwise an attacker with 1,000 proven connections would leave no time for handshakes. A proof is cheap if callers
 * are not verified. With client certificates, only allowed callers can have a proof.
 */
export function limitConnections(server: Server, limit: ConnectionLimit): void {
  const connections = new OpenConnections(limit);
  // The limit counts connections below TLS, because an unfinished handshake also takes a place.
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
  });
  server.on('secureConnection', (socket: Socket) => {
    connections.secured(socket);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    connections.began(request.socket);
    // `close` comes exactly once, even if the client disconnects.
    response.on('close', () => {
      connections.ended(request.socket, response.writableFinished && response.statusCode < 300);
    });
  });
}

class OpenConnections {
  readonly #limit: ConnectionLimit;
  /**
   * The open connections by age. The server searches this set only above the limit, so each request only updates a few
   * numbers. One set for each state would cost more for each request.
   */
  readonly #open = new Set<Connection>();
  /** The connection by the socket of its requests: the connection itself, or the TLS socket on the connection. */
  readonly #bySocket = new WeakMap<Socket, Connection>();
  /** The connection by its two ends. The TLS socket and the connection below have the same ends. */
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
    // The first of several pipelined requests counts: later requests do not reset the time.
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
    // The new connection is the youngest stranger.
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
    // Deleted now and not at the `close` event, so that the next new connection does not find this one.
    this.#open.delete(connection);
    connection.socket.destroy();
    this.#limit.dropped(connection.address);
  }
}

/** The connections of the addresses with the most connections. */
function crowdOf(connections: readonly Connection[]): Connection[] {
  const counts = new Map<Address, number>();
  for (const { address } of connections) counts.set(address, (counts.get(address) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return connections.filter(({ address }) => counts.get(address) === most);
}

function earlier(one: Connection | undefined, other: Connection): Connection {
  return one === undefined || other.turn < one.turn ? other : one;
}
