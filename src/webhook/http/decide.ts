import { mutate } from '../review/mutate.ts';
import { ObjectTooLarge } from '../review/object-size.ts';
import { reviewPolicy } from '../review/review-policy.ts';
import { validate } from '../review/validate.ts';
import { httpError } from './http-error.ts';
import type { Decision } from '../review/decision.ts';
import type { AdmissionRequest } from '../review/review.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Steps } from '../../base/steps.ts';
import type { Webhook } from './metrics.ts';
import type { ReviewDependencies } from './review-dependencies.ts';

/**
 * Makes the decision of a webhook. No API server sends an object that is nested deeper than this stack allows. A client
 * that does so has sent a bad request.
 *
 * @param now the instant of the request, in milliseconds since the epoch
 */
export function* decide(
  webhook: Webhook,
  request: AdmissionRequest,
  policies: Snapshot,
  settings: ReviewDependencies,
  now: number,
): Steps<Decision> {
  try {
    if (settings.decide !== undefined) return yield* settings.decide(webhook, request, policies);
    return decisionOf(webhook, request, policies, settings, now);
  } catch (error) {
    if (error instanceof ObjectTooLarge) throw httpError(400, error.message);
    if (error instanceof RangeError) throw httpError(400, 'the object is nested too deeply to be looked at');
    throw error;
  }
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
