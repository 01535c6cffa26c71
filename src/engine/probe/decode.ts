import { formatPath, type FieldPath, type FieldPlace } from '../../base/json/field-path.ts';
import { NumberLiteral, isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { POD_SPEC_TYPE, type GoType } from './api-schema.ts';
import { INT32_MAX } from './go-values.ts';

/** Why the API server cannot decode a Pod spec. */
export interface DecodeProblem {
  /** The value's own path, with indices, which the server's message does not have. */
  readonly path: FieldPath;
  /** The end of the server's message, after `Pod in version "v1" cannot be handled as a Pod: `. */
  readonly message: string;
}

/**
 * The API server's answer 400 for a value of a type that its field cannot take. Go's decoder reports the first one, but
 * a port that is neither number nor string stops it (sigs.k8s.io/json, decode.go, saveError; intstr.go, UnmarshalJSON).
 * The server refuses `1.0` and 9223372036854775808 (for an int64): parsed JSON has lost these texts, so such values are
 * accepted here unless they come as a NumberLiteral.
 */
export function decodeProblem(podSpec: JsonObject, podSpecPlace: FieldPlace): DecodeProblem | undefined {
  const found: Problem[] = [];
  const top = { own: podSpecPlace, struct: '', field: () => formatPath(podSpecPlace.path()) };
  addProblems(found, podSpec, POD_SPEC_TYPE, top);
  const problem = found.find(({ stops }) => stops) ?? found[0];
  return problem && { path: problem.path, message: problem.message };
}

interface Problem extends DecodeProblem {
  readonly stops: boolean;
}

/** A place in the object: our own, and the decoder's name for it. Nearly every Pod spec decodes, and needs no name. */
interface Place {
  readonly own: FieldPlace;
  /** The innermost struct. */
  readonly struct: string;
  /** Field names from the top, without indices. */
  readonly field: () => string;
}

/** Adds the problems in the order of the document. Null fits every type: it leaves the zero value. */
function addProblems(found: Problem[], value: unknown, type: GoType, place: Place): void {
  if (value === null || value === undefined) return;
  if (type.kind === 'struct' && isJsonObject(value) && !(value instanceof NumberLiteral)) {
    const struct = type.name.replace('v1.', '');
    for (const [name, inner] of Object.entries(value)) {
      const field = type.fields.get(name);
      if (field === undefined) continue;
      const goName = field.embedded === undefined ? name : `${field.embedded}.${name}`;
      const below = { own: place.own.at(name), struct, field: () => `${place.field()}.${goName}` };
      addProblems(found, inner, field.type, below);
    }
  } else if (type.kind === 'list' && Array.isArray(value)) {
    for (const [index, element] of value.entries())
      addProblems(found, element, type.element, { ...place, own: place.own.at(index) });
  } else if (value instanceof NumberLiteral || !fits(value, type)) found.push(mismatch(value, type, place));
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
      `into Go struct field ${struct}.${field()} of type ${type.name}`,
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
