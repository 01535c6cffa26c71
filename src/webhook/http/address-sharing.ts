import { Addresses } from '../../process/addresses.ts';
import { limitAnswers } from './answer-limit.ts';
import { limitBodies } from './body-limit.ts';
import { limitConnections } from '../../process/connection-limit.ts';
import { Episodes } from './episodes.ts';
import { limitHandshakes } from './handshake-limit.ts';
import { ProcessorMeter } from './processor-meter.ts';
import { ReadingTurns } from './reading-turns.ts';
import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Address } from '../../process/addresses.ts';
import type { Delay, Metrics } from './metrics.ts';
import type { ProcessorSharing } from './review-endpoint.ts';
import type { ShortReviewHandling } from './short-reviews.ts';

/**
 * The limit on the bytes of all bodies that are received and not answered yet. The chart's memory limit has room for
 * these bodies.
 */
const ALL_BODIES_LIMIT_BYTES = 48 * 1024 * 1024;
/**
 * The limit on the characters of all answers that clients have not read yet. The longest answer, a patch for 5,000
 * containers, has 2 to 3 million characters.
 */
const ALL_ANSWERS_LIMIT = 16 * 1024 * 1024;
/**
 * 500 idle connections cost about 30 MiB, and about 100 MiB if thousands of connections come and go. The chart's limit
 * is 384 MiB, and an idle server uses about 95 MiB. An API server keeps 25 connections, and opens more only for
 * concurrent calls.
 */
const CONNECTIONS = 500;
/**
 * The processor time, in milliseconds, that an address must have used lately before the server logs its wait. 75 ms is
 * a fifth of the available time.
 */
const MUCH_MILLISECONDS = 75;

/** The dependencies that measure the shares of clients and report excess. */
export interface SharingDependencies {
  readonly metrics: Metrics;
  readonly log: {
    /**
     * A client waits, or the server closes its connection, because the client's address uses more than its share.
     * Called once for each episode.
     */
    limited(address: string, what: Delay | 'dropped'): void;
  };
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  /** A clock, in milliseconds, that stops while the event loop waits. */
  readonly busy: () => number;
}

/** The limits that clients share by remote address, and the reports about addresses above their share. */
export interface AddressSharing extends ProcessorSharing {
  readonly addresses: Addresses;
  readonly dropped: (address: Address) => void;
  /** Frees the place of a request's body before the answer. */
  readonly leavePlace: (request: IncomingMessage) => void;
  /** Called for each piece of a body that arrives. */
  readonly came: (request: IncomingMessage) => void;
  readonly hold: ShortReviewHandling['hold'];
}

/**
 * Shares connections, memory and processor time among clients by remote address. A client that floods the server delays
 * only itself.
 */
export function shareByAddress(
  app: FastifyInstance,
  server: Server,
  longestBody: number,
  { metrics, log, monotonic, busy }: SharingDependencies,
): AddressSharing {
  const addresses = new Addresses(monotonic);
  const episodes = new Episodes(monotonic);
  const meter = new ProcessorMeter(busy);
  const later = setImmediate;
  const dropped = (address: Address): void => {
    metrics.connectionDropped('webhook');
    if (episodes.begins(address.name, 'dropped')) log.limited(address.name, 'dropped');
  };
  const delayed =
    (what: Delay) =>
    (address: Address): void => {
      metrics.delayed(what);
      if (address.used() > MUCH_MILLISECONDS && episodes.begins(address.name, what)) log.limited(address.name, what);
    };
  const turns = new ReadingTurns({ addresses, meter, later, delayed: delayed('reading') });
  const hold = limitAnswers(app, { most: ALL_ANSWERS_LIMIT, addresses, dropped, monotonic });
  const leavePlace = limitBodies(app, {
    most: ALL_BODIES_LIMIT_BYTES,
    longest: longestBody,
    addresses,
    block: (socket) => {
      turns.block(socket);
    },
    unblock: (socket) => {
      turns.unblock(socket);
    },
    isHeld: (socket) => turns.isHeld(socket),
    dropped,
    monotonic,
    delayed: delayed('body'),
  });
  limitHandshakes(server, { addresses, meter, monotonic, later, dropped, delayed: delayed('handshake') });
  limitConnections(server, { most: CONNECTIONS, addresses, dropped, monotonic });
  server.on('secureConnection', (socket: Socket) => {
    turns.add(socket);
  });
  const came = ({ socket }: IncomingMessage): void => {
    turns.came(socket);
  };
  server.on('request', came);
  app.addHook('preParsing', ({ raw }, _reply, payload, done) => {
    payload.on('data', () => {
      came(raw);
    });
    done();
  });
  return {
    came,
    hold,
    addresses,
    meter,
    dropped,
    leavePlace,
    charge: (address, milliseconds) => {
      turns.charge(address, milliseconds);
    },
  };
}
