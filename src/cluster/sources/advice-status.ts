import { isRecord } from '../client/kubernetes-object.ts';
import { cut } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';

/** The problem of a probe that a policy gives, as the policy's status shows it. */
export interface PolicyAdvice {
  readonly check: string;
  /** The field of the policy: `spec.probes.livenessProbe.timeoutSeconds`. */
  readonly field: string;
  /** The problem and the remedy. */
  readonly message: string;
}

/** The bounds of `status.advice`. The CRDs have the same bounds. */
export const ADVICE_BOUNDS = { entries: 20, check: 63, field: 253, message: 1024 } as const;

/** The fields of a status that show advice. `adviceCount` also counts the advice that is not listed. */
export interface AdviceFields {
  readonly adviceCount: number;
  readonly advice: readonly PolicyAdvice[];
}

/** The fields that show this advice; undefined for no advice. */
export function adviceFields(advice: readonly PolicyAdvice[] = []): AdviceFields | undefined {
  if (advice.length === 0) return undefined;
  const listed = advice.slice(0, ADVICE_BOUNDS.entries).map(({ check, field, message }) => ({
    check: cut(visible(check), ADVICE_BOUNDS.check),
    field: cut(visible(field), ADVICE_BOUNDS.field),
    message: cut(visible(message), ADVICE_BOUNDS.message),
  }));
  return { adviceCount: advice.length, advice: listed };
}

/** The most characters of shown advice that are kept in memory. Advice of Probewright is shorter. */
const MOST_KEPT = 2 * ADVICE_BOUNDS.entries * (ADVICE_BOUNDS.check + ADVICE_BOUNDS.field + ADVICE_BOUNDS.message + 16);

/**
 * The advice that a status shows, as a text to compare; undefined when there is none. The API server sorts the members
 * of objects, so the text names the members in a fixed order.
 */
export function shownAdvice(status: Readonly<Record<string, unknown>>): string | undefined {
  const { adviceCount, advice } = status;
  const entries: readonly unknown[] = Array.isArray(advice) ? advice : [];
  if (entries.length === 0 && (adviceCount === undefined || adviceCount === 0)) return undefined;
  return adviceText(adviceCount, entries);
}

/** The text of shownAdvice for a status with these fields. */
export function wantedAdvice(fields: AdviceFields | undefined): string | undefined {
  return fields && adviceText(fields.adviceCount, fields.advice);
}

function adviceText(count: unknown, entries: readonly unknown[]): string {
  const members = entries.map((entry) =>
    isRecord(entry) ? [entry['check'], entry['field'], entry['message'], Object.keys(entry).length] : entry,
  );
  const text = JSON.stringify([count, members]);
  // Each character of the longest advice may be written as two in JSON.
  return text.length > MOST_KEPT ? 'too long' : text;
}
