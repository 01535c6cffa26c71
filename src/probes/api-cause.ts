import { cut } from '../text/cut.ts';
import { goJsonQuote, goQuote } from './go-quote.ts';

/** The API server's types of field errors that rules about probes use (apimachinery, util/validation/field/errors.go). */
export type ApiReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueForbidden'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueTooMany';

/** One field error in the API server's words: a cause of its 422. */
export interface ApiCause {
  readonly path: string;
  readonly reason: ApiReason;
  /** What stands after the path: `Invalid value: 0: must be between 1 and 65535, inclusive`. */
  readonly message: string;
}

/**
 * The API server lists every fault; with so many of a list's elements, or of a Pod's containers, the rest is left out: there is no end to what an
 * object of megabytes can have, and nobody reads it.
 */
export const MOST_CAUSES = 1000;

/** The API server shows a value whole. Nobody reads more of one than this, and its quotation may be five times as long. */
const MAX_SHOWN_LENGTH = 1024;

/** A value as a message shows it: numbers bare, strings quoted. */
function shown(value: string | number): string {
  return typeof value === 'string' ? goQuote(cut(value, MAX_SHOWN_LENGTH)) : String(value);
}

/** The causes of a list's elements, one element after the other, until there are so many that the rest is left out. */
export function causesOfEach<T>(
  elements: readonly T[],
  causesOf: (element: T, index: number) => readonly ApiCause[],
): ApiCause[] {
  const causes: ApiCause[] = [];
  for (const [index, element] of elements.entries()) {
    if (causes.length >= MOST_CAUSES) break;
    for (const cause of causesOf(element, index)) causes.push(cause);
  }
  return causes;
}

export function required(path: string, detail = ''): ApiCause {
  const message = detail === '' ? 'Required value' : `Required value: ${detail}`;
  return { path, reason: 'FieldValueRequired', message };
}

export function invalid(path: string, value: string | number, detail: string): ApiCause {
  return { path, reason: 'FieldValueInvalid', message: `Invalid value: ${shown(value)}: ${detail}` };
}

export function forbidden(path: string, detail: string): ApiCause {
  return { path, reason: 'FieldValueForbidden', message: `Forbidden: ${detail}` };
}

export function duplicate(path: string, value: string): ApiCause {
  return { path, reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown(value)}` };
}

export function tooMany(path: string, count: number, maximum: number): ApiCause {
  return { path, reason: 'FieldValueTooMany', message: `Too many: ${count}: must have at most ${maximum} items` };
}

/**
 * The supported values are shown in the order given, which is the server's for that field. The value is of a Go type of its own, not a
 * plain string, and those are shown as JSON (ErrorBody, since 1.34).
 */
export function notSupported(path: string, value: string, supported: readonly string[]): ApiCause {
  const message = `Unsupported value: ${goJsonQuote(cut(value, MAX_SHOWN_LENGTH))}: supported values: ${supported.map(goQuote).join(', ')}`;
  return { path, reason: 'FieldValueNotSupported', message };
}
