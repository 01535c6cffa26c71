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
/** A template has about 20 levels. An API server passes on 10,000, for which a recursive function has no stack. */
const MOST_LEVELS = 500;

export interface ReadBody {
  readonly value: unknown;
  /** What is too large. Then the value ends with the last member of the request, or of an object in it, that is not. */
  readonly tooLarge?: string;
}

/**
 * JSON.parse keeps a `__proto__` key. Fastify's parser would drop it, and the object would evade the policy.
 *
 * @throws HTTP 400 for a text that is no JSON, HTTP 413 for a text that is too large and does not begin as a review
 */
export function parseBody(text: string): ReadBody {
  const { tooLarge, end, level } = measured(text);
  try {
    if (tooLarge === undefined) return { value: JSON.parse(text) as unknown };
    return { value: JSON.parse(text.slice(0, end) + '}'.repeat(level)) as unknown, tooLarge };
  } catch (error) {
    if (tooLarge !== undefined) throw httpError(413, tooLarge);
    throw httpError(400, `the body is not JSON: ${messageOf(error)}; send an AdmissionReview as JSON`);
  }
}

/** Levels of a review: the body, `request`, and the objects in it such as `object`, whose metadata come first. */
const REQUEST_LEVEL = 2;
const OBJECT_LEVEL = 3;

/**
 * Finds out before the text is parsed whether it is too large: five characters, such as `{"1":`, may take 400 bytes
 * afterwards. `end` is the last comma before that between members of the request or of an object in it.
 */
function measured(text: string): Measures {
  let [members, depth, end, level] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    } else if (sign === '}' || sign === ']') {
      depth -= 1;
    } else if (sign === ',' || sign === ':' || sign === '[' || sign === '{') {
      members += 1;
      if (members > MOST_MEMBERS) return tooMany(`${MOST_MEMBERS} members`, end, level);
      if (sign === '[' || sign === '{') depth += 1;
      if (depth > MOST_LEVELS) return tooMany(`${MOST_LEVELS} levels`, end, level);
      if (sign === ',' && (depth === REQUEST_LEVEL || depth === OBJECT_LEVEL)) [end, level] = [at, depth];
    }
  }
  return { end, level };
}

interface Measures {
  readonly tooLarge?: string;
  readonly end: number;
  readonly level: number;
}

function tooMany(most: string, end: number, level: number): Measures {
  const tooLarge = `the request has more than ${most} of objects and lists, and is not looked at; make the object smaller`;
  return { tooLarge, end, level };
}
