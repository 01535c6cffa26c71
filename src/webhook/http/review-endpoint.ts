import { withoutManagedFields } from '../review/managed-fields.ts';
import { withEffect } from '../review/review-policy.ts';
import { TaskBatches } from './task-batches.ts';
import { deadlineMilliseconds } from './deadline.ts';
import { decide } from './decide.ts';
import { FairQueue } from './fair-queue.ts';
import { noteExceptions } from './exceptions-noted.ts';
import { httpError } from './http-error.ts';
import { replyText } from './reply-text.ts';
import { jsonWeight, MOST_BYTES_PER_CHARACTER } from './json-weight.ts';
import { asError, decoded, parsed, parsedInSteps, PARSED_LIMIT_BYTES, weightOf } from './review-body.ts';
import { atMost } from './time-limit.ts';
import { WaitingReviews } from './waiting-reviews.ts';
import type { Step, Task } from './task-batches.ts';
import type { Decision, Reviewed } from '../review/decision.ts';
import type { AdmissionRequest } from '../review/review.ts';
import type { MissedNamespace } from '../../engine/facts/missed-namespace.ts';
import type { Steps } from '../../base/steps.ts';
import type { Address } from '../../process/addresses.ts';
import type { ReceivedReview } from './received-review.ts';
import type { PolicyEffect, ReviewDependencies } from './review-dependencies.ts';
import type { ProcessorMeter } from './processor-meter.ts';

/** The meter and the charges by which clients share processor time. */
export interface ProcessorSharing {
  readonly meter: ProcessorMeter;
  /**
   * Called with the processor time, in milliseconds, that the server spent for an address in the turn of the request.
   */
  readonly charge: (address: Address, milliseconds: number) => void;
}

/** The endpoint that answers reviews. */
export interface ReviewEndpoint {
  /**
   * Answers a review once. A short review is answered at the end of this turn of the event loop. A long review is
   * answered in slices, in turn with other work.
   *
   * @param text undefined without a body
   */
  readonly review: (received: ReceivedReview, text: string | undefined) => void;
  /** Answers all arrived short reviews at once, except reviews that wait for their namespace. */
  readonly hurry: () => void;
}

/** The memory limit of all reviews that are decided in slices. One address cannot take all of this memory. */
const ALL_PARSED_LIMIT_BYTES = 72 * 1024 * 1024;
/**
 * The memory limit of all reviews that wait for their namespace: some hundred Pods. Above the limit, reviews are
 * decided without the namespace's labels.
 */
const WAITING_LIMIT_BYTES = 24 * 1024 * 1024;
/**
 * The limit on characters of reviews that are parsed together: 12 to 24 ordinary reviews. Such a batch takes a few
 * milliseconds, and at most 12 MiB of memory for any content.
 */
const BATCH_LIMIT = 128 * 1024;
/** A review of more characters is too long for a batch, and is answered in slices. */
const LONG = 16 * 1024;
/**
 * The time of one review, in milliseconds, before other reviews get their turn. The first limit is for each review of a
 * batch, which may have dozens of reviews. The second limit is for a long review.
 */
const BATCH_SLICE_MILLISECONDS = 1;
const SLICE_MILLISECONDS = 10;
/** The minimum size of a review, in characters: a review without a body also needs an answer. */
const LEAST_SIZE = 4 * 1024;

/**
 * Builds the review endpoint. Short reviews that arrive in one turn of the event loop are parsed together, then decided
 * together, and so on.
 */
export function reviewEndpoint(dependencies: ReviewDependencies, { meter, charge }: ProcessorSharing): ReviewEndpoint {
  const later = setImmediate;
  const batches = new TaskBatches({ most: BATCH_LIMIT, least: LEAST_SIZE, meter, later });
  const queue = new FairQueue({
    most: ALL_PARSED_LIMIT_BYTES,
    mostOfAddress: PARSED_LIMIT_BYTES,
    slice: SLICE_MILLISECONDS,
    meter,
    later,
  });
  const shared = { dependencies, charge, batches, queue, waiting: new WaitingReviews(WAITING_LIMIT_BYTES) };
  return {
    review: (received, text) => {
      new Review(received, shared).begin(text);
    },
    hurry: batches.hurry,
  };
}

/** The objects that all reviews share. */
interface Shared {
  readonly dependencies: ReviewDependencies;
  readonly charge: ProcessorSharing['charge'];
  readonly batches: TaskBatches;
  readonly queue: FairQueue;
  readonly waiting: WaitingReviews;
}

/**
 * A review on the way to its answer, step by step. Each step passes its result to the next step only, so that a waiting
 * review does not hold its text.
 */
class Review implements Task {
  size = 0;
  step: Step | undefined;
  isUrgent = false;
  readonly #received: ReceivedReview;
  /** Milliseconds after the arrival. */
  readonly #deadline: number | undefined;
  readonly #shared: Shared;

  constructor(received: ReceivedReview, shared: Shared) {
    this.#received = received;
    this.#deadline = deadlineMilliseconds(received.timeout);
    this.#shared = shared;
  }

  begin(text: string | undefined): void {
    const size = text?.length ?? 0;
    if (text !== undefined && size > LONG) this.#beginLong(text);
    else this.#beginShort(size, this.#received.isWaitedFor, () => this.#parse(text));
  }

  charge(milliseconds: number): void {
    this.#shared.charge(this.#received.address, milliseconds);
  }

  failed(error: unknown): void {
    this.#received.answer(asError(error));
  }

  #beginShort(size: number, isUrgent: boolean, step: Step): void {
    this.size = size;
    this.isUrgent = isUrgent;
    this.step = step;
    this.#shared.batches.add(this);
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

  /** @param weight the memory of the review in bytes: a number if the review already takes the memory */
  #enqueue(steps: Steps<void>, weight: number | (() => number)): void {
    const { address } = this.#received;
    const weigh = typeof weight === 'number' ? (): number => weight : weight;
    const isAbandoned = (): boolean => this.#received.isAbandoned();
    const failed = (error: unknown): void => {
      this.failed(error);
    };
    const job = { address, weigh, steps, isAbandoned, failed };
    if (typeof weight === 'number') this.#shared.queue.add(job, weight);
    else this.#shared.queue.add(job);
  }

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
    const body = received === undefined ? undefined : parsed(received);
    return () => this.#decode(body, received ?? '');
  }

  #decode(body: unknown, text: string): Step | undefined {
    const request = decoded(body, text.length);
    const known = this.#namespaceKnown(request);
    if (known === undefined) return () => this.#decide(request);
    if (known !== 'no-room' && this.#waits(known, request, text)) return undefined;
    return () => this.#decide(request, 'no-room');
  }

  #namespaceKnown({ namespace }: AdmissionRequest): ReturnType<NonNullable<ReviewDependencies['namespaceKnown']>> {
    return namespace === '' || this.#received.webhook === 'review-policies'
      ? undefined
      : this.#shared.dependencies.namespaceKnown?.(namespace, this.#received.address.name);
  }

  /** Returns false if there is no room to wait. */
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
    const failed = (error: unknown): void => {
      this.failed(error);
    };
    over.then((missed) => {
      if (size > LONG) this.#enqueue(this.#decideInSteps(request, missed), weight);
      else this.#beginShort(size, false, () => this.#decide(request, missed));
    }, failed);
  }

  #checkDeadline(): void {
    if (this.#deadline === undefined || this.#age() <= this.#deadline) return;
    this.#shared.dependencies.metrics.deadlineExceeded(this.#received.webhook);
    throw httpError(408, 'the request took longer than the API server waits for');
  }

  /** @param missed the reason why the labels of the request's namespace are missing, if they are missing */
  #decisionOf(request: AdmissionRequest, missed: MissedNamespace | undefined): Steps<Decision> {
    this.#checkDeadline();
    const { dependencies } = this.#shared;
    const { webhook } = this.#received;
    const policies = dependencies.policies();
    // Until the policies have been read, requests fail with 500, so that failurePolicy decides.
    if (policies === undefined) throw httpError(500, 'the policies are not loaded yet');
    if (missed !== undefined) dependencies.metrics.waitSkipped(webhook, missed);
    return decide(webhook, request, policies, dependencies, dependencies.now());
  }

  /** Makes the decision. If the decision takes long, the queue continues the decision in slices. */
  #decide(request: AdmissionRequest, missed?: MissedNamespace): Step | undefined {
    const decision = this.#decisionOf(request, missed);
    const { dependencies, queue } = this.#shared;
    const begun = dependencies.monotonic();
    let step = decision.next();
    while (step.done !== true) {
      const weight = request.textLength * MOST_BYTES_PER_CHARACTER;
      if (
        dependencies.monotonic() - begun > BATCH_SLICE_MILLISECONDS &&
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
    this.#send(request, step.value, this.#age())?.();
  }

  #send(request: AdmissionRequest, decision: Decision, milliseconds: number): Step | undefined {
    if (decision.reviewed !== undefined && this.#shared.dependencies.policyEffect !== undefined) {
      this.#sendWithEffect(request, decision, decision.reviewed, this.#shared.dependencies.policyEffect);
      return undefined;
    }
    this.#received.answer(replyText(decision.reply));
    return () => this.#record(request, decision, milliseconds);
  }

  /** Other reviews are answered in the meantime, so the review must not hold its objects. */
  #sendWithEffect(request: AdmissionRequest, decision: Decision, reviewed: Reviewed, policyEffect: PolicyEffect): void {
    const received = this.#received;
    received.setAside();
    const left = this.#deadline === undefined ? Infinity : this.#deadline - this.#age();
    const limits = { milliseconds: left / 2, isDryRun: request.dryRun, isAbandoned: () => received.isAbandoned() };
    const send = this.#senderOf({ ...request, object: undefined, oldObject: undefined }, decision);
    policyEffect(reviewed, limits).then(send, (error: unknown) => {
      this.#shared.dependencies.log.failed(`/${received.webhook}`, asError(error));
      send([]);
    });
  }

  #senderOf(request: AdmissionRequest, decision: Decision): (effect: readonly string[]) => void {
    return (effect) => {
      const whole = withEffect(request, decision, effect);
      this.#received.answer(replyText(whole.reply));
      this.#record(request, whole, this.#age());
    };
  }

  /** The review is already answered, so an error in logs or metrics must not reach the client. */
  #record(request: AdmissionRequest, decision: Decision, milliseconds: number): undefined {
    const { metrics, log } = this.#shared.dependencies;
    try {
      metrics.decided(this.#received.webhook, request, decision);
      log.decided(this.#received.webhook, request, decision, milliseconds);
      noteExceptions(request, decision, this.#shared.dependencies.exceptionMatched);
    } catch (error) {
      log.failed(`/${this.#received.webhook}`, asError(error));
    }
  }

  #age(): number {
    return this.#shared.dependencies.monotonic() - this.#received.arrival;
  }
}
