import { shareByAddress } from './address-sharing.ts';
import { abortWithoutStacks } from './aborted-requests.ts';
import { callerProblem } from './callers.ts';
import { ClientErrors } from './client-errors.ts';
import { tlsApp } from '../../process/http-app.ts';
import { httpError } from './http-error.ts';
import { JSON_CONTENT_TYPE } from '../../process/content-type.ts';
import { reviewEndpoint } from './review-endpoint.ts';
import { answerShortReviews } from './short-reviews.ts';
import { RefusedConnections } from './refused-connections.ts';
import { failureStatus } from './status.ts';
import { secureContextOptions } from './tls-settings.ts';
import { watchPipelining } from './pipelining.ts';
import { WEBHOOKS } from './metrics.ts';
import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AddressSharing } from './address-sharing.ts';
import type { AllowedCallers } from './callers.ts';
import type { Delay, Webhook } from './metrics.ts';
import type { Pipelining } from './pipelining.ts';
import type { StatusBody } from './status.ts';
import type { ReviewDependencies, ReviewLog } from './review-dependencies.ts';
import type { ReviewEndpoint } from './review-endpoint.ts';

/** The log entries about requests. src/webhook/request-log.ts decides on levels and fields. */
export interface RequestLog extends ReviewLog {
  /** A request that the server rejected with a 4xx: not a v1 AdmissionReview, too large, or too late. */
  refused(path: string, code: number, message: string): void;
  /**
   * A client waits, or the server closes its connection, because the client's address uses more than its share. Called
   * once for each episode.
   */
  limited(address: string, what: Delay | 'dropped'): void;
}

/** The dependencies of the webhook server. */
export interface WebhookApp extends ReviewDependencies {
  readonly cert: string;
  readonly key: string;
  /** The allowed callers. Undefined allows every client that reaches the port. */
  readonly callers?: AllowedCallers | undefined;
  /** True while the server drains: the server closes each connection after its next answer. */
  readonly draining: () => boolean;
  readonly log: RequestLog;
  /** A random number from 0 to less than 1. */
  readonly random: () => number;
  /** A clock, in milliseconds, that stops while the event loop waits. */
  readonly busy: () => number;
}

/**
 * The API server sends at most 3 MiB for each object (MaxRequestBodyBytes), and an UPDATE has two objects. JSON is
 * longer than the protobuf that the API server received. If the server rejected a review for its size, failurePolicy
 * Ignore would allow the object without checks.
 */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
/**
 * The API server keeps idle connections for 90 s, and must close first. The API server does not retry a POST on a
 * connection that this server closes.
 */
const KEEP_ALIVE_MILLISECONDS = 120_000;
/** The API server limits a whole request to 34 s (requestTimeoutUpperBound). */
const REQUEST_TIMEOUT_MILLISECONDS = 35_000;
/**
 * The server closes a connection without traffic for this long if an answer waits to be sent. A connection that is
 * reset just before the write of the answer does not end by itself: Node loses the error of that write (Node 20 and
 * 24).
 */
const STUCK_MILLISECONDS = 10_000;
/**
 * Kept-alive connections stay with one replica, so the server closes each connection after some requests. Each
 * connection gets its own random number of requests. With the same number, connections that began together would reopen
 * together, and calls would wait for as many handshakes.
 */
const LEAST_REQUESTS_PER_CONNECTION = 1000;
const MOST_REQUESTS_PER_CONNECTION = 2000;
/**
 * The limit on waiting requests of one connection; each takes some KiB. An API server sends a request only after the
 * answer to the previous one.
 */
const MOST_PIPELINED = 100;

/** Builds the HTTPS app with `/mutate`, `/validate` and `/review-policies`. It does not listen. */
export function buildWebhookApp(deps: WebhookApp): FastifyInstance {
  const clientErrors = new ClientErrors((socket) => latestAnswers(socket));
  const app = tlsApp({
    https: {
      ...secureContextOptions({ cert: deps.cert, key: deps.key, clientCa: deps.callers?.ca }),
      // The handshake accepts every certificate, because only an HTTP answer can explain a rejection.
      ...(deps.callers && { requestCert: true, rejectUnauthorized: false }),
    },
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    clientErrorHandler: clientErrors.handle,
  });
  answerHalfClosed(app.server);
  app.server.on('secureConnection', abortWithoutStacks);
  if (deps.callers !== undefined) verifyCallers(app, deps.callers.names);
  readJsonBodies(app);
  const refused = new RefusedConnections();
  answerFailures(app, refused, deps);
  const isLastAnswer = closeConnections(app, deps);
  const sharing = shareByAddress(app, app.server, BODY_LIMIT_BYTES, deps);
  app.decorateRequest('arrival', 0);
  const endpoint = reviewEndpoint(deps, sharing);
  const pipelining = { most: MOST_PIPELINED, hurry: endpoint.hurry, ...sharing };
  const { isWaitedFor, latestAnswers } = watchPipelining(app.server, pipelining);
  closeStuckConnections(app.server, latestAnswers);
  const failure = (path: string, error: Error): StatusBody => failureOf(path, error, deps.log);
  answerShortReviews(app.server, {
    ...deps,
    ...sharing,
    endpoint,
    isWaitedFor,
    isLastAnswer,
    refused,
    failure,
  });
  for (const webhook of WEBHOOKS) addWebhook(app, webhook, { endpoint, isWaitedFor, ...sharing }, deps);
  return app;
}

/**
 * Answers clients that close their side of the connection right after the request. By default, Node closes such a
 * connection at once, before the decision. To prevent this, the server and the connection both need a switch. The
 * server's switch is undocumented, and a test fails if Node removes the switch. The connection's switch is set after
 * the TLS handshake: a connection that ends in the handshake needs no answer.
 */
function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true;
  });
}

/**
 * Closes connections on which an answer cannot be sent, and idle connections. Node's own timer of the connection ends
 * without traffic: after STUCK_MILLISECONDS, or after KEEP_ALIVE_MILLISECONDS once an answer is sent.
 */
function closeStuckConnections(server: Server, latestAnswers: Pipelining['latestAnswers']): void {
  server.setTimeout(STUCK_MILLISECONDS, (socket: Socket) => {
    // A long review may wait for its turn, and has its own deadline. Node limits the time of a request's arrival.
    if (latestAnswers(socket).at(-1)?.writableEnded === true) socket.destroy();
    else socket.setTimeout(STUCK_MILLISECONDS);
  });
}

/**
 * Closes connections during the drain, and after some requests at any time. Node's own maxRequestsPerSocket would
 * answer requests that are already under way with 503, which is a failed call.
 *
 * @returns whether the server must close the connection after an answer; called once for each answer
 */
function closeConnections(
  app: FastifyInstance,
  { draining, random }: WebhookApp,
): (request: IncomingMessage) => boolean {
  const left = new WeakMap<object, number>();
  const atFirst = (): number =>
    LEAST_REQUESTS_PER_CONNECTION +
    Math.floor(random() * (MOST_REQUESTS_PER_CONNECTION - LEAST_REQUESTS_PER_CONNECTION));
  const isLastAnswer = ({ socket }: IncomingMessage): boolean => {
    const count = (left.get(socket) ?? atFirst()) - 1;
    left.set(socket, count);
    return draining() || count <= 0;
  };
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isLastAnswer(request.raw)) reply.header('connection', 'close');
    done();
  });
  return isLastAnswer;
}

/** Rejects callers that are not allowed, on every path, before the server reads the body. */
function verifyCallers(app: FastifyInstance, names: readonly string[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    const problem = callerProblem(request.raw.socket, names);
    if (problem === undefined) {
      done();
      return;
    }
    // The server does not read the body, so the connection must close.
    reply.header('connection', 'close');
    done(httpError(401, problem));
  });
}

/**
 * Keeps bodies as text until their turn to be parsed. Fastify's own parser would reject or drop a body with a
 * `__proto__` key, and the object would evade the policy.
 */
function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
}

function answerFailures(app: FastifyInstance, refused: RefusedConnections, { log }: WebhookApp): void {
  const send = (request: FastifyRequest, reply: FastifyReply, status: StatusBody): FastifyReply => {
    if (refused.endsWith(status.code, request.raw)) reply.header('connection', 'close');
    return sendFailure(reply, status);
  };
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    return send(request, reply, failureOf(pathOf(request), error, log));
  });
  app.setNotFoundHandler((request, reply) => {
    const message = `no ${request.method} ${pathOf(request)}: POST an AdmissionReview to /mutate, /validate or /review-policies`;
    return send(request, reply, failureStatus(404, message));
  });
}

/** Logs a failed request, and builds its answer. */
function failureOf(path: string, error: Error & { statusCode?: number }, log: RequestLog): StatusBody {
  const { statusCode: code = 500, message } = error;
  if (code >= 500) log.failed(path, error);
  else log.refused(path, code, message);
  return failureStatus(code, code === 415 ? 'Content-Type must be application/json' : message);
}

function pathOf({ url }: { url: string }): string {
  return url.split('?')[0] ?? '';
}

function sendFailure(reply: FastifyReply, status: StatusBody): FastifyReply {
  return reply.code(status.code).type(JSON_CONTENT_TYPE).send(status);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The arrival time of the first byte, by the monotonic clock. */
    arrival: number;
  }
}

interface Answering {
  readonly endpoint: ReviewEndpoint;
  readonly isWaitedFor: (request: IncomingMessage) => boolean;
  readonly addresses: AddressSharing['addresses'];
  readonly leavePlace: (request: IncomingMessage) => void;
}

function addWebhook(
  app: FastifyInstance,
  webhook: Webhook,
  { endpoint, isWaitedFor, addresses, leavePlace }: Answering,
  { metrics, monotonic }: WebhookApp,
): void {
  app.post<{ Body: string | undefined; Querystring: Readonly<Record<string, unknown>> }>(`/${webhook}`, {
    onRequest: (request, reply, done) => {
      const arrival = monotonic();
      request.arrival = arrival;
      metrics.started();
      // `close` comes exactly once, even if the client disconnects.
      reply.raw.on('close', () => {
        metrics.finished(webhook, (monotonic() - arrival) / 1000);
      });
      done();
    },
    onError: (_request, _reply, _error, done) => {
      metrics.failed(webhook, undefined);
      done();
    },
    handler: (request, reply) => {
      const { arrival, body, query } = request;
      // Otherwise Fastify would hold the text as long as the request.
      request.body = undefined;
      endpoint.review(
        {
          webhook,
          timeout: query['timeout'],
          arrival,
          isWaitedFor: isWaitedFor(request.raw),
          address: addresses.of(request.raw.socket),
          isAbandoned: () => reply.raw.destroyed,
          setAside: () => {
            leavePlace(request.raw);
          },
          answer: (outcome) => {
            if (typeof outcome === 'string') reply.type(JSON_CONTENT_TYPE);
            reply.send(outcome);
          },
        },
        body,
      );
    },
  });
}
