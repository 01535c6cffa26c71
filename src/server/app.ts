import fastify from 'fastify';
import { ObjectTooLarge } from '../admission/object-size.ts';
import { decodeReview } from '../admission/review.ts';
import { mutate } from '../admission/mutate.ts';
import { withoutManagedFields } from '../admission/managed-fields.ts';
import { validate } from '../admission/validate.ts';
import { limitAnswers } from './answer-limit.ts';
import { limitBodies } from './body-limit.ts';
import { callerProblem } from './callers.ts';
import { limitConnections } from './connection-limit.ts';
import { deadlineMilliseconds } from './deadline.ts';
import { isHeavierThan, jsonWeight } from './json-weight.ts';
import { failureStatus } from './status.ts';
import { secureContextOptions } from './tls-settings.ts';
import { WEBHOOKS } from './metrics.ts';
import { WaitingReviews } from './waiting-reviews.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Decision, MutationMode } from '../admission/decision.ts';
import type { AdmissionRequest } from '../admission/review.ts';
import type { AdmissionReviewReply } from '../admission/response.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { Enforcement } from '../admission/validate.ts';
import type { AllowedCallers } from './callers.ts';
import type { Metrics, Webhook } from './metrics.ts';

/** What is logged of requests; levels and fields are decided in src/log.ts. */
export interface RequestLog {
  decided(webhook: Webhook, request: AdmissionRequest, decision: Decision, milliseconds: number): void;
  /** A request that was refused with a 4xx: not a v1 AdmissionReview, too large, too late. */
  refused(path: string, code: number, message: string): void;
  /** An error of ours, answered with a 500. */
  failed(path: string, error: Error): void;
}

/** What the webhook server works with. */
export interface WebhookApp {
  readonly cert: string;
  readonly key: string;
  /** Who may call; undefined = everybody who reaches the port. */
  readonly callers?: AllowedCallers | undefined;
  /** The policies in force; undefined before they are known. */
  readonly policies: () => PolicySet | undefined;
  /**
   * A promise when what is known of a namespace may be news in a moment, undefined when it is known. A Pod may come right behind its new
   * namespace.
   */
  readonly namespaceKnown?: (namespace: string) => Promise<void> | undefined;
  readonly mutation: MutationMode;
  readonly enforcement: Enforcement;
  /** The kinds that `/validate` looks into. */
  readonly kinds: readonly WorkloadKind[];
  /** True once the server is to be left: connections are closed after their next answer. */
  readonly draining: () => boolean;
  readonly metrics: Metrics;
  readonly log: RequestLog;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
  /** From 0 to less than 1. */
  readonly random: () => number;
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
/**
 * What one body may take of memory when it is parsed. The heap of the chart has room for it beside all other limits. Lists of environment
 * variables, the densest thing that Pods have, are read up to 3 to 5 MiB; what is refused for less is made of tiny members.
 */
const PARSED_LIMIT_BYTES = 48 * 1024 * 1024;
/** What all may take that wait for news of their namespace: some hundred Pods. What is beyond is decided by what is known. */
const WAITING_LIMIT_BYTES = 24 * 1024 * 1024;
/** The API server keeps idle connections for 90 s and does not retry a POST that meets our closing one: it must close first. */
const KEEP_ALIVE_MILLISECONDS = 120_000;
/** The API server gives a whole request at most 34 s (requestTimeoutUpperBound). */
const REQUEST_TIMEOUT_MILLISECONDS = 35_000;
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

/** Builds the HTTPS app with `/mutate` and `/validate`. It does not listen. */
export function buildWebhookApp(deps: WebhookApp): FastifyInstance {
  const app = fastify({
    https: {
      ...secureContextOptions({ cert: deps.cert, key: deps.key, clientCa: deps.callers?.ca }),
      // Not rejected in the handshake: an answer can say what is wrong.
      ...(deps.callers && { requestCert: true, rejectUnauthorized: false }),
    },
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    // Kept-alive connections are answered until the end of the drain; a 503 would be a failed call.
    return503OnClosing: false,
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
  });
  if (deps.callers !== undefined) verifyCallers(app, deps.callers.names);
  readJsonBodies(app);
  answerFailures(app, deps);
  closeConnections(app, deps);
  const dropped = (): void => {
    deps.metrics.connectionDropped('webhook');
  };
  limitAnswers(app, { most: ALL_ANSWERS_LIMIT, dropped });
  limitBodies(app, { most: ALL_BODIES_LIMIT_BYTES, dropped });
  limitConnections(app.server, { most: CONNECTIONS, dropped, monotonic: deps.monotonic });
  app.decorateRequest('arrival', 0);
  app.decorateRequest('text', '');
  const waiting = new WaitingReviews(WAITING_LIMIT_BYTES);
  for (const webhook of WEBHOOKS) addWebhook(app, webhook, waiting, deps);
  return app;
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

/**
 * Plain JSON.parse keeps a `__proto__` or `constructor` key as a member like any other. Fastify's own parser refuses or drops them
 * unless told otherwise, which would let an object with such a key pass by the policy.
 */
function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    try {
      request.text = withoutManagedFields(body as string);
      if (isHeavierThan(PARSED_LIMIT_BYTES, request.text)) done(httpError(413, TOO_HEAVY));
      else done(null, JSON.parse(request.text));
    } catch (error) {
      done(httpError(400, `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`));
    }
  });
}

const TOO_HEAVY = `the body is made of so many small members that it may take more than ${PARSED_LIMIT_BYTES / 1024 / 1024} MiB of memory`;

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

function httpError(statusCode: number, message: string): Error & { statusCode: number } {
  return Object.assign(new Error(message), { statusCode });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** When its first byte was there, by the monotonic clock. */
    arrival: number;
    /** The body as it is parsed, until that is decided or has to wait. */
    text: string;
  }
}

function addWebhook(app: FastifyInstance, webhook: Webhook, waiting: WaitingReviews, deps: WebhookApp): void {
  const { metrics, monotonic } = deps;
  app.post(`/${webhook}`, {
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
    handler: (request): AdmissionReviewReply | Promise<AdmissionReviewReply> => answer(webhook, request, waiting, deps),
  });
}

function answer(
  webhook: Webhook,
  request: FastifyRequest,
  waiting: WaitingReviews,
  deps: WebhookApp,
): AdmissionReviewReply | Promise<AdmissionReviewReply> {
  const { arrival } = request;
  const decoded = decodeReview(request.body, request.text.length);
  if ('problem' in decoded) throw httpError(400, `not an admission.k8s.io/v1 AdmissionReview: ${decoded.problem}`);
  const deadline = deadlineMilliseconds((request.query as Record<string, unknown>)['timeout']);
  const { namespace } = decoded.request;
  const known = namespace === '' ? undefined : deps.namespaceKnown?.(namespace);
  const { text } = request;
  request.text = '';
  if (known === undefined) return reply(webhook, decoded.request, arrival, deadline, deps);
  // The other half of the time is for the answer.
  const patience = deadline === undefined ? Infinity : Math.max(0, deadline - (deps.monotonic() - arrival)) / 2;
  const wait = waiting.until(() => atMost(known, patience), jsonWeight(text));
  if (wait === undefined) {
    deps.metrics.waitSkipped(webhook);
    return reply(webhook, decoded.request, arrival, deadline, deps);
  }
  return wait.then(() => reply(webhook, decoded.request, arrival, deadline, deps));
}

function reply(
  webhook: Webhook,
  request: AdmissionRequest,
  arrival: number,
  deadline: number | undefined,
  deps: WebhookApp,
): AdmissionReviewReply {
  if (deadline !== undefined && deps.monotonic() - arrival > deadline) {
    deps.metrics.deadlineExceeded(webhook);
    throw httpError(408, 'the request took longer than the API server waits for');
  }
  const policies = deps.policies();
  // An error, so that failurePolicy decides: "no policy yet" is never "no policy".
  if (policies === undefined) throw httpError(500, 'the policies are not loaded yet');
  const decision = decide(webhook, request, policies, deps);
  deps.metrics.decided(webhook, request, decision);
  deps.log.decided(webhook, request, decision, deps.monotonic() - arrival);
  return decision.reply;
}

/** Resolves with the promise, or when the time is over. */
async function atMost(promise: Promise<void>, milliseconds: number): Promise<void> {
  if (milliseconds === Infinity) return promise;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}

/** No API server sends an object that is nested deeper than our stack; a caller that does has sent a bad request. */
function decide(webhook: Webhook, request: AdmissionRequest, policies: PolicySet, deps: WebhookApp): Decision {
  try {
    return webhook === 'mutate' ? mutate(request, policies, deps.mutation) : validate(request, policies, deps);
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw httpError(400, error.message);
    if (error instanceof RangeError) throw httpError(400, 'the object is nested too deeply to be looked at');
    throw error;
  }
}
