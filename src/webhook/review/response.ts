import { cut } from '../../base/text/cut.ts';
import { base64OfUtf8 } from '../../base/text/utf8.ts';
import { visible } from '../../base/text/visible.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { formatViolation, fullMessage, type Violation } from '../../engine/checks/violation.ts';

/** The version of the protocol: every supported API server speaks admission.k8s.io/v1. */
export const REVIEW_API_VERSION = 'admission.k8s.io/v1';
export const REVIEW_KIND = 'AdmissionReview';

/** The reply in the wire format: k8s.io/api/admission/v1 AdmissionReview with a response. */
export interface AdmissionReviewReply {
  readonly apiVersion: typeof REVIEW_API_VERSION;
  readonly kind: typeof REVIEW_KIND;
  readonly response: AdmissionResponse;
}

/** k8s.io/api/admission/v1. `patch` is base64 of an RFC 6902 document, and comes with `patchType`. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  /** The reason for a denial: a meta/v1 Status. The API server adds the webhook's name before the message. */
  readonly status?: DenialStatus;
  readonly patch?: string;
  readonly patchType?: 'JSONPatch';
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** The fields of a meta/v1 Status that a denial sets. 422 is for an object that cannot be read. */
interface DenialStatus {
  readonly code: 403 | 422;
  readonly reason: 'Forbidden' | 'Invalid';
  readonly message: string;
  readonly details: { readonly causes: readonly Readonly<Record<'reason' | 'field' | 'message', string>>[] };
}

export interface ReplyContent {
  /** The operations of an RFC 6902 document. */
  readonly patch?: readonly object[];
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** Builds every reply that allows a request, within what the API server accepts of warnings and annotations. */
export function allowed(uid: string, verdict: ReplyContent = {}): AdmissionReviewReply {
  const { patch = [], warnings = [], auditAnnotations = {} } = verdict;
  return reply({
    uid,
    allowed: true,
    ...(patch.length > 0 && { patchType: 'JSONPatch' }),
    ...(warnings.length > 0 && { warnings: boundedWarnings(warnings) }),
    ...(Object.keys(auditAnnotations).length > 0 && { auditAnnotations: bounded(auditAnnotations) }),
    ...(patch.length > 0 && { patch: base64OfUtf8(JSON.stringify(patch)) }),
  });
}

function reply(response: AdmissionResponse): AdmissionReviewReply {
  return { apiVersion: REVIEW_API_VERSION, kind: REVIEW_KIND, response };
}

/**
 * One line for each violation; the causes carry the same for tools. Without warnings, as the message is enough.
 *
 * @param ways the last lines: where to read more, and an exception that would allow the object
 */
export function denied(
  uid: string,
  violations: readonly Violation[],
  auditAnnotations: Readonly<Record<string, string>>,
  ways: readonly string[] = [],
): AdmissionReviewReply {
  const shown = violations.slice(0, countShown(violations));
  const causes = shown.map((violation) => ({
    reason: violation.reason ?? 'FieldValueForbidden',
    field: visible(formatPath(violation.path)),
    message: visible(`${fullMessage(violation)} (${violation.check})`),
  }));
  const lines = shown.map((violation) => visible(formatViolation(violation)));
  if (shown.length < violations.length) lines.push(`and ${violations.length - shown.length} more violations`);
  lines.push(...ways);
  const status: DenialStatus = { code: 403, reason: 'Forbidden', message: lines.join('\n'), details: { causes } };
  return reply({ uid, allowed: false, status, auditAnnotations: bounded(auditAnnotations) });
}

/** The reply with the platform team's own sentence as the last line of a denial. An allowed request has no message. */
export function withContact(reply: AdmissionReviewReply, contact: string): AdmissionReviewReply {
  const { status } = reply.response;
  if (status === undefined) return reply;
  return { ...reply, response: { ...reply.response, status: { ...status, message: `${status.message}\n${contact}` } } };
}

/** Of a message: the first violations are enough to go on. */
const MAX_SHORT_MESSAGE = 4096;

/** The verdict of a reply, in a few kilobytes: a patch and most details are left out, which a warning says. */
export function shortReply({ response }: AdmissionReviewReply): AdmissionReviewReply {
  const { uid, allowed: isAllowed, status, patch } = response;
  if (status !== undefined) {
    const short: DenialStatus = { ...status, message: cut(status.message, MAX_SHORT_MESSAGE), details: { causes: [] } };
    return reply({ uid, allowed: isAllowed, status: short });
  }
  const lost = patch === undefined ? 'the warnings are left out' : 'the Pod gets no probes';
  return allowed(uid, { warnings: [`too many long answers are under way, so ${lost}; try again`] });
}

/** A denial of an object that cannot be read. */
export function invalid(uid: string, message: string, causes: DenialStatus['details']['causes']): AdmissionReviewReply {
  return reply({ uid, allowed: false, status: { code: 422, reason: 'Invalid', message, details: { causes } } });
}

/** No hand-written object exceeds them. Without limits, an answer could be 100 times as long as its request. */
const MAX_DENIALS = 1000;
const MAX_DENIALS_LENGTH = 256 * 1024;

/** The number of violations within the limits: at least one, because one violation has a bounded length. */
function countShown(violations: readonly Violation[]): number {
  let [count, length] = [0, 0];
  for (const violation of violations) {
    if (count === MAX_DENIALS || length >= MAX_DENIALS_LENGTH) break;
    count += 1;
    length += formatPath(violation.path).length + fullMessage(violation).length;
  }
  return count;
}

/** A reply sums up the warnings beyond this number: nobody reads the ninth warning. */
const MAX_WARNINGS = 8;
/** The API server cuts each warning to 256 beyond 4096 runes of all webhooks together (filters/warning.go). */
const MAX_WARNINGS_LENGTH = 3500;
const MAX_WARNING_LENGTH = 256;
/** An audit entry is read by people and kept for a long time, so the entry must be short. */
const MAX_AUDIT_LENGTH = 1024;
/** An audit entry never has room for more entries than this. */
const MAX_AUDITED = 100;

export function auditText<T>(entries: readonly T[], line: (entry: T) => string): string {
  return entries.slice(0, MAX_AUDITED).map(line).join('; ');
}

/** The audit annotation that lists violations. Empty if there are no violations. */
export function violationAnnotation(violations: readonly Violation[]): Record<string, string> {
  return violations.length === 0 ? {} : { violations: auditText(violations, auditLine) };
}

/** The audit annotation with the violations of the top rung, if they lead to other actions there. */
export function wouldBeAnnotation(
  violations: readonly Violation[],
  atTop: readonly Violation[],
): Record<string, string> {
  const text = auditText(atTop, auditLine);
  return text === auditText(violations, auditLine) ? {} : { 'would-be': text || 'none' };
}

/**
 * `named-port app.livenessProbe Deny`, or `... Excepted by legacy (team-a) until 2027-01-31T00:00:00Z`: identical for
 * each call about the same object.
 */
function auditLine({ check, container, probe, action, exception }: Violation): string {
  const place = [container, probe].filter(Boolean).join('.');
  const excuse = exception && `by ${exception.name} (${exception.owner}) until ${exception.expires}`;
  return [check, place, action, excuse].filter(Boolean).join(' ');
}

/** The API server drops a warning with a control character without a report (apimachinery NewWarningHeader). */
function boundedWarnings(warnings: readonly string[]): string[] {
  const distinct = [...new Set(warnings)];
  const shown = distinct.slice(0, MAX_WARNINGS).map(visible);
  const total = shown.reduce((sum, { length }) => sum + length, 0);
  const fitting = total <= MAX_WARNINGS_LENGTH ? shown : shown.map(cutWarning);
  return distinct.length <= MAX_WARNINGS ? fitting : [...fitting, `and ${distinct.length - MAX_WARNINGS} more`];
}

function bounded(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const texts = Object.entries(annotations).map(([key, text]) => [key, cut(visible(text), MAX_AUDIT_LENGTH)]);
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Keeps the check's id at the end: with the id, the reader finds the documentation. */
function cutWarning(warning: string): string {
  const id = / \([a-z-]+\)$/.exec(warning)?.[0] ?? '';
  return cut(warning.slice(0, warning.length - id.length), MAX_WARNING_LENGTH - id.length) + id;
}
