import { HeldAmounts } from './held-amounts.ts';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Addresses } from './addresses.ts';
import type { HoldLimit } from './held-amounts.ts';

/** Shorter ones are not counted: even one on every connection is little. */
const SHORT_LENGTH = 64 * 1024;

/**
 * Keeps the answers that nobody reads within a limit: an answer may be longer than its question, and whoever never reads has the server hold it.
 * When it is too much, the connection is closed whose answer has waited for longest, of the address that has most of them: an honest caller reads
 * at once. A connection that has carried a long answer is closed after it, as Node keeps a buffer of its length for as long as the connection is open (node_bio.cc).
 *
 * @param limit in characters of all answers that were given and have not left for the network yet: more than the longest
 */
export function limitAnswers(app: FastifyInstance, limit: HoldLimit & { readonly addresses: Addresses }): void {
  const waiting = new HeldAmounts<ServerResponse>(limit);
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = reply;
    if (typeof payload === 'string' && payload.length > SHORT_LENGTH) {
      reply.header('connection', 'close');
      waiting.begin(raw, limit.addresses.of(request.raw.socket));
      // `close` comes exactly once: when all of it has been handed to the network, or when the caller is gone.
      raw.once('close', () => {
        waiting.forget(raw);
      });
      waiting.add(raw, payload.length);
    }
    done(null, payload);
  });
}
