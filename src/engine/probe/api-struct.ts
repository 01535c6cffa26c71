import { cut } from '../../base/text/cut.ts';
import { isJsonObject, isPresent, listMember, member, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { goJsonQuote, goQuote } from './go-values.ts';
import type { FieldPath, FieldPlace } from '../../base/json/field-path.ts';

type Reason = 'Required' | 'Invalid' | 'Forbidden' | 'NotSupported' | 'Duplicate' | 'TooMany';

/** One field error in the API server's words: a cause of its 422 (apimachinery, util/validation/field/errors.go). */
export interface ApiCause {
  readonly path: FieldPath;
  readonly reason: `FieldValue${Reason}`;
  /** The text behind the path: `Invalid value: 0: must be between 1 and 65535, inclusive`. */
  readonly message: string;
}

/** Most causes that are listed: an object of megabytes can have any number. */
const MOST_CAUSES = 1000;

/** Most characters of a value in a message: quoting may make it five times as long. */
const MAX_SHOWN_LENGTH = 256;

/**
 * A JSON object at its place, as Go sees it after decoding: an absent or null member is the type's zero value. So is a
 * member of the wrong type. A Pod that passed the decode stage has none, and reading one must not throw. Rules add
 * their causes to a list that the structs of a Pod share.
 */
export class ApiStruct {
  readonly #object: JsonObject;
  readonly #place: FieldPlace;
  readonly #causes: ApiCause[];

  constructor(object: JsonObject, place: FieldPlace, causes: ApiCause[]) {
    this.#object = object;
    this.#place = place;
    this.#causes = causes;
  }

  /** The member as it is written. */
  member(field: string): unknown {
    return member(this.#object, field);
  }

  string(field: string): string {
    return stringMember(this.#object, field) ?? '';
  }

  integer(field: string): number {
    const value = this.member(field);
    // JSON can say -0, which an integer cannot.
    return typeof value === 'number' ? value + 0 : 0;
  }

  /** The length of a slice. */
  length(field: string): number {
    return listMember(this.#object, field).length;
  }

  /** True for a pointer or slice that is not nil. */
  isSet(field: string): boolean {
    return isPresent(this.member(field));
  }

  /** A pointer to a struct; undefined when it is nil. */
  pointer(field: string): ApiStruct | undefined {
    const value = this.member(field);
    return isPresent(value) ? this.#inner(value, this.#place.at(field)) : undefined;
  }

  /** Applies rules to a slice's structs in their order. A null element is an empty struct. */
  each(field: string, rules: (element: ApiStruct) => void): void {
    const place = this.#place.at(field);
    for (const [index, element] of listMember(this.#object, field).entries()) {
      if (this.#causes.length >= MOST_CAUSES) return;
      rules(this.#inner(element, place.at(index)));
    }
  }

  #inner(value: unknown, place: FieldPlace): ApiStruct {
    return new ApiStruct(isJsonObject(value) ? value : {}, place, this.#causes);
  }

  /** @param field undefined for the struct itself */
  required(field: string | undefined, detail?: string): void {
    this.#add(field, 'Required', detail === undefined ? 'Required value' : `Required value: ${detail}`);
  }

  invalid(field: string, value: string | number, detail: string): void {
    this.#add(field, 'Invalid', `Invalid value: ${shown(value)}: ${detail}`);
  }

  forbidden(field: string, detail: string): void {
    this.#add(field, 'Forbidden', `Forbidden: ${detail}`);
  }

  duplicate(field: string, value: string): void {
    this.#add(field, 'Duplicate', `Duplicate value: ${shown(value)}`);
  }

  /** A slice must not have more elements than `most`. */
  atMost(field: string, most: number): void {
    const count = this.length(field);
    if (count > most) this.#add(field, 'TooMany', `Too many: ${count}: must have at most ${most} items`);
  }

  /** A string must be one of the supported ones, which are in the server's order for this field. */
  oneOf(field: string, supported: readonly string[]): void {
    const value = this.string(field);
    if (supported.includes(value)) return;
    // In Go the value has a named string type, which the server shows as JSON (ErrorBody, since 1.34).
    const text = goJsonQuote(cut(value, MAX_SHOWN_LENGTH));
    const message = `Unsupported value: ${text}: supported values: ${supported.map(goQuote).join(', ')}`;
    this.#add(field, 'NotSupported', message);
  }

  #add(field: string | undefined, reason: Reason, message: string): void {
    const path = this.#place.path(...(field === undefined ? [] : [field]));
    this.#causes.push({ path, reason: `FieldValue${reason}`, message });
  }
}

/** A value as a message shows it: numbers bare, strings quoted. */
function shown(value: string | number): string {
  return typeof value === 'string' ? goQuote(cut(value, MAX_SHOWN_LENGTH)) : String(value);
}
