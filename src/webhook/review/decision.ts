import type { JsonObject } from '../../base/json/json-value.ts';
import { allowed, type AdmissionReviewReply } from './response.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { NotInjected } from '../../engine/defaulting/not-injected.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { ProbeJson, ProbeKind } from '../../engine/probe/probe.ts';
import type { UntouchedReason } from '../../engine/workload/kinds.ts';

/** The paths that a webhook configuration calls. */
export const WEBHOOKS = ['mutate', 'validate', 'review-policies'] as const;
export type Webhook = (typeof WEBHOOKS)[number];

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
}

/** The reason why Probewright allows a request without checks. */
export type SkipReason = 'operation' | 'subresource' | 'kind' | UntouchedReason | 'unchanged' | 'mutation-off';

/** The decision about a request, with the reply and the reasons. Logs and metrics report the reasons. */
export interface Decision {
  readonly reply: AdmissionReviewReply;
  /** allow: the request was checked, and needs no change. skip: the request was not checked. */
  readonly result: 'allow' | 'mutate' | 'warn' | 'deny' | 'skip';
  readonly skipped?: SkipReason;
  readonly defaulting?: ReportedDefaulting;
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

/** What logs and metrics report of given probes. It names no Pod, so HTTP code needs no model of a Pod. */
export interface ReportedDefaulting {
  readonly injections: readonly {
    readonly container: { readonly name: string };
    readonly kind: ProbeKind;
    readonly probe: ProbeJson;
    readonly source: string;
  }[];
  readonly notInjected: readonly NotInjected[];
  readonly warnings: readonly string[];
}

/** What `/review-policies` decided on, as it will be; `applied` is undefined for a deletion. */
export type Reviewed = { readonly source: string } & (
  | { readonly kind: 'policy'; readonly namespace: string | undefined; readonly applied: ProbePolicy | undefined }
  | { readonly kind: 'exception'; readonly namespace: string; readonly applied: ProbeException | undefined }
);

/** Allows a request without checks, and records the reason. */
export function skip(request: AdmissionRequest, skipped: SkipReason): Omit<Decision, 'defaulting'> {
  return { reply: allowed(request.uid), result: 'skip', skipped };
}

/** Allows a policy or an exception, with these warnings. */
export function withWarnings({ uid }: AdmissionRequest, warnings: readonly string[]): Decision {
  return { reply: allowed(uid, { warnings }), result: warnings.length > 0 ? 'warn' : 'allow' };
}

/** The effect comes first, because a reply has room for few warnings. */
export function withEffect(request: AdmissionRequest, decision: Decision, effect: readonly string[]): Decision {
  return effect.length === 0
    ? decision
    : withWarnings(request, [...effect, ...(decision.reply.response.warnings ?? [])]);
}
