import { allowed, type AdmissionReviewReply } from './response.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Defaulting } from '../../engine/defaulting/default-probes.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { UntouchedReason } from '../../engine/workload/kinds.ts';
import type { AdmissionRequest } from './review.ts';

/** The reason why Probewright allows a request without checks: design section 3, "always allowed untouched". */
export type SkipReason = 'operation' | 'subresource' | 'kind' | UntouchedReason | 'unchanged' | 'mutation-off';

/** The decision about a request, with the reply and the reasons. Logs and metrics report the reasons. */
export interface Decision {
  readonly reply: AdmissionReviewReply;
  /** allow: the request was checked, and needs no change. skip: the request was not checked. */
  readonly result: 'allow' | 'mutate' | 'warn' | 'deny' | 'skip';
  readonly skipped?: SkipReason;
  readonly defaulting?: Defaulting;
  readonly violations?: readonly Violation[];
  /**
   * The decision on the top rung of a rollout: with `enforcement: Deny`, and with `mutation: On` in place of `Audit`.
   * Absent on that rung. With `mutation: Off`, no rung adds probes.
   */
  readonly wouldBe?: Pick<Decision, 'result' | 'violations'>;
  /** Sources of the policies in force, lowest layer first. */
  readonly policies?: readonly string[];
  readonly reviewed?: Reviewed;
}

/** What `/review-policies` decided on, as it will be; `applied` is undefined for a deletion. */
export type Reviewed = { readonly source: string } & (
  | { readonly kind: 'policy'; readonly namespace: string | undefined; readonly applied: ProbePolicy | undefined }
  | { readonly kind: 'exception'; readonly namespace: string; readonly applied: ProbeException | undefined }
);

/** Allows a request without checks, and records the reason. */
export function skip(request: AdmissionRequest, skipped: SkipReason): Decision {
  return { reply: allowed(request.uid), result: 'skip', skipped };
}
