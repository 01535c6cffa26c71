import { HeldAmounts } from './held-amounts.ts';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { HoldLimit } from './held-amounts.ts';

/** Bodies that are announced to be no longer are not counted: even one on every connection is little. */
const SMALL_BYTES = 64 * 1024;

/**
 * Keeps what is received of bodies within a limit: thirty callers that send 10 MiB but for the last byte would have the server killed for its
 * memory. When it is too much, the connection is closed whose body was begun first: an honest one comes in one piece and is answered in
 * milliseconds, so the oldest is a slow one.
 *
 * @param limit in bytes of all bodies that are received and not answered yet: more than the largest body
 */
export function limitBodies(app: FastifyInstance, limit: HoldLimit): void {
  const received = new HeldAmounts<IncomingMessage>(limit);
  app.addHook('preParsing', ({ raw }, reply, payload, done) => {
    const isSmall = Number(raw.headers['content-length']) <= SMALL_BYTES;
    if (!isSmall) {
      received.begin(raw);
      reply.raw.once('close', () => {
        received.forget(raw);
      });
      payload.on('data', (chunk: Buffer | string) => {
        received.add(raw, chunk.length);
      });
    }
    done();
  });
}
