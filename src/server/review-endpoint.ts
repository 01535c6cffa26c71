import { ObjectTooLarge } from '../admission/object-size.ts';
import { decodeReview } from '../admission/review.ts';
import { mutateInSteps } from '../admission/mutate.ts';
import { withoutManagedFields } from '../admission/managed-fields.ts';
import { validateInSteps } from '../admission/validate.ts';
import { Cohorts } from './cohorts.ts';
import { deadlineMilliseconds } from './deadline.ts';
import { FairQueue } from './fair-queue.ts';
import { httpError } from './http-error.ts';
import { jsonInSteps } from './json-steps.ts';
import { jsonWeight, MOST_BYTES_PER_CHARACTER } from './json-weight.ts';
import { WaitingReviews } from './waiting-reviews.ts';
import type { Step } from './cohorts.ts';
import type { Decision, MutationMode } from '../admission/decision.ts';
import type { AdmissionRequest } from '../admission/review.ts';
import type { AdmissionReviewReply } from '../admission/response.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { TrustedControllers } from '../admission/trusted-controllers.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { Enforcement } from '../admission/validate.ts';
import type { MissedNamespace } from '../missed-namespace.ts';
import type { Steps } from '../steps.ts';
import type { Address } from './addresses.ts';
import type { Metrics, Webhook } from './metrics.ts';
import type { ProcessorMeter } from './processor-meter.ts';

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
   * namespace is known, else with why it is not; or `no-room` when too many are waited for. Clients, named by remote address, share that room.
   */
  readonly namespaceKnown?: (
    namespace: string,
    client: string,
  ) => Promise<MissedNamespace | undefined> | 'no-room' | undefined;
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
  /** Makes a decision; those of src/admission, when it is left out. */
  readonly decide?: (webhook: Webhook, request: AdmissionRequest, policies: PolicySet) => Steps<Decision>;
}

/** What the processor time is shared by. */
export interface ProcessorSharing {
  readonly meter: ProcessorMeter;
  /** Told of processor time, in milliseconds, that was spent for an address in the turn in which it asked. */
  readonly charge: (address: Address, milliseconds: number) => void;
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
  readonly address: Address;
  /** Whether the caller is gone. */
  readonly isAbandoned: () => boolean;
  /** Told when the review starts to wait for news: others of its address may be read meanwhile. */
  readonly setAside: () => void;
}

/** Takes the reply, or an error: one without a `statusCode` is ours. */
export type Answer = (outcome: AdmissionReviewReply | Error) => void;

/** What answers reviews. */
export interface ReviewEndpoint {
  /** Answers a review once: at the end of this turn of the event loop when it is short, otherwise in slices, when others have had their turns. */
  readonly review: (received: ReceivedReview, answer: Answer) => void;
  /** Answers at once what there is to answer, but what waits for news of its namespace. */
  readonly hurry: () => void;
}

/**
 * What one body may take of memory when it is parsed. The heap of the chart has room for it beside all other limits. Lists of environment
 * variables, the densest thing that Pods have, are read up to 3 to 5 MiB; what is refused for less is made of tiny members.
 */
const PARSED_LIMIT_BYTES = 48 * 1024 * 1024;
/** What all reviews may take that are decided in slices: one address cannot take all of it. */
const ALL_PARSED_LIMIT_BYTES = 72 * 1024 * 1024;
/** What all may take that wait for news of their namespace: some hundred Pods. What is beyond is decided by what is known. */
const WAITING_LIMIT_BYTES = 24 * 1024 * 1024;
/**
 * What reviews that are parsed together may have of characters: a dozen or two ordinary ones, which are done in some milliseconds, and no more
 * than 12 MiB of memory whatever is in them.
 */
const COHORT_LIMIT = 128 * 1024;
/** A longer review, in characters, is no matter of a cohort: it is answered in slices. */
const LONG = 16 * 1024;
/** How long a review goes on, in milliseconds, before others have their turn: one of a cohort, which may be dozens, and one that is long. */
const COHORT_SLICE_MILLISECONDS = 1;
const SLICE_MILLISECONDS = 10;
/** What a review counts for at least, in characters: one without a body has to be answered, too. */
const LEAST_SIZE = 4 * 1024;

const TOO_HEAVY = `the body is made of so many small members that it may take more than ${PARSED_LIMIT_BYTES / 1024 / 1024} MiB of memory`;

/** Builds what answers reviews: short ones that arrive in one turn of the event loop are parsed together, decided together, and so on. */
export function reviewEndpoint(surroundings: ReviewSurroundings, { meter, charge }: ProcessorSharing): ReviewEndpoint {
  const later = setImmediate;
  const cohorts = new Cohorts({ most: COHORT_LIMIT, least: LEAST_SIZE, meter, later });
  const queue = new FairQueue({
    most: ALL_PARSED_LIMIT_BYTES,
    mostOfAddress: PARSED_LIMIT_BYTES,
    slice: SLICE_MILLISECONDS,
    meter,
    later,
  });
  const shared = { surroundings, charge, cohorts, queue, waiting: new WaitingReviews(WAITING_LIMIT_BYTES) };
  return {
    review: ({ text, ...received }, answer) => {
      new Review(received, answer, shared).begin(text);
    },
    hurry: cohorts.hurry,
  };
}

/** What all reviews share. */
interface Shared {
  readonly surroundings: ReviewSurroundings;
  readonly charge: ProcessorSharing['charge'];
  readonly cohorts: Cohorts;
  readonly queue: FairQueue;
  readonly waiting: WaitingReviews;
}

/** A review on its way to its answer, step by step. What a step has made is with the next one only: a review that waits must not hold its text. */
class Review {
  readonly #received: Omit<ReceivedReview, 'text'>;
  /** Milliseconds after its arrival. */
  readonly #deadline: number | undefined;
  readonly #answer: Answer;
  readonly #shared: Shared;

  constructor(received: Omit<ReceivedReview, 'text'>, answer: Answer, shared: Shared) {
    this.#received = received;
    this.#deadline = deadlineMilliseconds(received.timeout);
    this.#answer = answer;
    this.#shared = shared;
  }

  begin(text: string | undefined): void {
    const size = text?.length ?? 0;
    if (text !== undefined && size > LONG) this.#beginLong(text);
    else this.#beginShort(size, this.#received.isWaitedFor, () => this.#parse(text));
  }

  #beginShort(size: number, isUrgent: boolean, first: Step): void {
    const { cohorts, charge } = this.#shared;
    const { address } = this.#received;
    cohorts.add({
      size,
      isUrgent,
      first,
      charge: (milliseconds) => {
        charge(address, milliseconds);
      },
      failed: this.#fail,
    });
  }

  #beginLong(received: string): void {
    let text = received;
    this.#enqueue(
      this.#inSteps(() => {
        const taken = text;
        text = '';
        return taken;
      }),
      () => {
        text = withoutManagedFields(text);
        return weightOf(text);
      },
    );
  }

  /** @param weight what the review takes of memory: a number when it takes that already */
  #enqueue(steps: Steps<void>, weight: number | (() => number)): void {
    const { address, isAbandoned } = this.#received;
    const weigh = typeof weight === 'number' ? (): number => weight : weight;
    const job = { address, weigh, steps, isAbandoned, failed: this.#fail };
    if (typeof weight === 'number') this.#shared.queue.add(job, weight);
    else this.#shared.queue.add(job);
  }

  readonly #fail = (error: unknown): void => {
    this.#answer(asError(error));
  };

  *#inSteps(take: () => string): Steps<void> {
    this.#checkDeadline();
    let text = take();
    const { length } = text;
    const body = yield* parsedInSteps(text);
    const request = decoded(body, length);
    const known = this.#namespaceKnown(request);
    if (known !== undefined && known !== 'no-room' && this.#waits(known, request, text)) return;
    text = '';
    yield* this.#decideInSteps(request, known && 'no-room');
  }

  #parse(received: string | undefined): Step {
    const text = withoutManagedFields(received ?? '');
    const body = received === undefined ? undefined : parsed(text);
    return () => this.#decode(body, text);
  }

  #decode(body: unknown, text: string): Step | undefined {
    const request = decoded(body, text.length);
    const known = this.#namespaceKnown(request);
    if (known === undefined) return () => this.#decide(request);
    if (known !== 'no-room' && this.#waits(known, request, text)) return undefined;
    return () => this.#decide(request, 'no-room');
  }

  #namespaceKnown({ namespace }: AdmissionRequest): ReturnType<NonNullable<ReviewSurroundings['namespaceKnown']>> {
    return namespace === ''
      ? undefined
      : this.#shared.surroundings.namespaceKnown?.(namespace, this.#received.address.name);
  }

  /** False when there is no room to wait. */
  #waits(known: Promise<MissedNamespace | undefined>, request: AdmissionRequest, text: string): boolean {
    const deadline = this.#deadline;
    // The other half of the time is for the answer.
    const patience = deadline === undefined ? Infinity : Math.max(0, deadline - this.#age()) / 2;
    const weight = jsonWeight(text);
    const over = this.#shared.waiting.until(this.#received.address, () => atMost(known, patience), weight);
    if (over === undefined) return false;
    this.#received.setAside();
    this.#goOnAfter(over, request, text.length, weight);
    return true;
  }

  #goOnAfter(
    over: Promise<MissedNamespace | undefined>,
    request: AdmissionRequest,
    size: number,
    weight: number,
  ): void {
    over.then((missed) => {
      if (size > LONG) this.#enqueue(this.#decideInSteps(request, missed), weight);
      else this.#beginShort(size, false, () => this.#decide(request, missed));
    }, this.#fail);
  }

  #checkDeadline(): void {
    if (this.#deadline === undefined || this.#age() <= this.#deadline) return;
    this.#shared.surroundings.metrics.deadlineExceeded(this.#received.webhook);
    throw httpError(408, 'the request took longer than the API server waits for');
  }

  /** @param missed why the labels of the request's namespace are missing, if they are */
  #decisionOf(request: AdmissionRequest, missed: MissedNamespace | undefined): Steps<Decision> {
    this.#checkDeadline();
    const { surroundings } = this.#shared;
    const { webhook } = this.#received;
    const policies = surroundings.policies();
    // An error, so that failurePolicy decides: "no policy yet" is never "no policy".
    if (policies === undefined) throw httpError(500, 'the policies are not loaded yet');
    if (missed !== undefined) surroundings.metrics.waitSkipped(webhook, missed);
    return decide(webhook, request, policies, surroundings);
  }

  /** Makes the decision, or the beginning of a long one, which is continued in slices. */
  #decide(request: AdmissionRequest, missed?: MissedNamespace): Step | undefined {
    const decision = this.#decisionOf(request, missed);
    const { surroundings, queue } = this.#shared;
    const begun = surroundings.monotonic();
    let step = decision.next();
    while (step.done !== true) {
      const weight = request.textLength * MOST_BYTES_PER_CHARACTER;
      if (
        surroundings.monotonic() - begun > COHORT_SLICE_MILLISECONDS &&
        queue.hasRoomFor(this.#received.address, weight)
      ) {
        this.#enqueue(this.#goOnDeciding(request, decision), weight);
        return undefined;
      }
      step = decision.next();
    }
    const { value } = step;
    const milliseconds = this.#age();
    return () => this.#send(request, value, milliseconds);
  }

  *#decideInSteps(request: AdmissionRequest, missed?: MissedNamespace): Steps<void> {
    yield* this.#goOnDeciding(request, this.#decisionOf(request, missed));
  }

  *#goOnDeciding(request: AdmissionRequest, decision: Steps<Decision>): Steps<void> {
    let step = decision.next();
    while (step.done !== true) {
      yield;
      this.#checkDeadline();
      step = decision.next();
    }
    yield;
    this.#send(request, step.value, this.#age())();
  }

  #send(request: AdmissionRequest, decision: Decision, milliseconds: number): Step {
    this.#answer(decision.reply);
    return () => this.#record(request, decision, milliseconds);
  }

  /** It is answered already: an error in here is nobody's but ours. */
  #record(request: AdmissionRequest, decision: Decision, milliseconds: number): undefined {
    const { metrics, log } = this.#shared.surroundings;
    try {
      metrics.decided(this.#received.webhook, request, decision);
      log.decided(this.#received.webhook, request, decision, milliseconds);
    } catch (error) {
      log.failed(`/${this.#received.webhook}`, asError(error));
    }
  }

  #age(): number {
    return this.#shared.surroundings.monotonic() - this.#received.arrival;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function decoded(body: unknown, textLength: number): AdmissionRequest {
  const decoding = decodeReview(body, textLength);
  if ('problem' in decoding) throw httpError(400, `not an admission.k8s.io/v1 AdmissionReview: ${decoding.problem}`);
  return decoding.request;
}

/** Plain JSON.parse keeps a `__proto__` or `constructor` key as a member like any other. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw notJson(error);
  }
}

function* parsedInSteps(text: string): Steps<unknown> {
  try {
    return yield* jsonInSteps(text);
  } catch (error) {
    if (error instanceof RangeError) throw httpError(400, `the body cannot be read: ${error.message}`);
    throw notJson(error);
  }
}

function notJson(error: unknown): Error {
  return httpError(400, `the body is not JSON: ${asError(error).message}`);
}

/** The most memory that a text takes when it is parsed, in bytes. Throws when that is too much. */
function weightOf(text: string): number {
  const weight = jsonWeight(text, PARSED_LIMIT_BYTES);
  if (weight > PARSED_LIMIT_BYTES) throw httpError(413, TOO_HEAVY);
  return weight;
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
function* decide(
  webhook: Webhook,
  request: AdmissionRequest,
  policies: PolicySet,
  settings: ReviewSurroundings,
): Steps<Decision> {
  try {
    if (settings.decide !== undefined) return yield* settings.decide(webhook, request, policies);
    return yield* webhook === 'mutate'
      ? mutateInSteps(request, policies, settings.mutation)
      : validateInSteps(request, policies, settings);
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw httpError(400, error.message);
    if (error instanceof RangeError) throw httpError(400, 'the object is nested too deeply to be looked at');
    throw error;
  }
}
