import { BodyPlaces } from './body-places.ts';
import { HeldAmounts } from './held-amounts.ts';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Addresses } from './addresses.ts';
import type { BodyPlacesLimit } from './body-places.ts';
import type { HoldLimit } from './held-amounts.ts';

/** Bodies that are announced to be no longer are read at once and not counted: even one on every connection is little. */
export const SMALL_BODY_BYTES = 16 * 1024;

export interface BodyLimit extends HoldLimit, Omit<BodyPlacesLimit, 'received'> {
  readonly addresses: Addresses;
  /** A longer body is refused, and never read. */
  readonly longest: number;
}

/**
 * Keeps what is received of bodies within a limit: thirty clients that send 10 MiB but for the last byte would have the server killed for its
 * memory. A body is read when its address has a place for it. When all bodies are too much, the connection is closed whose body was begun first, of
 * the address that holds most: an honest body comes in one piece and is answered in milliseconds, so the oldest is a slow one.
 *
 * @param limit in bytes of all bodies that are received and not answered yet: more than the largest body
 * @returns gives up a request's place before it is answered
 */
export function limitBodies(app: FastifyInstance, limit: BodyLimit): (request: IncomingMessage) => void {
  const { addresses, longest } = limit;
  const held = new HeldAmounts<IncomingMessage>(limit);
  const places = new BodyPlaces({ ...limit, received: (request) => held.of(request) });
  app.addHook('preParsing', ({ raw }, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    const announced = Number(length ?? (encoding === undefined ? 0 : longest));
    if (announced <= SMALL_BODY_BYTES || announced > longest) {
      done();
      return;
    }
    const address = addresses.of(raw.socket);
    held.begin(raw, address);
    reply.raw.once('close', () => {
      held.forget(raw);
      places.leave(raw);
    });
    places.enter(raw, address, announced, () => {
      payload.on('data', (chunk: Buffer | string) => {
        held.add(raw, chunk.length);
      });
      done();
    });
  });
  app.addHook('onSend', ({ raw }, _reply, _payload, done) => {
    places.leave(raw);
    done();
  });
  return (request) => {
    places.leave(request);
  };
}
