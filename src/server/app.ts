import fastify from 'fastify';
import { Addresses } from './addresses.ts';
import { limitAnswers } from './answer-limit.ts';
import { limitBodies } from './body-limit.ts';
import { callerProblem } from './callers.ts';
import { ClientErrors } from './client-errors.ts';
import { limitConnections } from './connection-limit.ts';
import { Episodes } from './episodes.ts';
import { limitHandshakes } from './handshake-limit.ts';
import { httpError } from './http-error.ts';
import { NO_SCHEMAS } from './no-schemas.ts';
import { ProcessorMeter } from './processor-meter.ts';
import { ReadingTurns } from './reading-turns.ts';
import { reviewEndpoint } from './review-endpoint.ts';
import { failureStatus } from './status.ts';
import { secureContextOptions } from './tls-settings.ts';
import { watchPipelining } from './pipelining.ts';
import { WEBHOOKS } from './metrics.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Address } from './addresses.ts';
import type { AllowedCallers } from './callers.ts';
import type { Delay, Webhook } from './metrics.ts';
import type { ProcessorSharing, ReviewEndpoint, ReviewLog, ReviewSurroundings } from './review-endpoint.ts';

/** What is logged of requests; levels and fields are decided in src/log.ts. */
export interface RequestLog extends ReviewLog {
  /** A request that was refused with a 4xx: not a v1 AdmissionReview, too large, too late. */
  refused(path: string, code: number, message: string): void;
  /** A client waits, or has a connection closed, as its address uses more than its share. Told once for an episode. */
  limited(address: string, what: Delay | 'dropped'): void;
}

/** What the webhook server works with. */
export interface WebhookApp extends ReviewSurroundings {
  readonly cert: string;
  readonly key: string;
  /** Who may call; undefined = everybody who reaches the port. */
  readonly callers?: AllowedCallers | undefined;
  /** True once the server is to be left: connections are closed after their next answer. */
  readonly draining: () => boolean;
  readonly log: RequestLog;
  /** From 0 to less than 1. */
  readonly random: () => number;
  /** A clock, in milliseconds, that stands still while the event loop waits. */
  readonly busy: () => number;
}

/**
 * The API server sends at most 3 MiB of object (MaxRequestBodyBytes), an UPDATE carries it twice, and JSON is longer than the
 * protobuf that came in. A review that we refused for its size would pass unseen under failurePolicy Ignore.
 */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
/** What callers may have sent of bodies together before they are answered: the memory of the chart has room for it. */
const ALL_BODIES_LIMIT_BYTES = 48 * 1024 * 1024;
/** What answers may have of characters together that nobody has read. The longest, a patch for 5,000 containers, has two to three million. */
const ALL_ANSWERS_LIMIT = 16 * 1024 * 1024;
/** The API server keeps idle connections for 90 s and does not retry a POST that meets our closing one: it must close first. */
const KEEP_ALIVE_MILLISECONDS = 120_000;
/** The API server gives a whole request at most 34 s (requestTimeoutUpperBound). */
const REQUEST_TIMEOUT_MILLISECONDS = 35_000;
/**
 * A connection on which nothing moves for so long though its review has been answered is closed: one that is reset just before its answer is written
 * does not end by itself, as Node loses the error of that write (20 and 24 alike).
 */
const STUCK_MILLISECONDS = 10_000;
/**
 * Kept-alive connections stick to one replica; now and then they are to find another. Each after a number of its own, or all that began
 * together would be opened anew together, and the calls of that moment wait for as many handshakes.
 */
const LEAST_REQUESTS_PER_CONNECTION = 1000;
const MOST_REQUESTS_PER_CONNECTION = 2000;
/**
 * So many cost about 30 MiB when they are idle, and 100 when they come and go by the thousand: within the 384 MiB of the chart, of which an idle
 * server has about 95. An API server keeps 25, and more only while as many calls are on their way.
 */
const CONNECTIONS = 500;
/** An API server sends a request when the one before it is answered. Each that waits for another takes some KiB. */
const MOST_PIPELINED = 100;
/** An address that waits is logged when it has used so much of the processor lately, in milliseconds: a fifth of what there is. */
const MUCH_MILLISECONDS = 300;

/** Builds the HTTPS app with `/mutate` and `/validate`. It does not listen. */
export function buildWebhookApp(deps: WebhookApp): FastifyInstance {
  const clientErrors = new ClientErrors();
  const app = fastify({
    https: {
      ...secureContextOptions({ cert: deps.cert, key: deps.key, clientCa: deps.callers?.ca }),
      // Not rejected in the handshake: an answer can say what is wrong.
      ...(deps.callers && { requestCert: true, rejectUnauthorized: false }),
    },
    logger: false,
    schemaController: NO_SCHEMAS,
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    // Kept-alive connections are answered until the end of the drain; a 503 would be a failed call.
    return503OnClosing: false,
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    clientErrorHandler: clientErrors.handle,
  });
  clientErrors.watch(app.server);
  answerHalfClosed(app.server);
  closeStuckConnections(app.server);
  if (deps.callers !== undefined) verifyCallers(app, deps.callers.names);
  readJsonBodies(app);
  answerFailures(app, deps);
  closeConnections(app, deps);
  const sharing = shareByAddress(app, app.server, deps);
  app.decorateRequest('arrival', 0);
  const endpoint = reviewEndpoint(deps, sharing);
  const isWaitedFor = watchPipelining(app.server, { most: MOST_PIPELINED, hurry: endpoint.hurry, ...sharing });
  for (const webhook of WEBHOOKS) addWebhook(app, webhook, { endpoint, isWaitedFor, ...sharing }, deps);
  return app;
}

/** What clients share by remote address, and who is told of those that exceed their share. */
interface Sharing extends ProcessorSharing {
  readonly addresses: Addresses;
  readonly dropped: (address: Address) => void;
  /** Gives up a body's place before it is answered. */
  readonly leavePlace: (request: IncomingMessage) => void;
}

/** Has clients share connections, memory and processor time by remote address: one that floods the server only delays itself. */
function shareByAddress(app: FastifyInstance, server: Server, { metrics, log, monotonic, busy }: WebhookApp): Sharing {
  const addresses = new Addresses(monotonic);
  const episodes = new Episodes(monotonic);
  const meter = new ProcessorMeter(busy);
  const later = setImmediate;
  const dropped = (address: Address): void => {
    metrics.connectionDropped('webhook');
    if (episodes.begins(address.name, 'dropped')) log.limited(address.name, 'dropped');
  };
  const delayed =
    (what: Delay) =>
    (address: Address): void => {
      metrics.delayed(what);
      if (address.used() > MUCH_MILLISECONDS && episodes.begins(address.name, what)) log.limited(address.name, what);
    };
  const turns = new ReadingTurns({ addresses, meter, later, delayed: delayed('reading') });
  limitAnswers(app, { most: ALL_ANSWERS_LIMIT, addresses, dropped, monotonic });
  const leavePlace = limitBodies(app, {
    most: ALL_BODIES_LIMIT_BYTES,
    longest: BODY_LIMIT_BYTES,
    addresses,
    block: (socket) => {
      turns.block(socket);
    },
    unblock: (socket) => {
      turns.unblock(socket);
    },
    isHeld: (socket) => turns.isHeld(socket),
    dropped,
    monotonic,
    delayed: delayed('body'),
  });
  limitHandshakes(server, {
    addresses,
    meter,
    monotonic,
    later,
    dropped,
    delayed: delayed('handshake'),
  });
  limitConnections(server, { most: CONNECTIONS, addresses, dropped, monotonic });
  server.on('secureConnection', (socket: Socket) => {
    turns.add(socket);
  });
  server.on('request', ({ socket }: IncomingMessage) => {
    turns.came(socket);
  });
  app.addHook('preParsing', ({ raw }, _reply, payload, done) => {
    payload.on('data', () => {
      turns.came(raw.socket);
    });
    done();
  });
  return {
    addresses,
    meter,
    dropped,
    leavePlace,
    charge: (address, milliseconds) => {
      turns.charge(address, milliseconds);
    },
  };
}

/**
 * Has callers answered who say at once that they will send nothing more: Node closes their connections on the spot, before what they asked for is
 * decided, unless the server is told (by a switch that is in no documentation; a test would notice if it were gone) and so is the connection. Not
 * before it speaks TLS: one that ends in the handshake is over.
 */
function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true;
  });
}

/** Closes connections whose answer cannot leave. */
function closeStuckConnections(server: Server): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.once('end', () => {
      // Until it is answered: Node sets another one then.
      if (!response.writableEnded) request.socket.setTimeout(STUCK_MILLISECONDS);
      response.on('timeout', () => {
        // A long review may wait for its turn; it has a deadline of its own.
        if (response.writableEnded) request.socket.destroy();
        else request.socket.setTimeout(STUCK_MILLISECONDS);
      });
    });
  });
}

/**
 * Asks callers to leave: while the server drains, and now and then anyway. Node's own maxRequestsPerSocket would answer what is already
 * on its way with 503, which is a failed call.
 */
function closeConnections(app: FastifyInstance, { draining, random }: WebhookApp): void {
  const left = new WeakMap<object, number>();
  const atFirst = (): number =>
    LEAST_REQUESTS_PER_CONNECTION +
    Math.floor(random() * (MOST_REQUESTS_PER_CONNECTION - LEAST_REQUESTS_PER_CONNECTION));
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { socket } = request.raw;
    const count = (left.get(socket) ?? atFirst()) - 1;
    left.set(socket, count);
    if (draining() || count <= 0) reply.header('connection', 'close');
    done();
  });
}

/** Turns away who may not call before a byte of the body is read, whatever the path. */
function verifyCallers(app: FastifyInstance, names: readonly string[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    const problem = callerProblem(request.raw.socket, names);
    if (problem === undefined) {
      done();
      return;
    }
    // The body stays unread.
    reply.header('connection', 'close');
    done(httpError(401, problem));
  });
}

/** They are parsed when their turn comes. Fastify's own parser would refuse or drop what has a `__proto__` key, which must not pass by the policy. */
function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
}

function answerFailures(app: FastifyInstance, { log }: WebhookApp): void {
  app.setErrorHandler<Error & { statusCode?: number; code?: string }>((error, request, reply) => {
    const code = error.statusCode ?? 500;
    const path = request.url.split('?')[0] ?? '';
    if (code >= 500) log.failed(path, error);
    else log.refused(path, code, error.message);
    return sendFailure(reply, code, code === 415 ? 'Content-Type must be application/json' : error.message);
  });
  app.setNotFoundHandler((request, reply) =>
    sendFailure(
      reply,
      404,
      `no ${request.method} ${request.url.split('?')[0] ?? ''}: POST an AdmissionReview to /mutate or /validate`,
    ),
  );
}

function sendFailure(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply.code(code).type('application/json; charset=utf-8').send(failureStatus(code, message));
}

declare module 'fastify' {
  interface FastifyRequest {
    /** When its first byte was there, by the monotonic clock. */
    arrival: number;
  }
}

interface Answering {
  readonly endpoint: ReviewEndpoint;
  readonly isWaitedFor: (request: IncomingMessage) => boolean;
  readonly addresses: Addresses;
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
      // `close` comes exactly once, also when the caller hangs up.
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
      // Fastify would hold the text for as long as the request.
      request.body = undefined;
      endpoint.review(
        {
          webhook,
          text: body,
          timeout: query['timeout'],
          arrival,
          isWaitedFor: isWaitedFor(request.raw),
          address: addresses.of(request.raw.socket),
          isAbandoned: () => reply.raw.destroyed,
          setAside: () => {
            leavePlace(request.raw);
          },
        },
        (outcome) => {
          reply.send(outcome);
        },
      );
    },
  });
}
