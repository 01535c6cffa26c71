import { isJsonObject } from './json.ts';
import { NumberLiteral } from './number-literal.ts';
import { POD_SPEC_TYPE } from './api-schema.ts';
import type { GoStruct, GoType } from './api-schema.ts';
import type { JsonObject } from './json.ts';

/** Why the API server cannot decode a Pod spec. */
export interface DecodeProblem {
  /** The value's own path, with indices, which the server's message does not have. */
  readonly path: string;
  /** The end of the server's message, after `Pod in version "v1" cannot be handled as a Pod: `. */
  readonly message: string;
}

/**
 * What the API server answers with 400 when a value has a type that its field cannot take: one problem, however many there are. Go's
 * decoder goes on after a wrong type and reports the first one at the end; a port that is neither number nor string ends it at once
 * and is reported instead (sigs.k8s.io/json, decode.go, saveError; intstr.go, UnmarshalJSON).
 *
 * Parsed JSON does not have the number's text any more. `1.0`, `1e1` and 9223372036854775808 (for an int64) are refused by the server
 * and accepted here, where they cannot be told from 1, 10 and 9223372036854775807, unless they come as a NumberLiteral.
 *
 * @param podSpecPath where the Pod spec stands in its object: `spec`, `spec.template.spec`
 */
export function decodeProblem(podSpec: JsonObject, podSpecPath: string): DecodeProblem | undefined {
  // Nearly every Pod spec decodes, and to say so no paths are needed.
  if (decodes(podSpec, POD_SPEC_TYPE)) return undefined;
  const place = { path: podSpecPath, struct: '', field: podSpecPath };
  return mostUrgent(structProblems(podSpec, POD_SPEC_TYPE, place));
}

/** True when there is no problem anywhere inside. */
function decodes(value: unknown, type: GoType): boolean {
  if (value === null || value === undefined) return true;
  if (type.kind === 'list') return Array.isArray(value) && value.every((element) => decodes(element, type.element));
  if (type.kind !== 'struct') return fits(value, type);
  if (!isJsonObject(value) || value instanceof NumberLiteral) return false;
  // Parsed JSON has no members but its own, and Object.keys would make a list of every object's.
  for (const name in value) {
    const field = type.fields.get(name);
    if (field !== undefined && !decodes(value[name], field.type)) return false;
  }
  return true;
}

/** A problem, and whether Go's decoder stops at it. */
interface Problem extends DecodeProblem {
  readonly stops: boolean;
}

/** A place in the object: our path, and what Go's decoder calls it: innermost struct and names from the top, without indices. */
interface Place {
  readonly path: string;
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
      path: `${place.path}.${name}`,
      struct,
      field: `${place.field}.${goName}`,
    });
  }
}

function* listProblems(values: readonly unknown[], element: GoType, place: Place): Iterable<Problem> {
  for (const [index, value] of values.entries()) {
    yield* valueProblems(value, element, { ...place, path: `${place.path}[${index}]` });
  }
}

function fits(value: unknown, type: GoType): boolean {
  if (type.kind === 'string') return typeof value === 'string';
  if (type.kind === 'int-or-string') return typeof value === 'string' || isInteger(value, type.name);
  return type.kind === 'integer' && isInteger(value, type.name);
}

const INT32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };
/** The largest int64 is not a JavaScript number; it is read as 2^63. */
const INT64 = { least: -(2 ** 63), most: 2 ** 63 };

function isInteger(value: unknown, type: 'int32' | 'int64'): boolean {
  if (typeof value !== 'number' || !Number.isInteger(value)) return false;
  const { least, most } = type === 'int32' ? INT32 : INT64;
  return value >= least && value <= most;
}

function mismatch(value: unknown, type: GoType, { path, struct, field }: Place): Problem {
  const wantsInteger = type.kind === 'int-or-string' || type.kind === 'integer';
  return {
    path,
    message: `json: cannot unmarshal ${jsonKind(value, wantsInteger)} into Go struct field ${struct}.${field} of type ${type.name}`,
    stops: type.kind === 'int-or-string',
  };
}

/** What Go calls a JSON value. It shows a number only where an integer was wanted and this is not one that fits. */
function jsonKind(value: unknown, wantsInteger: boolean): string {
  if (value instanceof NumberLiteral) return wantsInteger ? `number ${value.source}` : 'number';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return wantsInteger ? `number ${value}` : 'number';
  return typeof value;
}
