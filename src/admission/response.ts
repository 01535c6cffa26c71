import { cut } from '../text/cut.ts';
import { visible } from '../text/visible.ts';
import { REVIEW_API_VERSION, REVIEW_KIND } from './review.ts';
import { formatViolation } from '../checks/violation.ts';
import type { Violation } from '../checks/violation.ts';
import type { PatchOperation } from '../defaulting/patch.ts';

/** The reply as it goes over the wire: k8s.io/api/admission/v1 AdmissionReview with a response. */
export interface AdmissionReviewReply {
  readonly apiVersion: typeof REVIEW_API_VERSION;
  readonly kind: typeof REVIEW_KIND;
  readonly response: AdmissionResponse;
}

/** k8s.io/api/admission/v1 AdmissionResponse. `patch` is base64 of an RFC 6902 document and comes with patchType or not at all. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  /** Why a request is denied: a meta/v1 Status. The API server puts the webhook's name before the message. */
  readonly status?: DenialStatus;
  readonly patch?: string;
  readonly patchType?: 'JSONPatch';
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** The part of a meta/v1 Status that a denial fills in. */
export interface DenialStatus {
  readonly code: 403;
  readonly reason: 'Forbidden';
  readonly message: string;
  readonly details: { readonly causes: readonly DenialCause[] };
}

/** A meta/v1 StatusCause: one violation, for tools. */
export interface DenialCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** What a decision adds to a plain `allowed: true`. */
export interface Verdict {
  readonly patch?: readonly PatchOperation[];
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/**
 * The one place where replies are made: echoes the uid, encodes the patch, leaves out what is empty and keeps warnings and audit
 * annotations within what the API server accepts.
 */
export function allowed(uid: string, verdict: Verdict = {}): AdmissionReviewReply {
  const { patch = [], warnings = [], auditAnnotations = {} } = verdict;
  const response: { -readonly [K in keyof AdmissionResponse]: AdmissionResponse[K] } = { uid, allowed: true };
  if (patch.length > 0) {
    response.patch = Buffer.from(JSON.stringify(patch)).toString('base64');
    response.patchType = 'JSONPatch';
  }
  if (warnings.length > 0) response.warnings = boundedWarnings(warnings);
  if (Object.keys(auditAnnotations).length > 0) response.auditAnnotations = bounded(auditAnnotations);
  return { apiVersion: REVIEW_API_VERSION, kind: REVIEW_KIND, response };
}

/**
 * A denial: the message has one line for each violation, and the causes carry the same for tools. No warnings: they would be noise beside
 * a refusal.
 */
export function denied(
  uid: string,
  violations: readonly Violation[],
  auditAnnotations: Readonly<Record<string, string>>,
): AdmissionReviewReply {
  const shown = violations.slice(0, countShown(violations));
  const causes = shown.map(({ path, message, check, reason }) => ({
    reason: reason ?? 'FieldValueForbidden',
    field: visible(path),
    message: visible(`${message} (${check})`),
  }));
  const lines = shown.map((violation) => visible(formatViolation(violation)));
  if (shown.length < violations.length) lines.push(`and ${violations.length - shown.length} more violations`);
  return {
    apiVersion: REVIEW_API_VERSION,
    kind: REVIEW_KIND,
    response: {
      uid,
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: lines.join('\n'), details: { causes } },
      auditAnnotations: bounded(auditAnnotations),
    },
  };
}

/** All violations are told of; only what nobody could have written by hand is cut short, or an answer could be a hundred times the question. */
const MAX_DENIALS = 1000;
const MAX_DENIALS_LENGTH = 256 * 1024;

/** How many violations there is room for: at least one, which is bounded itself. */
function countShown(violations: readonly Violation[]): number {
  let [count, length] = [0, 0];
  for (const { path, message } of violations) {
    if (count === MAX_DENIALS || length >= MAX_DENIALS_LENGTH) break;
    count += 1;
    length += path.length + message.length;
  }
  return count;
}

/** More than this many warnings are summed up: nobody reads the ninth. */
const MAX_WARNINGS = 8;
/**
 * Up to 4096 runes of all webhooks' warnings together are shown whole; beyond that the API server cuts each to 256 (filters/warning.go). What
 * we say stays under the first figure with room for others, or is cut by us, who keep the check's id.
 */
const MAX_WARNINGS_LENGTH = 3500;
const MAX_WARNING_LENGTH = 256;
/** An audit line is read by people and stored for ever. */
const MAX_AUDIT_LENGTH = 1024;
/** It has room for fewer. */
const MAX_AUDITED = 100;

/** What an audit annotation tells of a list that may be long: its first entries, of which as many are shown as have room. */
export function auditText<T>(entries: readonly T[], line: (entry: T) => string): string {
  return entries.slice(0, MAX_AUDITED).map(line).join('; ');
}

/** All visible: the API server drops a warning with a control character, and reports nothing (apimachinery NewWarningHeader). */
function boundedWarnings(warnings: readonly string[]): string[] {
  const distinct = [...new Set(warnings.map(visible))];
  const shown = distinct.slice(0, MAX_WARNINGS);
  const total = shown.reduce((sum, { length }) => sum + length, 0);
  const fitting = total <= MAX_WARNINGS_LENGTH ? shown : shown.map(cutWarning);
  return distinct.length <= MAX_WARNINGS ? fitting : [...fitting, `and ${distinct.length - MAX_WARNINGS} more`];
}

function bounded(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const key of Object.keys(annotations)) texts[key] = cut(visible(annotations[key] ?? ''), MAX_AUDIT_LENGTH);
  return texts;
}

/** Keeps the check's id at the end, which says where to read on. */
function cutWarning(warning: string): string {
  const id = / \([a-z-]+\)$/.exec(warning)?.[0] ?? '';
  return cut(warning.slice(0, warning.length - id.length), MAX_WARNING_LENGTH - id.length) + id;
}
