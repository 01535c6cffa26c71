import { formatPath, type FieldPath, type FieldPlace } from '../../base/json/field-path.ts';
import { NumberLiteral, isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { POD_SPEC_TYPE, goTypeName, type GoType } from './api-schema.ts';
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
  if (typeof type === 'string') {
    if (!fits(value, type)) found.push(mismatch(value, type, place));
  } else if (type.kind === 'struct' && isJsonObject(value) && !(value instanceof NumberLiteral)) {
    for (const [name, inner] of Object.entries(value)) {
      const innerType = type.fields.get(name);
      if (innerType === undefined) continue;
      const goName = type.embedded?.fields.has(name) === true ? `${type.embedded.name}.${name}` : name;
      const below = { own: place.own.at(name), struct: type.name, field: () => `${place.field()}.${goName}` };
      addProblems(found, inner, innerType, below);
    }
  } else if (type.kind === 'list' && Array.isArray(value)) {
    for (const [index, element] of value.entries())
      addProblems(found, element, type.element, { ...place, own: place.own.at(index) });
  } else found.push(mismatch(value, type, place));
}

const INTEGERS = ['int32', 'int64', 'int-or-string'];
/** The largest int64 is not a JavaScript number; it is read as 2^63. */
const INT64_MAX = 2 ** 63;

/** A NumberLiteral is a number that fits no integer. */
function fits(value: unknown, type: string): boolean {
  if (typeof value === 'string') return !INTEGERS.includes(type) || type === 'int-or-string';
  if (typeof value !== 'number' || !INTEGERS.includes(type) || !Number.isInteger(value)) return false;
  return type === 'int64' ? Math.abs(value) <= INT64_MAX : value >= -INT32_MAX - 1 && value <= INT32_MAX;
}

function mismatch(value: unknown, type: GoType, { own, struct, field }: Place): Problem {
  return {
    path: own.path(),
    message:
      `json: cannot unmarshal ${jsonKind(value, typeof type === 'string' && INTEGERS.includes(type))} ` +
      `into Go struct field ${struct}.${field()} of type ${goTypeName(type)}`,
    stops: type === 'int-or-string',
  };
}

/** Go's name for a JSON value. Go shows the number itself only where the field wants an integer. */
function jsonKind(value: unknown, wantsInteger: boolean): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (!(value instanceof NumberLiteral) && typeof value !== 'number') return typeof value;
  if (!wantsInteger) return 'number';
  return `number ${value instanceof NumberLiteral ? value.source : value}`;
}
