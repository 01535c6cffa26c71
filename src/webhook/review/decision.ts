import type { JsonObject } from '../../base/json/json-value.ts';
import { allowed, type AdmissionReviewReply } from './response.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Defaulting } from '../../engine/defaulting/default-probes.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { UntouchedReason } from '../../engine/workload/kinds.ts';

/** The fields of an AdmissionRequest (k8s.io/api/admission/v1) that Probewright reads. */
export interface AdmissionRequest {
  readonly uid: string;
  /** The kind of the object. The kind decides where the Pod template is. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Empty for the object itself. Otherwise `status`, `scale`, `ephemeralcontainers`, ... */
  readonly subResource: string;
  /** CREATE, UPDATE, DELETE, CONNECT, or an operation that a later API server adds. */
  readonly operation: string;
  /** Empty if the API server has not generated the name yet. */
  readonly name: string;
  /** Empty for cluster-scoped objects. The object's own metadata.namespace is not reliable before Kubernetes 1.24. */
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly userName: string;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  /** Why only the first members of the object were read. Its metadata are among them. */
  readonly unread?: string | undefined;
  /** The number of characters of the JSON text of the request, or more. */
  readonly textLength: number;
}

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
