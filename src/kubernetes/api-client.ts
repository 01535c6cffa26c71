import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ApiError } from './api-error.ts';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { ClusterAccess } from './cluster-access.ts';

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/api/v1/namespaces`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`; a patch says its type here. */
  readonly contentType?: string;
  readonly accept?: string;
  /** Aborts the request: its promise rejects. */
  readonly signal?: AbortSignal;
}

/** Media types of patches. */
export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';

/** An answer that comes in lines, until it ends. */
export interface LineStream {
  /** Called with each whole line. */
  readonly line: (text: string) => void;
  /** Called once when the server has accepted the request. */
  readonly opened: () => void;
}

/** The API server answers anything that is no watch within this, or the connection is as good as gone. */
const REQUEST_TIMEOUT_MILLISECONDS = 30_000;

/**
 * Speaks to the API server in JSON. client-node's own watch drops lines that it cannot parse, and events that a callback throws at,
 * without a word; here nothing is lost unnoticed.
 */
export class ApiClient {
  readonly #access: ClusterAccess;
  readonly #userAgent: string;
  readonly #timeoutMilliseconds: number;

  constructor(access: ClusterAccess, userAgent: string, timeoutMilliseconds = REQUEST_TIMEOUT_MILLISECONDS) {
    this.#access = access;
    this.#userAgent = userAgent;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** The answer's JSON. Rejects with ApiError when the API server refuses, with the connection's error when it cannot be reached. */
  async request(request: ApiRequest): Promise<unknown> {
    const response = await this.#send(request, this.#timeoutMilliseconds);
    const body = await textOf(response);
    const what = nameOf(request);
    if (!isSuccess(response)) throw ApiError.fromBody(response.statusCode ?? 0, body, what);
    try {
      return JSON.parse(body);
    } catch (error) {
      throw new Error(`${what}: the answer is not JSON: ${body.slice(0, 200)}`, { cause: error });
    }
  }

  /**
   * Hands over an answer line by line and resolves when the server ends it. Rejects as `request` does, and when nothing at all came for
   * `silenceMilliseconds`: a peer that vanished without a word leaves a connection that looks alive.
   */
  async lines(request: ApiRequest, stream: LineStream, silenceMilliseconds: number): Promise<void> {
    const response = await this.#send(request, silenceMilliseconds);
    if (!isSuccess(response))
      throw ApiError.fromBody(response.statusCode ?? 0, await textOf(response), nameOf(request));
    stream.opened();
    await readLines(response, stream.line);
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
    const open = url.protocol === 'http:' ? httpRequest : httpsRequest;
    return new Promise((resolve, reject) => {
      let answer: IncomingMessage | undefined;
      const signal = request.signal && { signal: request.signal };
      const outgoing = open(url, { ...options, method: request.method, headers, ...signal }, (response) => {
        answer = response;
        resolve(response);
      });
      // Counts from the last byte in either direction, so it holds for connecting, waiting and reading alike.
      outgoing.setTimeout(timeout, () => {
        (answer ?? outgoing).destroy(new Error(`${nameOf(request)}: nothing was heard for ${timeout / 1000} s`));
      });
      outgoing.once('error', reject);
      outgoing.end(payload);
    });
  }
}

function nameOf(request: ApiRequest): string {
  return `${request.query?.['watch'] === 'true' ? 'WATCH' : request.method} ${request.path}`;
}

function isSuccess(response: IncomingMessage): boolean {
  const code = response.statusCode ?? 0;
  return code >= 200 && code < 300;
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk as string;
  return text;
}

/** What comes after the last newline is half a line, and a watch that is cut off there has lost an event: it is told as a line. */
async function readLines(response: IncomingMessage, line: (text: string) => void): Promise<void> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response) {
    const pieces = (rest + (chunk as string)).split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) if (piece !== '') line(piece);
  }
  if (rest !== '') line(rest);
}
