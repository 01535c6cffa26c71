import { setImmediate as nextTurn } from 'node:timers/promises';
import { mutate } from '../review/mutate.ts';
import { ObjectTooLarge } from '../review/object-size.ts';
import { decodeReview, type AdmissionRequest } from '../review/review.ts';
import { reviewPolicy, withEffect } from '../review/review-policy.ts';
import { validate } from '../review/validate.ts';
import { parseBody, SHORT_BYTES } from './body-limit.ts';
import { atMost, deadlineMilliseconds } from './deadline.ts';
import { asError, httpError } from './status.ts';
import type { Decision, Reviewed } from '../review/decision.ts';
import type { AdmissionReviewReply } from '../review/response.ts';
import type { TrustedControllers } from '../review/trusted-controllers.ts';
import type { MissedNamespace } from '../../engine/facts/facts.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Enforcement, MutationMode } from '../../engine/verdict/modes.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { Metrics, Webhook } from './metrics.ts';

export interface ReviewLog {
  decided(webhook: Webhook, request: AdmissionRequest, decision: Decision, milliseconds: number): void;
  failed(path: string, error: Error): void;
}

export interface EffectLimits {
  readonly milliseconds: number;
  readonly isDryRun: boolean;
  readonly isAbandoned: () => boolean;
}

/** Resolves with warnings about the effect of a policy on live workloads. */
export type PolicyEffect = (reviewed: Reviewed, limits: EffectLimits) => Promise<readonly string[]>;

export interface ReviewDependencies {
  /** The policies in force. Undefined until the policies have been read. */
  readonly policies: () => Snapshot | undefined;
  /**
   * Undefined if the namespace is known. A Pod may come right after its new namespace. The promise gives the reason
   * why the namespace is not known, if it is not. Clients share the room to wait by remote address.
   */
  readonly namespaceKnown?: (
    namespace: string,
    client: string,
  ) => Promise<MissedNamespace | undefined> | 'no-room' | undefined;
  /** Called for each exception that allows violations of a request, once for a request. Not called for dry runs. */
  readonly exceptionMatched?: (namespace: string, name: string) => void;
  readonly mutation: MutationMode;
  readonly enforcement: Enforcement;
  readonly kinds: readonly WorkloadKind[];
  readonly controllers: TrustedControllers;
  readonly policyEffect?: PolicyEffect | undefined;
  readonly metrics: Metrics;
  readonly log: ReviewLog;
  /** The wall clock, in milliseconds since the epoch. Read once for each decision. */
  readonly now: () => number;
  /** In milliseconds. */
  readonly monotonic: () => number;
}

export interface ReceivedReview {
  readonly webhook: Webhook;
  readonly text: string;
  readonly timeout: unknown;
  /** The arrival time of the first byte, by the monotonic clock. */
  readonly arrival: number;
  readonly address: string;
  readonly isAbandoned: () => boolean;
}

/** @throws HTTP 400 for a text that is no review, HTTP 408 after the deadline, HTTP 500 without policies */
export function reviewEndpoint(
  dependencies: ReviewDependencies,
): (received: ReceivedReview) => Promise<AdmissionReviewReply> {
  let lastLong: Promise<unknown> = Promise.resolve();
  return async (received) => {
    if (received.text.length > SHORT_BYTES) {
      // One long review in a turn of the event loop: short ones are answered in between.
      await (lastLong = lastLong.then(() => nextTurn()));
      if (received.isAbandoned()) throw httpError(408, 'the caller hung up before the review had its turn');
    }
    return new Review(received, dependencies).answer();
  };
}

class Review {
  readonly #received: ReceivedReview;
  readonly #dependencies: ReviewDependencies;
  /** Milliseconds after the arrival. */
  readonly #deadline: number;

  constructor(received: ReceivedReview, dependencies: ReviewDependencies) {
    this.#received = received;
    this.#dependencies = dependencies;
    this.#deadline = deadlineMilliseconds(received.timeout);
  }

  async answer(): Promise<AdmissionReviewReply> {
    let step = this.#decideOrWait();
    // The other half of the time is for the answer.
    if (step.kind === 'waits') step = this.#decide(this.#request(), await atMost(step.known, this.#timeLeft() / 2));
    const { request, decision, milliseconds } = step;
    if (decision.reviewed === undefined || this.#dependencies.policyEffect === undefined) {
      this.#record(request, decision, milliseconds);
      return decision.reply;
    }
    const whole = withEffect(request, decision, await this.#effect(request, decision.reviewed));
    this.#record(request, whole, this.#age());
    return whole.reply;
  }

  /** A review that waits is parsed again afterwards: a parsed object may take a hundred times as much memory. */
  #decideOrWait(): Decided | { readonly kind: 'waits'; readonly known: Promise<MissedNamespace | undefined> } {
    const request = this.#request();
    const { webhook, address } = this.#received;
    const { namespace } = request;
    const known =
      namespace === '' || webhook === 'review-policies'
        ? undefined
        : this.#dependencies.namespaceKnown?.(namespace, address);
    return known instanceof Promise ? { kind: 'waits', known } : this.#decide(request, known);
  }

  #request(): AdmissionRequest {
    this.#checkDeadline();
    const { text } = this.#received;
    const decoding = decodeReview(parseBody(text), text.length);
    if ('problem' in decoding) throw httpError(400, `not an admission.k8s.io/v1 AdmissionReview: ${decoding.problem}`);
    return decoding.request;
  }

  /**
   * No API server sends an object that is nested deeper than this stack allows.
   *
   * @param missed the reason why the labels of the request's namespace are missing, if they are missing
   */
  #decide(request: AdmissionRequest, missed: MissedNamespace | undefined): Decided {
    this.#checkDeadline();
    const { policies, metrics, now } = this.#dependencies;
    const snapshot = policies();
    // Until the policies have been read, requests fail with 500, so that failurePolicy decides.
    if (snapshot === undefined) throw httpError(500, 'the policies are not loaded yet');
    if (missed !== undefined) metrics.waitSkipped.inc({ webhook: this.#received.webhook, reason: missed });
    try {
      const decision = decisionOf(this.#received.webhook, request, snapshot, this.#dependencies, now());
      return { kind: 'decided', request, decision, milliseconds: this.#age() };
    } catch (error) {
      if (error instanceof ObjectTooLarge) throw httpError(400, error.message);
      if (error instanceof RangeError) throw httpError(400, 'the object is nested too deeply to be looked at');
      throw error;
    }
  }

  async #effect(request: AdmissionRequest, reviewed: Reviewed): Promise<readonly string[]> {
    const { webhook, isAbandoned } = this.#received;
    const limits = { milliseconds: this.#timeLeft() / 2, isDryRun: request.dryRun, isAbandoned };
    try {
      return (await this.#dependencies.policyEffect?.(reviewed, limits)) ?? [];
    } catch (error) {
      this.#dependencies.log.failed(`/${webhook}`, asError(error));
      return [];
    }
  }

  /** The decision is made, so an error in logs or metrics must not reach the client. */
  #record(request: AdmissionRequest, decision: Decision, milliseconds: number): void {
    const { metrics, log, exceptionMatched } = this.#dependencies;
    const { webhook } = this.#received;
    try {
      metrics.decided(webhook, request, decision);
      log.decided(webhook, request, decision, milliseconds);
      if (request.dryRun || exceptionMatched === undefined) return;
      for (const name of new Set(decision.violations?.map(({ exception }) => exception?.name)))
        if (name !== undefined) exceptionMatched(request.namespace, name);
    } catch (error) {
      log.failed(`/${webhook}`, asError(error));
    }
  }

  #checkDeadline(): void {
    if (this.#timeLeft() >= 0) return;
    this.#dependencies.metrics.deadline.inc({ webhook: this.#received.webhook });
    throw httpError(408, 'the request took longer than the API server waits for');
  }

  #timeLeft(): number {
    return this.#deadline - this.#age();
  }

  #age(): number {
    return this.#dependencies.monotonic() - this.#received.arrival;
  }
}

interface Decided {
  readonly kind: 'decided';
  readonly request: AdmissionRequest;
  readonly decision: Decision;
  /** From the first byte of the request to the decision. */
  readonly milliseconds: number;
}

function decisionOf(
  webhook: Webhook,
  request: AdmissionRequest,
  policies: Snapshot,
  settings: ReviewDependencies,
  now: number,
): Decision {
  switch (webhook) {
    case 'mutate':
      return mutate(request, policies, settings.mutation, now, settings.controllers);
    case 'validate':
      return validate(request, policies, settings, now);
    case 'review-policies':
      return reviewPolicy(request, policies, now);
  }
}
