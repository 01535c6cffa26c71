import { REVIEW_API_VERSION, REVIEW_KIND } from './review.ts';
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
  readonly patch?: string;
  readonly patchType?: 'JSONPatch';
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
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
  return {
    apiVersion: REVIEW_API_VERSION,
    kind: REVIEW_KIND,
    response: {
      uid,
      allowed: true,
      ...(patch.length > 0 && {
        patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
        patchType: 'JSONPatch' as const,
      }),
      ...(warnings.length > 0 && { warnings: boundedWarnings(warnings) }),
      ...(Object.keys(auditAnnotations).length > 0 && { auditAnnotations: bounded(auditAnnotations) }),
    },
  };
}

/** More than this many warnings are summed up: nobody reads the ninth. */
const MAX_WARNINGS = 8;
/** The API server cuts every warning to 256 runes once all webhooks' warnings together pass 4096 (filters/warning.go). */
const MAX_WARNING_LENGTH = 256;
/** An audit line is read by people and stored for ever. */
const MAX_AUDIT_LENGTH = 1024;

function boundedWarnings(warnings: readonly string[]): string[] {
  const distinct = [...new Set(warnings.map((warning) => cut(printable(warning), MAX_WARNING_LENGTH)))];
  if (distinct.length <= MAX_WARNINGS) return distinct;
  return [...distinct.slice(0, MAX_WARNINGS), `and ${distinct.length - MAX_WARNINGS} more`];
}

function bounded(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, cut(value, MAX_AUDIT_LENGTH)]));
}

/** The API server drops a warning with a control character without a word (apimachinery NewWarningHeader). */
function printable(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3).toWellFormed()}...`;
}
