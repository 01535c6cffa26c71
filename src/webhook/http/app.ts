import { callerProblem, secureContextOptions } from '../certificates/serving-tls.ts';
import { limitAnswers } from './answer-limit.ts';
import { addressOf, tlsApp } from '../../process/http-app.ts';
import { reviewEndpoint, type ReviewDependencies } from './review-endpoint.ts';
import { failureStatus, httpError } from './status.ts';
import { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WEBHOOKS, type Webhook } from '../review/decision.ts';
import type { RequestLog } from '../request-log.ts';
import type { Metrics } from './metrics.ts';

export interface WebhookApp extends ReviewDependencies {
  readonly metrics: Metrics;
  readonly log: RequestLog;
  readonly cert: string;
  readonly key: string;
  /** The CAs that verify callers, in PEM, and the common names that may call: an empty list allows any name. */
  readonly callers?: { readonly ca: string; readonly names: readonly string[] } | undefined;
  readonly draining: () => boolean;
  readonly random: () => number;
}

/** The API server keeps idle connections for 90 s, and must close first: it does not retry a POST. */
const KEEP_ALIVE_MILLISECONDS = 120_000;
/** The API server limits a whole request to 34 s (requestTimeoutUpperBound). */
const REQUEST_MILLISECONDS = 35_000;
/** The longest time without traffic, also while an answer is being made. */
const SILENCE_MILLISECONDS = 40_000;
const TIMEOUT_CHECK_MILLISECONDS = 5000;
/** Kept-alive connections stay with one replica. Random, so that those that began together do not reopen together. */
const LEAST_REQUESTS_PER_CONNECTION = 1000;
const MOST_REQUESTS_PER_CONNECTION = 2000;

/** Builds the HTTPS app with `/mutate`, `/validate` and `/review-policies`. It does not listen. */
export function buildWebhookApp(deps: WebhookApp): FastifyInstance {
  const { callers, metrics, log, monotonic } = deps;
  const dropped = (address: string): void => {
    metrics.connectionDropped('webhook');
    log.limited(address);
  };
  const app = tlsApp(
    {
      https: {
        ...secureContextOptions(deps, callers?.ca),
        // The handshake accepts every certificate, because only an HTTP answer can explain a rejection.
        ...(callers && { requestCert: true, rejectUnauthorized: false }),
        handshakeTimeout: REQUEST_MILLISECONDS,
        headersTimeout: REQUEST_MILLISECONDS,
        connectionsCheckingInterval: TIMEOUT_CHECK_MILLISECONDS,
      },
      connectionTimeout: SILENCE_MILLISECONDS,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      requestTimeout: REQUEST_MILLISECONDS,
    },
    { dropped, monotonic },
  );
  closeConnections(app, deps);
  // On every path, and before the server reads the body.
  if (callers !== undefined)
    app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
      const problem = callerProblem(socket, callers.names);
      done(problem === undefined ? undefined : httpError(401, problem));
    });
  limitAnswers(app, dropped);
  // The review endpoint receives the body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, body, done) => done(null, body));
  answerFailures(app, log);
  app.decorateRequest('arrival', 0);
  const answer = reviewEndpoint(deps);
  for (const webhook of WEBHOOKS) addWebhook(app, webhook, answer, deps);
  return app;
}

interface Connection {
  latest?: ServerResponse;
  /** The answers until the connection is closed. */
  left: number;
  isEnding: boolean;
}

/**
 * Closes a connection that sends a request before the answer to the one before. Other clients than API servers could
 * have hundreds of answers in one turn of the event loop. `writableFinished` would come too late: TLS reports a write
 * at the end of the turn. Closes connections during the drain, after some requests, and after a rejected request, whose
 * body may be unread. 408 is about the server's own delay. Node's maxRequestsPerSocket would answer requests that are
 * already under way with 503, which is a failed call.
 */
function closeConnections(app: FastifyInstance, { draining, random }: WebhookApp): void {
  const connections = new WeakMap<Socket, Connection>();
  const spread = MOST_REQUESTS_PER_CONNECTION - LEAST_REQUESTS_PER_CONNECTION;
  const connectionOf = (socket: Socket): Connection => {
    const left = LEAST_REQUESTS_PER_CONNECTION + Math.floor(random() * spread);
    const connection = connections.get(socket) ?? { left, isEnding: false };
    connections.set(socket, connection);
    return connection;
  };
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const connection = connectionOf(socket);
    if (connection.latest?.writableEnded === false || connection.isEnding) {
      reply.hijack();
      socket.destroy();
      return;
    }
    connection.latest = reply.raw;
    done();
  });
  app.addHook('onSend', ({ raw: { socket } }, reply, payload, done) => {
    const connection = connectionOf(socket);
    connection.left -= 1;
    const { statusCode: code } = reply;
    const isRefusal = (code >= 400 && code < 500 && code !== 408) || code === 503;
    // A connection keeps a buffer of the length of its longest answer (Node's node_bio.cc).
    const isLong = typeof payload === 'string' && payload.length > LONG_ANSWER;
    if (draining() || connection.left <= 0 || isRefusal || isLong) {
      connection.isEnding = true;
      void reply.header('connection', 'close');
    }
    done(null, payload);
  });
}

const LONG_ANSWER = 64 * 1024;

function answerFailures(app: FastifyInstance, log: RequestLog): void {
  const send = (reply: FastifyReply, code: number, message: string): FastifyReply =>
    reply.code(code).type('application/json; charset=utf-8').send(failureStatus(code, message));
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const { statusCode: code = 500, message } = error;
    if (code >= 500) log.failed(pathOf(request), error);
    else log.refused(pathOf(request), code, message);
    return send(reply, code, code === 415 ? 'Content-Type must be application/json' : message);
  });
  const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';
  const hint = 'POST an AdmissionReview to /mutate, /validate or /review-policies';
  app.setNotFoundHandler((request, reply) => send(reply, 404, `no ${request.method} ${pathOf(request)}: ${hint}`));
}

function announcedLength(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header);
}

declare module 'fastify' {
  interface FastifyRequest {
    arrival: number;
  }
}

function addWebhook(
  app: FastifyInstance,
  webhook: Webhook,
  answer: ReturnType<typeof reviewEndpoint>,
  { metrics, monotonic }: WebhookApp,
): void {
  app.post<{ Body: Readable | undefined; Querystring: Readonly<Record<string, unknown>> }>(`/${webhook}`, {
    onRequest: (request, reply, done) => {
      const arrival = monotonic();
      request.arrival = arrival;
      metrics.started();
      // `close` comes exactly once, even if the client disconnects.
      reply.raw.on('close', () => metrics.finished(webhook, (monotonic() - arrival) / 1000));
      done();
    },
    onError: (_request, _reply, _error, done) => {
      metrics.failed(webhook);
      done();
    },
    handler: (request, reply) =>
      answer({
        webhook,
        body: request.body ?? Readable.from([]),
        announced: announcedLength(request.headers['content-length']),
        timeout: request.query['timeout'],
        arrival: request.arrival,
        address: addressOf(request.raw.socket),
        isAbandoned: () => reply.raw.destroyed,
      }),
  });
}
