import { quoted } from '../../base/json/quoted-value.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { HIGHEST_PORT, isPortName, LONGEST_PORT_NAME } from '../probe/handler-values.ts';
import { ACTIONS } from './action.ts';
import { choicesBound, textLength } from './bound.ts';
import { objectNameProblem, POLICY_API_VERSION } from './object-names.ts';
import { endpointPathProblem } from './probe-policy.ts';
import { PROBE_LIMITS } from './probe-schema.ts';
import type { Field, FieldOf, ObjectField } from './field.ts';
import type { Reader } from './reader.ts';

/** What the schema does not say enough for. Also gets the place of a field that is absent. */
export type OwnReader = (place: Reader, field: Field) => unknown;

type OwnReaders = Readonly<Record<string, OwnReader>>;

/** Reads an object as its schema says. Fields without a value are left out. */
export function readObject(field: ObjectField, place: Reader, own: OwnReaders = {}): unknown {
  const read = readFields(field, place, own);
  if (read === undefined) return undefined;
  field.check?.(read, place);
  return field.into ? field.into(read) : read;
}

type WithFields = Pick<ObjectField, 'fields' | 'what' | 'nulls'>;

function readFields({ fields, what, nulls }: WithFields, place: Reader, own: OwnReaders = {}): unknown {
  if (place.object(Object.keys(fields), what) === undefined) return undefined;
  const read = Object.entries(fields).map(([name, field]) => {
    const at = place.at(name);
    return [name, own[name] ? own[name](at, field) : readMember(field, at, nulls)] as const;
  });
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** Reads a member of an object, which may be absent or null. */
export function readMember(field: Field, place: Reader, nulls?: 'absent'): unknown {
  if (place.isNull && field.nullMeans !== undefined) return null;
  if (nulls === 'absent' ? place.isGiven : !place.isAbsent) return readField(field, place);
  if (typeof field.required === 'string') return place.report(field.required);
  return field.required === true ? readField(field, place) : undefined;
}

/** Reads a value that is there. Undefined when it cannot be read, after a report. */
export function readField(field: Field, place: Reader): unknown {
  if (field.type === 'object') return readObject(field, place);
  const value = readShape(field, place);
  if (value !== undefined) field.check?.(value, place);
  return value;
}

function readShape(field: Exclude<Field, { readonly type: 'object' }>, place: Reader): unknown {
  switch (field.type) {
    case 'integer':
      return readInteger(field, place);
    case 'number':
      return place.number(field.minimum, field.maximum);
    case 'boolean':
      return place.boolean();
    case 'choice':
      return place.oneOf(field.choices);
    case 'action':
      // Off without quotes is false to YAML 1.1, which kubectl reads.
      return place.value === false ? 'Off' : place.oneOf(ACTIONS);
    case 'port':
      return readPort(place);
    case 'path':
      return readText({ type: 'text', text: '', problem: endpointPathProblem }, place);
    case 'time':
      return place.string();
    case 'text':
      return readText(field, place);
    case 'names':
      return place.names(field.what, field.count, field.length, field.problem);
    case 'strings': {
      const names = place.names('value', field.count, field.length);
      return names && new Set(names);
    }
    case 'choices':
      return readChoices(field.choices, place);
    case 'list': {
      const elements = place.list(field.count);
      if (elements?.length === 0 && field.empty !== undefined) return place.report(field.empty);
      return elements?.map((element) => readField(field.items, element));
    }
    case 'map':
      return readMap(field, place);
    case 'bounds':
      return readFields({ fields: PROBE_LIMITS }, place);
    case 'group':
      return readFields(field, place);
    case 'checks':
    case 'checkIds':
      throw new Error(`fields of type ${field.type} have their own readers`);
  }
}

function readInteger({ minimum = 0, maximum = INT32_MAX, beyond }: FieldOf<'integer'>, place: Reader): unknown {
  const value = place.integer(minimum, beyond === undefined ? maximum : INT32_MAX);
  return beyond !== undefined && value !== undefined && value > maximum
    ? place.report(`${beyond}, not ${value}`)
    : value;
}

function readText({ bound, problem, shortest = 0 }: FieldOf<'text'>, place: Reader): string | undefined {
  const text = place.string(bound);
  if (text === undefined) return undefined;
  const found = problem?.(text);
  if (found !== undefined) return place.report(found);
  const length = textLength(text);
  return length >= shortest ? text : place.report(`must have at least ${shortest} characters, not ${length}`);
}

function readChoices(choices: readonly string[], place: Reader): readonly string[] | undefined {
  const count = choicesBound(choices);
  const names = place.names('value', count);
  if (names !== undefined) for (const element of place.list(count) ?? []) element.oneOf(choices);
  return names;
}

function readMap({ count, keyProblem, values }: FieldOf<'map'>, place: Reader): unknown {
  const read = place.keys(count).map((key) => {
    const at = place.at(key);
    const value = readField(values, at);
    const problem = keyProblem(key);
    if (problem !== undefined) at.report(problem);
    return [key, value] as const;
  });
  return Object.fromEntries(read);
}

/** A port number, or the name of a container port: an IANA service name (apimachinery IsValidPortName). */
function readPort(place: Reader): number | string | undefined {
  const { value } = place;
  if (typeof value === 'number') return place.integer(1, HIGHEST_PORT);
  if (typeof value !== 'string') return place.report(`must be a port's number or name, not ${quoted(value)}`);
  if (/^\d+$/.test(value)) return place.report(`must be a number without quotes: ${value}`);
  if (isPortName(value)) return value;
  return place.report(
    `${quoted(value)} is not a port name: at most ${LONGEST_PORT_NAME} of a-z, 0-9 and single inner hyphens, with at least one letter`,
  );
}

export function readObjectName(reader: Reader): string | undefined {
  if (reader.isAbsent) return reader.report('must be given');
  const name = reader.string();
  const problem = name === undefined ? undefined : objectNameProblem(name);
  return problem === undefined ? name : reader.report(problem);
}

export function readApiVersion(reader: Reader): void {
  if (reader.value !== POLICY_API_VERSION) reader.report(`must be ${POLICY_API_VERSION}, not ${quoted(reader.value)}`);
}
