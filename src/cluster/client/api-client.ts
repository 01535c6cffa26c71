import { textAt } from '../../base/json/field-path.ts';
import { isJsonObject, jsonOf } from '../../base/json/json-value.ts';
import { cut } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { ClusterAccess } from './cluster-access.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/api/v1/namespaces`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** The most bytes of the answer, if fewer than MAX_ANSWER_BYTES. */
  readonly mostBytes?: number;
  readonly signal?: AbortSignal;
  /** How long the API server may be silent, for a request with a shorter limit than the client's. */
  readonly timeoutMilliseconds?: number;
}

export type ApiRequests = Pick<ApiClient, 'request'>;

export const JSON_PATCH = 'application/json-patch+json';
/** Server-side apply. JSON is YAML. */
export const APPLY_PATCH = 'application/apply-patch+yaml';
export const MERGE_PATCH = 'application/merge-patch+json';

export interface LineStream {
  readonly line: (text: string) => void;
  readonly opened: () => void;
}

/** The most bytes of one answer, and of one line of a watch. etcd and the API server take no object of this size. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** An answer, or a line of one, was longer than MAX_ANSWER_BYTES. The rest of it was not read. */
export class AnswerTooLarge extends Error {}

/** An API server that has not answered within this time, or not sent the headers of a watch, counts as gone. */
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;
/** Then TCP probes an idle connection: a peer that vanished is noticed 10 s later (ten probes, one a second). */
const KEEP_ALIVE_MILLISECONDS = 15_000;

/** Speaks JSON. client-node's own watch silently drops lines that it cannot parse; here every loss is an error. */
export class ApiClient {
  readonly #access: ClusterAccess;
  readonly #userAgent: string;
  readonly #timeoutMilliseconds: number;

  constructor(access: ClusterAccess, userAgent: string, timeoutMilliseconds = REQUEST_TIMEOUT_MILLISECONDS) {
    this.#access = access;
    this.#userAgent = userAgent;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** Rejects with ApiError on refusal, with AnswerTooLarge, and with the error of the connection. */
  async request(request: ApiRequest): Promise<unknown> {
    return (await this.measured(request)).body;
  }

  async measured(request: ApiRequest): Promise<{ readonly body: unknown; readonly bytes: number }> {
    const answer = await this.#ofRequest(request, async (response) => bytesOf(response, request.mostBytes));
    const text = answer.toString();
    try {
      return { body: JSON.parse(text), bytes: answer.length };
    } catch (error) {
      throw new Error(`${nameOf(request)}: the answer is not JSON: ${cut(text, 200)}`, { cause: error });
    }
  }

  /** Hands over an answer line by line. A stream may be silent: TCP keep-alive notices a peer that vanished. */
  lines(request: ApiRequest, stream: LineStream): Promise<void> {
    return this.#ofRequest(request, async (response) => {
      response.setTimeout(0);
      stream.opened();
      await readLines(response, stream.line);
    });
  }

  async #ofRequest<T>(request: ApiRequest, read: (response: IncomingMessage) => Promise<T>): Promise<T> {
    const what = nameOf(request);
    try {
      const response = await this.#send(request, request.timeoutMilliseconds ?? this.#timeoutMilliseconds);
      const code = response.statusCode ?? 0;
      if (code >= 200 && code < 300) return await read(response);
      throw ApiError.fromBody(code, (await bytesOf(response)).toString(), what, response.headers['retry-after']);
    } catch (error) {
      throw named(error, what);
    }
  }

  async #send(request: ApiRequest, timeout: number): Promise<IncomingMessage> {
    const url = new URL(this.#access.server + request.path);
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
    const payload = request.body === undefined ? undefined : JSON.stringify(request.body);
    const options = await this.#access.requestOptions();
    const headers = {
      ...(options.headers as OutgoingHttpHeaders | undefined),
      accept: request.accept ?? 'application/json',
      'user-agent': this.#userAgent,
      ...(payload !== undefined && {
        'content-type': request.contentType ?? 'application/json',
        'content-length': Buffer.byteLength(payload),
      }),
    };
    // A command that asks no cluster starts without them.
    const { request: open } = await (url.protocol === 'http:' ? import('node:http') : import('node:https'));
    return new Promise((resolve, reject) => {
      const silence = (): Error => new Error(`nothing was heard for ${Math.round(timeout) / 1000} s`);
      const signal = request.signal && { signal: request.signal };
      const outgoing = open(url, { ...options, method: request.method, headers, ...signal }, (response) => {
        // From here on the time since the last byte counts. Node's own timeout does not count before a connection.
        clearTimeout(impatience);
        outgoing.setTimeout(timeout, () => response.destroy(silence()));
        resolve(response);
      });
      const impatience = setTimeout(() => outgoing.destroy(silence()), timeout);
      outgoing.once('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS));
      // A request can fail more than once. An error that nobody hears would end the process.
      outgoing.on('error', (error) => {
        clearTimeout(impatience);
        reject(error);
      });
      outgoing.end(payload);
    });
  }
}

function nameOf(request: ApiRequest): string {
  return `${request.query?.['watch'] === 'true' ? 'WATCH' : request.method} ${request.path}`;
}

/** The error with the request before its message: errors of Node say as little as `aborted`. */
function named(error: unknown, what: string): Error {
  if (error instanceof ApiError) return error;
  if (error instanceof AnswerTooLarge) return new AnswerTooLarge(`${what}: ${error.message}`);
  // Several addresses that all refuse make one error without a message of its own.
  const first: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  return new Error(`${what}: ${messageOf(first)}`, { cause: error });
}

const NEWLINE = 10;

/** All of an answer. Its pieces stay outside of Node's heap until they become one text. */
async function bytesOf(response: IncomingMessage, most = MAX_ANSWER_BYTES): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length;
    refuseLong('the answer', length, most);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

/** Half a line at the end is a lost event. It is handed over as a line, so that the loss is noticed. */
async function readLines(response: IncomingMessage, line: (text: string) => void): Promise<void> {
  // A line may come in a thousand pieces. They are joined once, at its end.
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer): void => {
    length += piece.length;
    refuseLong('a line', length, MAX_ANSWER_BYTES);
    pieces.push(piece);
  };
  const take = (): void => {
    if (length > 0) line(Buffer.concat(pieces, length).toString());
    [pieces, length] = [[], 0];
  };
  for await (const chunk of response as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  take();
}

function refuseLong(what: string, bytes: number, most: number): void {
  if (bytes > most) throw new AnswerTooLarge(`${what} has more than ${most / 1024 / 1024} MiB`);
}

/** The API server's refusal of a request, from the meta/v1 Status that it answered. */
export class ApiError extends Error {
  readonly code: number;
  /** meta/v1 StatusReason, for example `Conflict`; empty when the answer was no Status. */
  readonly reason: string;
  readonly retryAfterMilliseconds: number;

  constructor(code: number, reason: string, message: string, retryAfterMilliseconds = 0) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
    this.retryAfterMilliseconds = retryAfterMilliseconds;
  }

  /** The error that an answer's body tells of. `what` says which request it was: `GET /api/v1/namespaces`. */
  static fromBody(code: number, body: string, what: string, retryAfter?: string): ApiError {
    const wait = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0;
    const status = jsonOf(body);
    if (isJsonObject(status) && status['kind'] === 'Status')
      return ApiError.fromStatus({ ...status, code }, what, wait);
    return new ApiError(code, '', `${what}: HTTP ${code}${body === '' ? '' : `: ${cut(body, 200)}`}`, wait);
  }

  /** The error in a Status object, which also ends a watch. */
  static fromStatus(status: Readonly<Record<string, unknown>>, what: string, retryAfterMilliseconds = 0): ApiError {
    const code = typeof status['code'] === 'number' ? status['code'] : 500;
    const [reason, message] = [textAt(status, 'reason') ?? '', textAt(status, 'message') ?? 'no message'];
    return new ApiError(code, reason, `${what}: HTTP ${code} ${reason}: ${message}`, retryAfterMilliseconds);
  }
}

/** True when the API server refused for this reason: `hasCode(error, 409)`. */
export function hasCode(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.code === code;
}

/** The answer to a request; undefined for HTTP 404. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, 404)) return undefined;
    throw error;
  }
}

/** True when the API server cannot be reached, or takes no request now. */
export function isUnavailable(error: unknown): boolean {
  return !(error instanceof ApiError) || [401, 408, 429, 502, 503, 504].includes(error.code);
}
