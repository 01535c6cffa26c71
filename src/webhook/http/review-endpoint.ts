import { setTimeout as sleep } from 'node:timers/promises';
import { parseBody } from '../review/body.ts';
import { decodeReview } from '../review/review.ts';
import { withEffect, type AdmissionRequest, type Decision, type Reviewed, type Webhook } from '../review/decision.ts';
import { HUNG_UP, IncomingBody } from './incoming-body.ts';
import { BEGINNING_BYTES, ReviewReceiver, SMALL_BYTES, type ReceivedText } from './receive-review.ts';
import { httpError } from './status.ts';
import { timedTurns, type Waiting } from './turns.ts';
import type { Readable } from 'node:stream';
import { withContact, type AdmissionReviewReply } from '../review/response.ts';
import type { MissedNamespace } from '../../cluster/sources/namespace-waiters.ts';

export interface EffectLimits {
  readonly milliseconds: number;
  readonly isDryRun: boolean;
  readonly isAbandoned: () => boolean;
}

/** Resolves with warnings about the effect of a policy on live workloads. */
export type PolicyEffect = (reviewed: Reviewed, limits: EffectLimits) => Promise<readonly string[]>;

/** What is counted of reviews. */
export interface ReviewCounts {
  decided(webhook: Webhook, request: AdmissionRequest, decision: Decision): void;
  /** Reviews that waited for too long. */
  readonly notJudged: Counter<{ readonly webhook: Webhook }>;
  /** Reviews that were decided without the labels of their namespace. */
  readonly waitSkipped: Counter<{ readonly webhook: Webhook; readonly reason: MissedNamespace }>;
}

interface Counter<Labels> {
  inc(labels: Labels): void;
}

/** What is logged of reviews. Objects are never logged: they hold secrets. */
export interface ReviewLog {
  decided(webhook: Webhook, request: AdmissionRequest, decision: Decision, milliseconds: number): void;
  failed(path: string, error: unknown): void;
}

export interface ReviewDependencies {
  /** The decision about a request. Undefined until the policies have been read. */
  readonly decide: (webhook: Webhook, request: AdmissionRequest) => Decision | undefined;
  /** The last line of each denial, of workloads and of policies: whom to ask. */
  readonly denialContact?: string | undefined;
  /** Undefined if the namespace is known. Otherwise the promise gives the reason why it is not known in time. */
  readonly namespaceKnown?: (
    namespace: string,
    client: string,
  ) => Promise<MissedNamespace | undefined> | MissedNamespace | undefined;
  /** Called for each exception that allows violations of a request, once for a request. Not called for dry runs. */
  readonly exceptionMatched?: (namespace: string, name: string) => void;
  readonly policyEffect?: PolicyEffect | undefined;
  readonly metrics: ReviewCounts;
  readonly log: ReviewLog;
  readonly monotonic: () => number;
}

export interface ReceivedReview {
  readonly webhook: Webhook;
  readonly body: Readable;
  /** The length of the body in bytes, by its Content-Length. */
  readonly announced: number | undefined;
  readonly timeout: unknown;
  /** The arrival time of the first byte, by the monotonic clock. */
  readonly arrival: number;
  readonly address: string;
  readonly isAbandoned: () => boolean;
}

export const LATE =
  'too many objects are under review at a time, so this one is not looked at; try again, with fewer at a time';

/** @throws HTTP 400 for a text that is no review, HTTP 413 for more bytes than 64 MiB, HTTP 500 without policies */
export function reviewEndpoint(
  dependencies: ReviewDependencies,
): (received: ReceivedReview) => Promise<AdmissionReviewReply> {
  const { monotonic } = dependencies;
  const receiver = new ReviewReceiver(monotonic);
  const turn = timedTurns(monotonic);
  return async (received) => {
    const { body, announced, address, arrival } = received;
    const deadline = arrival + deadlineMilliseconds(received.timeout);
    // The share of the whole time by which a wait ends, so that there is time for the answer.
    const waiting = (beginning: string, share: number): Waiting => ({
      address,
      namespace: namespaceIn(beginning),
      milliseconds: arrival + (deadline - arrival) * share - monotonic(),
    });
    const text = await receiver.receive(new IncomingBody(body), announced, (beginning) => waiting(beginning, 0.5));
    try {
      // Large reviews share one turn, so that a small one waits for two of them at most: one that has begun, and one.
      const isLarge = text.text.length > SMALL_BYTES;
      const who = (): Waiting => ({ ...waiting(text.text, 0.75), ...(isLarge && { namespace: LARGE, isLong: true }) });
      const decide = async (isInTime: boolean): Promise<AdmissionReviewReply> => {
        if (received.isAbandoned()) throw httpError(400, HUNG_UP);
        return answer({ ...received, ...text, ...(!isInTime && { refused: LATE }), deadline }, dependencies);
      };
      return await (text.refused === undefined ? turn(who, decide) : decide(true));
    } finally {
      text.release();
    }
  };
}

/** No name of a namespace. */
const LARGE = ' large';

/**
 * The namespace of a review: an API server writes it before the object. Only a queue goes by it. In a name that holds
 * such a text, the quotes are escaped.
 */
function namespaceIn(beginning: string): string {
  return /"namespace":"([^"]{1,253})"/.exec(beginning.slice(0, BEGINNING_BYTES))?.[1] ?? '';
}

async function answer(
  received: ReceivedReview & ReceivedText & { readonly deadline: number },
  dependencies: ReviewDependencies,
): Promise<AdmissionReviewReply> {
  const { webhook, text, unread, address, deadline, isAbandoned } = received;
  const { metrics, log, monotonic, namespaceKnown, policyEffect, denialContact } = dependencies;
  // The other half of the time is for the answer.
  const halfTheTime = (): number => (deadline - monotonic()) / 2;
  const read = (): AdmissionRequest => {
    const refused = received.refused ?? (monotonic() > deadline ? LATE : undefined);
    const body = parseBody(refused === undefined ? text : text.slice(0, SMALL_BYTES), refused ?? unread);
    if (body.problem !== undefined) throw httpError(400, body.problem);
    const decoding = decodeReview(body.value, body.unread);
    if (decoding.problem !== undefined)
      throw httpError(400, `not an admission.k8s.io/v1 AdmissionReview: ${decoding.problem}`);
    if (refused === undefined) return decoding.request;
    metrics.notJudged.inc({ webhook });
    return { ...decoding.request, unread: refused };
  };
  let request: AdmissionRequest | undefined = read();
  const { namespace } = request;
  const mayWait = request.unread === undefined && namespace !== '' && webhook !== 'review-policies';
  let missed = mayWait ? namespaceKnown?.(namespace, address) : undefined;
  if (missed instanceof Promise) {
    // A review that waits is parsed again afterwards: a parsed object may take a hundred times as much memory.
    request = undefined;
    missed = await atMost(missed, halfTheTime());
    request = read();
  }
  let decision = dependencies.decide(webhook, request);
  // Until the policies have been read, requests fail with 500, so that failurePolicy decides.
  if (decision === undefined) throw httpError(500, 'the policies are not loaded yet');
  if (missed !== undefined) metrics.waitSkipped.inc({ webhook, reason: missed });
  let milliseconds = monotonic() - received.arrival;
  if (decision.reviewed !== undefined && policyEffect !== undefined) {
    const limits = { milliseconds: halfTheTime(), isDryRun: request.dryRun, isAbandoned };
    const effect = await policyEffect(decision.reviewed, limits).catch((error: unknown) => {
      log.failed(`/${webhook}`, error);
      return [];
    });
    decision = withEffect(request, decision, effect);
    milliseconds = monotonic() - received.arrival;
  }
  record(webhook, request, decision, milliseconds, dependencies);
  return denialContact === undefined ? decision.reply : withContact(decision.reply, denialContact);
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
  const limit = sleep(Math.min(Math.max(milliseconds, 0), MOST_MILLISECONDS), 'timeout' as const, {
    signal: over.signal,
  });
  return Promise.race([promise, limit]).finally(() => {
    limit.catch(() => undefined);
    over.abort();
  });
}
