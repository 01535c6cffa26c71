import { cut } from '../../base/text/cut.ts';
import { goJsonQuote, goQuote } from './go-values.ts';
import type { FieldPath, FieldPlace } from '../../base/json/field-path.ts';

/** The field errors of rules about probes (apimachinery, util/validation/field/errors.go). */
export type ApiReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueForbidden'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueTooMany';

/** One field error in the API server's words: a cause of its 422. */
export interface ApiCause {
  readonly path: FieldPath;
  readonly reason: ApiReason;
  /** The text behind the path: `Invalid value: 0: must be between 1 and 65535, inclusive`. */
  readonly message: string;
}

/** Most causes that are listed: an object of megabytes can have any number. */
export const MOST_CAUSES = 1000;

/** Most characters of a value in a message: quoting may make it five times as long. */
const MAX_SHOWN_LENGTH = 1024;

/** A value as a message shows it: numbers bare, strings quoted. */
function shown(value: string | number): string {
  return typeof value === 'string' ? goQuote(cut(value, MAX_SHOWN_LENGTH)) : String(value);
}

/** The causes of a list's elements in their order, until there are MOST_CAUSES of them. */
export function causesOfEach<T>(
  elements: readonly T[],
  causesOf: (element: T, index: number) => readonly ApiCause[],
): readonly ApiCause[] {
  const causes: ApiCause[] = [];
  for (const [index, element] of elements.entries()) {
    if (causes.length >= MOST_CAUSES) break;
    causes.push(...causesOf(element, index));
  }
  return causes;
}

/** The cause that a value is none of those that its field supports. */
export function unlessOneOf(value: string, supported: readonly string[], place: FieldPlace): readonly ApiCause[] {
  return supported.includes(value) ? [] : [notSupported(place, value, supported)];
}

export function required(place: FieldPlace, detail = ''): ApiCause {
  const message = detail === '' ? 'Required value' : `Required value: ${detail}`;
  return { path: place.path(), reason: 'FieldValueRequired', message };
}

export function invalid(place: FieldPlace, value: string | number, detail: string): ApiCause {
  return { path: place.path(), reason: 'FieldValueInvalid', message: `Invalid value: ${shown(value)}: ${detail}` };
}

export function forbidden(place: FieldPlace, detail: string): ApiCause {
  return { path: place.path(), reason: 'FieldValueForbidden', message: `Forbidden: ${detail}` };
}

export function duplicate(place: FieldPlace, value: string): ApiCause {
  return { path: place.path(), reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown(value)}` };
}

export function tooMany(place: FieldPlace, count: number, maximum: number): ApiCause {
  return {
    path: place.path(),
    reason: 'FieldValueTooMany',
    message: `Too many: ${count}: must have at most ${maximum} items`,
  };
}

/**
 * A value that its field does not support. In Go the value has a named string type, which the server shows as JSON
 * (ErrorBody, since 1.34).
 * @param supported the supported values in the server's order, which differs from field to field
 */
export function notSupported(place: FieldPlace, value: string, supported: readonly string[]): ApiCause {
  const shownValue = goJsonQuote(cut(value, MAX_SHOWN_LENGTH));
  const message = `Unsupported value: ${shownValue}: supported values: ${supported.map(goQuote).join(', ')}`;
  return { path: place.path(), reason: 'FieldValueNotSupported', message };
}
