import { mutate } from './mutate.ts';
import { reviewPolicy } from './review-policy.ts';
import { validate, type ValidateSettings } from './validate.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { AdmissionRequest, Decision, Webhook } from './decision.ts';

export interface DecideSettings extends ValidateSettings {
  /** The policies in force. Undefined until the policies have been read. */
  readonly policies: () => Snapshot | undefined;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
}

/** The decision of one webhook about a request, at this instant. Undefined until the policies have been read. */
export function decide(webhook: Webhook, request: AdmissionRequest, settings: DecideSettings): Decision | undefined {
  const { mutation, controllers } = settings;
  const policies = settings.policies();
  const now = settings.now();
  if (policies === undefined) return undefined;
  if (webhook === 'validate') return validate(request, policies, settings, now);
  if (webhook === 'mutate') return mutate(request, policies, mutation, now, controllers);
  return reviewPolicy(request, policies, now);
}
