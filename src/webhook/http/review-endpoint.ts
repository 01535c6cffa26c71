import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { mutate } from '../review/mutate.ts';
import { decodeReview } from '../review/review.ts';
import { ObjectTooLarge, reviewPolicy, withEffect } from '../review/review-policy.ts';
import { validate, type ValidateSettings } from '../review/validate.ts';
import { parseBody, SHORT_BYTES } from './body-limit.ts';
import { httpError } from './status.ts';
import type { AdmissionRequest, Decision, Reviewed } from '../review/decision.ts';
import { withContact, type AdmissionReviewReply } from '../review/response.ts';
import type { MissedNamespace } from '../../engine/facts/facts.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { RequestLog } from '../request-log.ts';
import type { Metrics, Webhook } from './metrics.ts';

export interface EffectLimits {
  readonly milliseconds: number;
  readonly isDryRun: boolean;
  readonly isAbandoned: () => boolean;
}

/** Resolves with warnings about the effect of a policy on live workloads. */
export type PolicyEffect = (reviewed: Reviewed, limits: EffectLimits) => Promise<readonly string[]>;

export interface ReviewDependencies extends ValidateSettings {
  /** The last line of each denial, of workloads and of policies: whom to ask. */
  readonly denialContact?: string | undefined;
  /** The policies in force. Undefined until the policies have been read. */
  readonly policies: () => Snapshot | undefined;
  /** Undefined if the namespace is known. Otherwise the promise gives the reason why it is not known in time. */
  readonly namespaceKnown?: (
    namespace: string,
    client: string,
  ) => Promise<MissedNamespace | undefined> | MissedNamespace | undefined;
  /** Called for each exception that allows violations of a request, once for a request. Not called for dry runs. */
  readonly exceptionMatched?: (namespace: string, name: string) => void;
  readonly policyEffect?: PolicyEffect | undefined;
  readonly metrics: Metrics;
  readonly log: RequestLog;
  readonly now: () => number;
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
    return answer(received, dependencies);
  };
}

async function answer(received: ReceivedReview, dependencies: ReviewDependencies): Promise<AdmissionReviewReply> {
  const { webhook, text, address, isAbandoned } = received;
  const { metrics, log, monotonic, namespaceKnown, policyEffect, denialContact } = dependencies;
  const deadline = deadlineMilliseconds(received.timeout);
  const age = (): number => monotonic() - received.arrival;
  // The other half of the time is for the answer.
  const halfTheTime = (): number => (deadline - age()) / 2;
  const checkDeadline = (): void => {
    if (age() <= deadline) return;
    metrics.deadline.inc({ webhook });
    throw httpError(408, 'the request took longer than the API server waits for');
  };
  const read = (): AdmissionRequest => {
    checkDeadline();
    const { value, tooLarge } = parseBody(text);
    const decoding = decodeReview(value, text.length, tooLarge);
    if (tooLarge !== undefined && (decoding.problem !== undefined || webhook === 'review-policies'))
      throw httpError(413, tooLarge);
    if (decoding.problem !== undefined)
      throw httpError(400, `not an admission.k8s.io/v1 AdmissionReview: ${decoding.problem}`);
    return decoding.request;
  };
  let request: AdmissionRequest | undefined = read();
  const { namespace } = request;
  const mayWait = namespace !== '' && webhook !== 'review-policies';
  let missed = mayWait ? namespaceKnown?.(namespace, address) : undefined;
  if (missed instanceof Promise) {
    // A review that waits is parsed again afterwards: a parsed object may take a hundred times as much memory.
    request = undefined;
    missed = await atMost(missed, halfTheTime());
    request = read();
  }
  checkDeadline();
  const snapshot = dependencies.policies();
  // Until the policies have been read, requests fail with 500, so that failurePolicy decides.
  if (snapshot === undefined) throw httpError(500, 'the policies are not loaded yet');
  if (missed !== undefined) metrics.waitSkipped.inc({ webhook, reason: missed });
  let decision = decide(webhook, request, snapshot, dependencies);
  let milliseconds = age();
  if (decision.reviewed !== undefined && policyEffect !== undefined) {
    const limits = { milliseconds: halfTheTime(), isDryRun: request.dryRun, isAbandoned };
    const effect = await policyEffect(decision.reviewed, limits).catch((error: unknown) => {
      log.failed(`/${webhook}`, error);
      return [];
    });
    decision = withEffect(request, decision, effect);
    milliseconds = age();
  }
  record(webhook, request, decision, milliseconds, dependencies);
  return denialContact === undefined ? decision.reply : withContact(decision.reply, denialContact);
}

function decide(
  webhook: Webhook,
  request: AdmissionRequest,
  policies: Snapshot,
  settings: ReviewDependencies,
): Decision {
  const now = settings.now();
  try {
    if (webhook === 'validate') return validate(request, policies, settings, now);
    if (webhook === 'mutate') return mutate(request, policies, settings.mutation, now, settings.controllers);
    return reviewPolicy(request, policies, now);
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw httpError(400, error.message);
    throw error;
  }
}

/** The decision is made, so an error in logs or metrics must not reach the client. */
function record(
  webhook: Webhook,
  request: AdmissionRequest,
  decision: Decision,
  milliseconds: number,
  { metrics, log, exceptionMatched }: ReviewDependencies,
): void {
  try {
    metrics.decided(webhook, request, decision);
    log.decided(webhook, request, decision, milliseconds);
    const matched = request.dryRun ? [] : decision.violations?.map(({ exception }) => exception?.name);
    for (const name of new Set(matched)) if (name !== undefined) exceptionMatched?.(request.namespace, name);
  } catch (error) {
    log.failed(`/${webhook}`, error);
  }
}

/** Of the API server's timeout. It ignores a late answer; the rest is for the way back. */
const SHARE_OF_TIMEOUT = 0.8;
/** The longest timeout of a webhook. */
const MOST_MILLISECONDS = 30_000;

/** The limit in milliseconds, from the API server's `?timeout=5s` (a Go duration). Infinity without a valid one. */
function deadlineMilliseconds(timeout: unknown): number {
  const parts =
    typeof timeout === 'string' && /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/.exec(timeout);
  const [hours = 0, minutes = 0, seconds = 0, rest = 0] = (parts || []).slice(1).map((part) => Number(part || 0));
  const total = ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest;
  return total > 0 ? total * SHARE_OF_TIMEOUT : Infinity;
}

/** Resolves with the result of the promise, or with `timeout` after the time is over. */
async function atMost<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'timeout'> {
  const over = new AbortController();
  const limit = sleep(Math.min(milliseconds, MOST_MILLISECONDS), 'timeout' as const, { signal: over.signal });
  return Promise.race([promise, limit]).finally(() => {
    limit.catch(() => undefined);
    over.abort();
  });
}
