import { messageOf } from '../../base/text/error-message.ts';
import { addressOf, SharedQuantity } from '../../process/http-app.ts';
import { httpError } from './status.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Each object has at most 3 MiB (MaxRequestBodyBytes), and an UPDATE has two. After a refusal, failurePolicy Ignore
 * would allow the object without checks.
 */
export const BODY_LIMIT_BYTES = 7 * 1024 * 1024;
/** Longer bodies and answers count: a shorter one on every connection takes little memory. */
export const SHORT_BYTES = 16 * 1024;
/** Of all addresses. The chart's memory limit has room for them. One address may hold 16 MiB. */
const UNDER_WAY_BYTES = 48 * 1024 * 1024;

/** Limits the memory of unanswered bodies and unread answers, with HTTP 503. Tells `dropped` the remote address. */
export function limitBytes(app: FastifyInstance, dropped: (address: string) => void): void {
  const underWay = new SharedQuantity(UNDER_WAY_BYTES);
  const hold = ({ socket }: IncomingMessage, response: ServerResponse, bytes: number): Error | null => {
    // `close` has come already if the client has disconnected.
    if (bytes <= SHORT_BYTES || response.destroyed) return null;
    const address = addressOf(socket);
    if (!underWay.take(address, bytes)) {
      dropped(address);
      return httpError(503, `too many bytes of requests and answers of ${address} are under way`);
    }
    // A response behind an unsent one has no `close` when the client disconnects, so the socket counts, too.
    const free = (): void => {
      response.off('close', free);
      socket.off('close', free);
      underWay.giveBack(address, bytes);
    };
    response.once('close', free);
    socket.once('close', free);
    return null;
  };
  app.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    const announced = Number(length ?? (encoding === undefined ? 0 : BODY_LIMIT_BYTES));
    // Fastify rejects a longer body by its announced length.
    const refusal = announced > BODY_LIMIT_BYTES ? null : hold(raw, reply.raw, announced);
    if (refusal === null) done();
    else done(refusal);
  });
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    const length = typeof payload === 'string' && reply.statusCode !== 503 ? payload.length : 0;
    const refusal = hold(raw, reply.raw, length);
    if (refusal === null) done(null, payload);
    else done(refusal);
  });
}

/**
 * The largest object that is checked has 5,000 elements, about 30,000 members. V8 needs at most 210 bytes for each.
 */
const MOST_MEMBERS = 300_000;

/**
 * JSON.parse keeps a `__proto__` key. Fastify's parser would drop it, and the object would evade the policy.
 *
 * @throws HTTP 400 for a text that is no JSON, HTTP 413 for a text with too many members
 */
export function parseBody(text: string): unknown {
  if (text.length > SHORT_BYTES && hasTooManyMembers(text))
    throw httpError(413, `the body has more than ${MOST_MEMBERS} members of objects and lists`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw httpError(400, `the body is not JSON: ${messageOf(error)}; send an AdmissionReview as JSON`);
  }
}

/** Five characters, such as `{"1":`, may take 400 bytes once they are parsed. So this is counted before. */
function hasTooManyMembers(text: string): boolean {
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    } else if ((sign === ',' || sign === ':' || sign === '[' || sign === '{') && ++members > MOST_MEMBERS) return true;
  }
  return false;
}
