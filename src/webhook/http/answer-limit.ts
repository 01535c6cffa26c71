import { BufferBudget } from './buffer-budget.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Addresses } from '../../process/addresses.ts';
import type { BufferLimit } from './buffer-budget.ts';

/** Answers up to this length are not counted: one such answer on every connection takes little memory. */
const SHORT_LENGTH = 64 * 1024;

/**
 * Limits the memory of answers that clients have not read. An answer may be longer than its request, and the server
 * holds the answer until the client reads. Above the limit, the server closes the connection of the oldest unread
 * answer of the heaviest address: an honest client reads at once. After a long answer, the server also closes the
 * connection: Node keeps a buffer of the answer's length while the connection is open (node_bio.cc).
 *
 * @param limit in characters of all answers that have not left for the network yet; more than the longest answer
 * @returns a function that counts an answer sent without Fastify; true if the server must close the connection after
 *   the answer
 */
export function limitAnswers(
  app: FastifyInstance,
  limit: BufferLimit & { readonly addresses: Addresses },
): (request: IncomingMessage, response: ServerResponse, length: number) => boolean {
  const waiting = new BufferBudget<ServerResponse>(limit);
  const hold = (request: IncomingMessage, response: ServerResponse, length: number): boolean => {
    if (length <= SHORT_LENGTH) return false;
    waiting.begin(response, limit.addresses.of(request.socket));
    // `close` comes exactly once: after the whole answer went to the network, or after the client disconnected.
    response.once('close', () => {
      waiting.forget(response);
    });
    waiting.add(response, length);
    return true;
  };
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string' && hold(request.raw, reply.raw, payload.length))
      reply.header('connection', 'close');
    done(null, payload);
  });
  return hold;
}
