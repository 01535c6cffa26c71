import { allowed } from './response.ts';
import type { UntouchedReason } from '../workload/kinds.ts';
import type { Violation } from '../checks/violation.ts';
import type { Defaulting } from '../defaulting/default-probes.ts';
import type { AdmissionRequest } from './review.ts';
import type { AdmissionReviewReply } from './response.ts';

/** Why a request was let through without a look: design section 3, "always allowed untouched". */
export type SkipReason = 'operation' | 'subresource' | 'kind' | UntouchedReason | 'unchanged' | 'mutation-off';

/** What was decided about a request, and why: the reply, and what logs and metrics say of it. */
export interface Decision {
  readonly reply: AdmissionReviewReply;
  /** allow: looked at, nothing to do. skip: not looked at. */
  readonly result: 'allow' | 'mutate' | 'warn' | 'deny' | 'skip';
  readonly skipped?: SkipReason;
  readonly defaulting?: Defaulting;
  readonly violations?: readonly Violation[];
  /** Sources of the policies that were in force, lowest layer first. */
  readonly policies?: readonly string[];
}

/** Whether patches are sent: Audit only says what would have been added. */
export const MUTATION_MODES = ['On', 'Audit', 'Off'] as const;
export type MutationMode = (typeof MUTATION_MODES)[number];

/** Decides on one request; the policies in force are the caller's to keep. */
export type Decide = (request: AdmissionRequest) => Decision;

/** Lets a request through without a look, and says why. */
export function skip(request: AdmissionRequest, skipped: SkipReason): Decision {
  return { reply: allowed(request.uid), result: 'skip', skipped };
}
