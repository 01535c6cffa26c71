import { BodyPlaces } from './body-places.ts';
import { BufferBudget } from './buffer-budget.ts';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Addresses } from '../../process/addresses.ts';
import type { BodyPlacesLimit } from './body-places.ts';
import type { BufferLimit } from './buffer-budget.ts';

/**
 * Bodies up to this announced length are read at once and not counted: one such body on every connection takes little
 * memory.
 */
export const SMALL_BODY_BYTES = 16 * 1024;

export interface BodyLimit extends BufferLimit, Omit<BodyPlacesLimit, 'received'> {
  readonly addresses: Addresses;
  /** The server rejects a longer body without reading the body. */
  readonly longest: number;
}

/**
 * Limits the memory of received bodies. Without a limit, 30 clients that send 10 MiB except for the last byte would
 * exhaust the server's memory. The server reads a body when the body's address has a free place. Above the limit, the
 * server closes the connection of the oldest body of the heaviest address. An honest body comes in one piece and is
 * answered in milliseconds, so the oldest body is a slow one.
 *
 * @param limit in bytes of all bodies that are received and not answered yet; more than the largest body
 * @returns a function that frees a request's place before the answer
 */
export function limitBodies(app: FastifyInstance, limit: BodyLimit): (request: IncomingMessage) => void {
  const { addresses, longest } = limit;
  const held = new BufferBudget<IncomingMessage>(limit);
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
