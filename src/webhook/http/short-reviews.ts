import { callerProblem } from './callers.ts';
import { httpError } from './http-error.ts';
import { JSON_CONTENT_TYPE } from '../../process/content-type.ts';
import { SMALL_BODY_BYTES } from './body-limit.ts';
import { ShortBody } from './short-body.ts';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Address, Addresses } from '../../process/addresses.ts';
import type { AllowedCallers } from './callers.ts';
import type { Metrics, Webhook } from './metrics.ts';
import type { RefusedConnections } from './refused-connections.ts';
import type { ReceivedReview } from './received-review.ts';
import type { ReviewEndpoint } from './review-endpoint.ts';
import type { StatusBody } from './status.ts';

/** The dependencies for answers to short reviews. */
export interface ShortReviewHandling {
  readonly endpoint: ReviewEndpoint;
  /** The allowed callers. Undefined allows every client that reaches the port. */
  readonly callers?: AllowedCallers | undefined;
  readonly addresses: Addresses;
  readonly metrics: Metrics;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  /** Whether a later request has come on the same connection. */
  readonly isWaitedFor: (request: IncomingMessage) => boolean;
  /** Called for each piece of a body that arrives. */
  readonly came: (request: IncomingMessage) => void;
  /** Whether the server must close the connection after this answer. Called once for each answer. */
  readonly isLastAnswer: (request: IncomingMessage) => boolean;
  /**
   * Counts an answer as held until the answer has been sent. True if the server must close the connection after the
   * answer.
   */
  readonly hold: (request: IncomingMessage, response: ServerResponse, length: number) => boolean;
  readonly refused: RefusedConnections;
  /** Logs a failed request, and builds its answer. */
  readonly failure: (path: string, error: Error) => StatusBody;
}

/** The path of a webhook as the API server writes the path. Fastify handles a request with any other query. */
const REVIEW_URL = /^\/(mutate|validate|review-policies)(?:\?timeout=([\w.µ]*))?$/;

/**
 * Answers short reviews on the server's `request` event. Fastify's router, hooks and body parser cost more than most
 * decisions, and short reviews need none of these parts. Short bodies never wait for a place, and have one content
 * type. Fastify answers all other requests, and rejects invalid requests.
 */
export function answerShortReviews(server: Server, handling: ShortReviewHandling): void {
  // Fastify's own listener, which routes requests. This listener always exists, and is always the first.
  const [route] = server.listeners('request') as RequestListener[];
  if (route === undefined) throw new Error('the server has no listener that routes requests');
  server.removeListener('request', route);
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (handling.refused.has(request)) return;
    if (!isShortJson(request)) {
      route(request, response);
      return;
    }
    const [, webhook, timeout] = REVIEW_URL.exec(request.url ?? '') ?? [];
    const { callers } = handling;
    if (webhook === undefined || (callers !== undefined && callerProblem(request.socket, callers.names) !== undefined))
      route(request, response);
    else new ShortReview(request, response, webhook as Webhook, timeout, handling).read();
  });
}

function isShortJson({ method, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || headers['content-type'] !== 'application/json') return false;
  const length = Number(headers['content-length']);
  return length > 0 && length <= SMALL_BODY_BYTES && headers['transfer-encoding'] === undefined;
}

/** A short review from its headers to its answer. */
class ShortReview implements ReceivedReview {
  readonly webhook: Webhook;
  readonly timeout: string | undefined;
  readonly arrival: number;
  readonly address: Address;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #handling: ShortReviewHandling;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    webhook: Webhook,
    timeout: string | undefined,
    handling: ShortReviewHandling,
  ) {
    this.webhook = webhook;
    this.timeout = timeout;
    this.arrival = handling.monotonic();
    this.address = handling.addresses.of(request.socket);
    this.#request = request;
    this.#response = response;
    this.#handling = handling;
  }

  get isWaitedFor(): boolean {
    return this.#handling.isWaitedFor(this.#request);
  }

  isAbandoned(): boolean {
    return this.#response.destroyed;
  }

  /** A short body has no place, so there is nothing to free. */
  setAside(): void {
    return undefined;
  }

  read(): void {
    const { metrics, monotonic, came } = this.#handling;
    const request = this.#request;
    metrics.started();
    // `close` comes exactly once, even if the client disconnects.
    this.#response.on('close', () => {
      metrics.finished(this.webhook, (monotonic() - this.arrival) / 1000);
    });
    const body = new ShortBody(Number(request.headers['content-length']));
    request.on('data', (chunk: Buffer) => {
      came(request);
      body.add(chunk);
    });
    request.on('end', () => {
      this.#handling.endpoint.review(this, body.take());
    });
    request.on('error', (error) => {
      this.answer(httpError(400, error.message));
    });
  }

  answer(outcome: string | Error): void {
    if (this.#response.writableEnded) return;
    if (typeof outcome === 'string') this.#send(200, outcome);
    else this.#fail(outcome);
  }

  #fail(error: Error): void {
    this.#handling.metrics.failed(this.webhook, undefined);
    const status = this.#handling.failure(`/${this.webhook}`, error);
    this.#send(status.code, JSON.stringify(status));
  }

  #send(code: number, text: string): void {
    const { isLastAnswer, hold, refused } = this.#handling;
    const request = this.#request;
    const isHeld = hold(request, this.#response, text.length);
    const headers = ['content-type', JSON_CONTENT_TYPE, 'content-length', String(Buffer.byteLength(text))];
    const isRefused = refused.endsWith(code, request);
    if (isLastAnswer(request) || isHeld || isRefused) headers.push('connection', 'close');
    this.#response.writeHead(code, headers).end(text);
  }
}
