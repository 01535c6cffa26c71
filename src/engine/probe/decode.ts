import { formatPath } from '../../base/json/field-path.ts';
import { isJsonObject } from '../../base/json/json-value.ts';
import { NumberLiteral } from '../../base/json/number-literal.ts';
import { POD_SPEC_TYPE } from './api-schema.ts';
import { INT32_MAX } from './go-values.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { FieldPlace } from '../../base/json/field-place.ts';
import type { GoStruct, GoType } from './api-schema.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** Why the API server cannot decode a Pod spec. */
export interface DecodeProblem {
  /** The value's own path, with indices, which the server's message does not have. */
  readonly path: FieldPath;
  /** The end of the server's message, after `Pod in version "v1" cannot be handled as a Pod: `. */
  readonly message: string;
}

/**
 * The API server's answer 400 for a value of a type that its field cannot take: one problem, however many there are.
 * Go's decoder goes on after a wrong type and reports the first one at the end. A port that is neither number nor
 * string stops the decoder and is reported instead (sigs.k8s.io/json, decode.go, saveError; intstr.go, UnmarshalJSON).
 *
 * Parsed JSON has lost the text of numbers. The server refuses `1.0`, `1e1` and 9223372036854775808 (for an int64).
 * Here those values look like 1, 10 and 9223372036854775807 and are accepted, unless they come as a NumberLiteral.
 *
 * @param podSpecPlace in its object: `spec`, `spec.template.spec`
 */
export function decodeProblem(podSpec: JsonObject, podSpecPlace: FieldPlace): DecodeProblem | undefined {
  // Nearly every Pod spec decodes, and that answer needs no paths.
  if (decodes(podSpec, POD_SPEC_TYPE)) return undefined;
  const place = { own: podSpecPlace, struct: '', field: formatPath(podSpecPlace.path()) };
  return mostUrgent(structProblems(podSpec, POD_SPEC_TYPE, place));
}

/** True when there is no problem anywhere inside. */
function decodes(value: unknown, type: GoType): boolean {
  if (value === null || value === undefined) return true;
  if (type.kind === 'list') return Array.isArray(value) && eachDecodes(value, type.element);
  if (type.kind !== 'struct') return fits(value, type);
  if (!isJsonObject(value) || value instanceof NumberLiteral) return false;
  // Parsed JSON has no members but its own, and Object.keys would make a list of every object's.
  for (const name in value) {
    const field = type.fields.get(name);
    if (field !== undefined && !decodes(value[name], field.type)) return false;
  }
  return true;
}

function eachDecodes(values: readonly unknown[], type: GoType): boolean {
  for (const value of values) if (!decodes(value, type)) return false;
  return true;
}

/** A problem, and whether Go's decoder stops at it. */
interface Problem extends DecodeProblem {
  readonly stops: boolean;
}

/**
 * A place in the object: our own, and the decoder's name for it: innermost struct, and field names from the top without
 * indices.
 */
interface Place {
  readonly own: FieldPlace;
  readonly struct: string;
  readonly field: string;
}

function mostUrgent(problems: Iterable<Problem>): DecodeProblem | undefined {
  let first: Problem | undefined;
  for (const problem of problems) {
    first ??= problem;
    if (problem.stops) return withoutMark(problem);
  }
  return first === undefined ? undefined : withoutMark(first);
}

function withoutMark({ path, message }: Problem): DecodeProblem {
  return { path, message };
}

/** Problems in the order of the document. Null fits every type: it leaves the zero value. */
function* valueProblems(value: unknown, type: GoType, place: Place): Iterable<Problem> {
  if (value === null || value === undefined) return;
  if (value instanceof NumberLiteral) yield mismatch(value, type, place);
  else if (type.kind === 'struct' && isJsonObject(value)) yield* structProblems(value, type, place);
  else if (type.kind === 'list' && Array.isArray(value)) yield* listProblems(value, type.element, place);
  else if (!fits(value, type)) yield mismatch(value, type, place);
}

function* structProblems(object: JsonObject, type: GoStruct, place: Place): Iterable<Problem> {
  const struct = type.name.replace('v1.', '');
  for (const [name, value] of Object.entries(object)) {
    const field = type.fields.get(name);
    if (field === undefined) continue;
    const goName = field.embedded === undefined ? name : `${field.embedded}.${name}`;
    yield* valueProblems(value, field.type, {
      own: place.own.at(name),
      struct,
      field: `${place.field}.${goName}`,
    });
  }
}

function* listProblems(values: readonly unknown[], element: GoType, place: Place): Iterable<Problem> {
  for (const [index, value] of values.entries()) {
    yield* valueProblems(value, element, { ...place, own: place.own.at(index) });
  }
}

function fits(value: unknown, type: GoType): boolean {
  if (type.kind === 'string') return typeof value === 'string';
  if (type.kind === 'int-or-string') return typeof value === 'string' || isInteger(value, type.name);
  return type.kind === 'integer' && isInteger(value, type.name);
}

const INT32 = { least: -INT32_MAX - 1, most: INT32_MAX };
/** The largest int64 is not a JavaScript number; it is read as 2^63. */
const INT64 = { least: -(2 ** 63), most: 2 ** 63 };

function isInteger(value: unknown, type: 'int32' | 'int64'): boolean {
  if (typeof value !== 'number' || !Number.isInteger(value)) return false;
  const { least, most } = type === 'int32' ? INT32 : INT64;
  return value >= least && value <= most;
}

function mismatch(value: unknown, type: GoType, { own, struct, field }: Place): Problem {
  const wantsInteger = type.kind === 'int-or-string' || type.kind === 'integer';
  return {
    path: own.path(),
    message:
      `json: cannot unmarshal ${jsonKind(value, wantsInteger)} ` +
      `into Go struct field ${struct}.${field} of type ${type.name}`,
    stops: type.kind === 'int-or-string',
  };
}

/** Go's name for a JSON value. Go shows the number itself only where the field wants an integer. */
function jsonKind(value: unknown, wantsInteger: boolean): string {
  if (value instanceof NumberLiteral) return wantsInteger ? `number ${value.source}` : 'number';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return wantsInteger ? `number ${value}` : 'number';
  return typeof value;
}
