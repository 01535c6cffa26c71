import { ObjectTooLarge } from '../admission/object-size.ts';
import { decodeReview } from '../admission/review.ts';
import { mutate } from '../admission/mutate.ts';
import { withoutManagedFields } from '../admission/managed-fields.ts';
import { validate } from '../admission/validate.ts';
import { Cohorts } from './cohorts.ts';
import { deadlineMilliseconds } from './deadline.ts';
import { httpError } from './http-error.ts';
import { isHeavierThan, jsonWeight } from './json-weight.ts';
import { WaitingReviews } from './waiting-reviews.ts';
import type { Step } from './cohorts.ts';
import type { Decision, MutationMode } from '../admission/decision.ts';
import type { AdmissionRequest } from '../admission/review.ts';
import type { AdmissionReviewReply } from '../admission/response.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { TrustedControllers } from '../admission/trusted-controllers.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { Enforcement } from '../admission/validate.ts';
import type { Metrics, MissedNamespace, Webhook } from './metrics.ts';

/** What is logged of reviews. */
export interface ReviewLog {
  decided(webhook: Webhook, request: AdmissionRequest, decision: Decision, milliseconds: number): void;
  /** An error of ours. */
  failed(path: string, error: Error): void;
}

/** What reviews are decided by, and who is told. */
export interface ReviewSurroundings {
  /** The policies in force; undefined before they are known. */
  readonly policies: () => PolicySet | undefined;
  /**
   * Undefined when a namespace is known. A Pod may come right behind its new namespace: then a promise, which resolves with undefined when the
   * namespace is known, else with why it is not; or `no-room` when too many are waited for.
   */
  readonly namespaceKnown?: (namespace: string) => Promise<MissedNamespace | undefined> | 'no-room' | undefined;
  readonly mutation: MutationMode;
  readonly enforcement: Enforcement;
  /** The kinds that `/validate` looks into. */
  readonly kinds: readonly WorkloadKind[];
  /** Whose controller references are believed. */
  readonly controllers: TrustedControllers;
  readonly metrics: Metrics;
  readonly log: ReviewLog;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
}

/** A review that has been received. */
export interface ReceivedReview {
  readonly webhook: Webhook;
  /** Undefined when there was no body. */
  readonly text: string | undefined;
  /** The API server's `?timeout=`. */
  readonly timeout: unknown;
  /** When its first byte was there, by the monotonic clock. */
  readonly arrival: number;
  /** Other requests of its connection wait for its answer, and hold memory meanwhile. */
  readonly isWaitedFor: boolean;
}

/** Takes the reply, or an error: one without a `statusCode` is ours. */
export type Answer = (outcome: AdmissionReviewReply | Error) => void;

/** What answers reviews. */
export interface ReviewEndpoint {
  /** Answers a review once: at the end of this turn of the event loop, as a rule. */
  readonly review: (received: ReceivedReview, answer: Answer) => void;
  /** Answers at once what there is to answer, but what waits for news of its namespace. */
  readonly hurry: () => void;
}

/**
 * What one body may take of memory when it is parsed. The heap of the chart has room for it beside all other limits. Lists of environment
 * variables, the densest thing that Pods have, are read up to 3 to 5 MiB; what is refused for less is made of tiny members.
 */
const PARSED_LIMIT_BYTES = 48 * 1024 * 1024;
/** What all may take that wait for news of their namespace: some hundred Pods. What is beyond is decided by what is known. */
const WAITING_LIMIT_BYTES = 24 * 1024 * 1024;
/**
 * What reviews that are parsed together may have of characters: a dozen or two ordinary ones, which are done in some milliseconds, and no more
 * than 12 MiB of memory whatever is in them.
 */
const COHORT_LIMIT = 128 * 1024;
/** What a review counts for at least, in characters: one without a body has to be answered, too. */
const LEAST_SIZE = 4 * 1024;

const TOO_HEAVY = `the body is made of so many small members that it may take more than ${PARSED_LIMIT_BYTES / 1024 / 1024} MiB of memory`;

/** Builds what answers reviews: those that arrive in one turn of the event loop are parsed together, decided together, and so on. */
export function reviewEndpoint(surroundings: ReviewSurroundings): ReviewEndpoint {
  const cohorts = new Cohorts({ most: COHORT_LIMIT, least: LEAST_SIZE, later: setImmediate });
  const shared = { surroundings, cohorts, waiting: new WaitingReviews(WAITING_LIMIT_BYTES) };
  return {
    review: (received, answer) => {
      const { text, isWaitedFor } = received;
      const review = new Review(received, answer, shared);
      review.begin(text?.length ?? 0, isWaitedFor, () => review.parse(text));
    },
    hurry: cohorts.hurry,
  };
}

/** What all reviews share. */
interface Shared {
  readonly surroundings: ReviewSurroundings;
  readonly cohorts: Cohorts;
  readonly waiting: WaitingReviews;
}

/** A review on its way to its answer, step by step. What a step has made is with the next one only: a review that waits must not hold its text. */
class Review {
  readonly #webhook: Webhook;
  readonly #arrival: number;
  /** Milliseconds after its arrival. */
  readonly #deadline: number | undefined;
  readonly #answer: Answer;
  readonly #shared: Shared;

  constructor({ webhook, timeout, arrival }: ReceivedReview, answer: Answer, shared: Shared) {
    this.#webhook = webhook;
    this.#arrival = arrival;
    this.#deadline = deadlineMilliseconds(timeout);
    this.#answer = answer;
    this.#shared = shared;
  }

  begin(size: number, isUrgent: boolean, first: Step): void {
    this.#shared.cohorts.add({ size, isUrgent, first, failed: this.#fail });
  }

  readonly #fail = (error: unknown): void => {
    this.#answer(asError(error));
  };

  parse(received: string | undefined): Step {
    const text = withoutManagedFields(received ?? '');
    const body = received === undefined ? undefined : parsed(text);
    return () => this.#decode(body, text);
  }

  #decode(body: unknown, text: string): Step | undefined {
    const decoded = decodeReview(body, text.length);
    if ('problem' in decoded) throw httpError(400, `not an admission.k8s.io/v1 AdmissionReview: ${decoded.problem}`);
    const { request } = decoded;
    const { namespace } = request;
    const known = namespace === '' ? undefined : this.#shared.surroundings.namespaceKnown?.(namespace);
    if (known === undefined) return () => this.#decide(request);
    if (known !== 'no-room' && this.#waits(known, request, text)) return undefined;
    return () => this.#decide(request, 'no-room');
  }

  /** False when there is no room to wait. */
  #waits(known: Promise<MissedNamespace | undefined>, request: AdmissionRequest, text: string): boolean {
    const deadline = this.#deadline;
    // The other half of the time is for the answer.
    const patience = deadline === undefined ? Infinity : Math.max(0, deadline - this.#age()) / 2;
    const over = this.#shared.waiting.until(() => atMost(known, patience), jsonWeight(text));
    if (over === undefined) return false;
    this.#goOnAfter(over, request, text.length);
    return true;
  }

  #goOnAfter(over: Promise<MissedNamespace | undefined>, request: AdmissionRequest, size: number): void {
    over.then((missed) => {
      this.begin(size, false, () => this.#decide(request, missed));
    }, this.#fail);
  }

  /** @param missed why the labels of the request's namespace are missing, if they are */
  #decide(request: AdmissionRequest, missed?: MissedNamespace): Step {
    const { surroundings } = this.#shared;
    if (this.#deadline !== undefined && this.#age() > this.#deadline) {
      surroundings.metrics.deadlineExceeded(this.#webhook);
      throw httpError(408, 'the request took longer than the API server waits for');
    }
    const policies = surroundings.policies();
    // An error, so that failurePolicy decides: "no policy yet" is never "no policy".
    if (policies === undefined) throw httpError(500, 'the policies are not loaded yet');
    if (missed !== undefined) surroundings.metrics.waitSkipped(this.#webhook, missed);
    const decision = decide(this.#webhook, request, policies, surroundings);
    const milliseconds = this.#age();
    return () => this.#send(request, decision, milliseconds);
  }

  #send(request: AdmissionRequest, decision: Decision, milliseconds: number): Step {
    this.#answer(decision.reply);
    return () => this.#record(request, decision, milliseconds);
  }

  /** It is answered already: an error in here is nobody's but ours. */
  #record(request: AdmissionRequest, decision: Decision, milliseconds: number): undefined {
    const { metrics, log } = this.#shared.surroundings;
    try {
      metrics.decided(this.#webhook, request, decision);
      log.decided(this.#webhook, request, decision, milliseconds);
    } catch (error) {
      log.failed(`/${this.#webhook}`, asError(error));
    }
  }

  #age(): number {
    return this.#shared.surroundings.monotonic() - this.#arrival;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Plain JSON.parse keeps a `__proto__` or `constructor` key as a member like any other. */
function parsed(text: string): unknown {
  if (isHeavierThan(PARSED_LIMIT_BYTES, text)) throw httpError(413, TOO_HEAVY);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw httpError(400, `the body is not JSON: ${asError(error).message}`);
  }
}

/** What a timer can be set to; one that is set to more goes off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Resolves with the promise, or with `timeout` when the time is over. */
async function atMost<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'timeout'> {
  if (milliseconds > LONGEST_TIMER) return promise;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'timeout');
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** No API server sends an object that is nested deeper than our stack; a caller that does has sent a bad request. */
function decide(
  webhook: Webhook,
  request: AdmissionRequest,
  policies: PolicySet,
  settings: ReviewSurroundings,
): Decision {
  try {
    return webhook === 'mutate' ? mutate(request, policies, settings.mutation) : validate(request, policies, settings);
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw httpError(400, error.message);
    if (error instanceof RangeError) throw httpError(400, 'the object is nested too deeply to be looked at');
    throw error;
  }
}
