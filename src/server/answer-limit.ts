import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** How much of answers may wait to be read, and who is told of those that may not. */
export interface AnswerLimit {
  /** The most characters of all answers that were given and have not left for the network yet. More than the longest. */
  readonly most: number;
  /** A connection is closed to keep to the limit. */
  readonly dropped: () => void;
}

/** Shorter ones are not counted: even one on every connection is little. */
const SHORT_LENGTH = 64 * 1024;

/**
 * Keeps the answers that nobody reads within a limit: an answer may be longer than its question, and whoever never reads has the server hold it.
 * When it is too much, the connection is closed whose answer has waited for longest: an honest caller reads at once. A connection that has
 * carried a long answer is closed after it, as Node keeps a buffer of its length for as long as the connection is open (node_bio.cc).
 */
export function limitAnswers(app: FastifyInstance, { most, dropped }: AnswerLimit): void {
  /** Lengths, in the order in which the answers were given. */
  const waiting = new Map<ServerResponse, number>();
  let total = 0;

  const forget = (response: ServerResponse): void => {
    total -= waiting.get(response) ?? 0;
    waiting.delete(response);
  };
  const dropFirst = (): void => {
    const [first] = waiting.keys();
    if (first === undefined) return;
    forget(first);
    first.socket?.destroy();
    dropped();
  };

  app.addHook('onSend', (_request, reply, payload, done) => {
    const { raw } = reply;
    if (typeof payload === 'string' && payload.length > SHORT_LENGTH) {
      reply.header('connection', 'close');
      waiting.set(raw, payload.length);
      total += payload.length;
      // `close` comes exactly once: when all of it has been handed to the network, or when the caller is gone.
      raw.once('close', () => {
        forget(raw);
      });
      while (total > most) dropFirst();
    }
    done(null, payload);
  });
}
