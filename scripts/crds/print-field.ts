import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import { ACTIONS } from '../../src/engine/policy/action.ts';
import { BOUNDS, EXCEPTION_BOUNDS } from '../../src/engine/policy/bounds.ts';
import { choicesBound } from '../../src/engine/policy/bound.ts';
import { fieldsOfCheck } from '../../src/engine/policy/read-checks.ts';
import { PROBE_LIMITS } from '../../src/engine/policy/probe-schema.ts';
import { INT32_MAX } from '../../src/engine/probe/go-values.ts';
import { HIGHEST_PORT, LONGEST_PORT_NAME } from '../../src/engine/probe/handler-values.ts';
import type { Field, FieldOf, Fields } from '../../src/engine/policy/field.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

/** The fields that a kind has, with their schemas. */
export function propertiesOf(fields: Fields, kind: string): Record<string, OpenApiSchema> {
  const own = Object.entries(fields).filter(([, { only = kind }]) => only === kind);
  return Object.fromEntries(own.map(([name, field]) => [name, openApiSchema(field, kind)]));
}

/** A field as a CustomResourceDefinition has it. It accepts what the parser accepts, once the server has dropped what it does not know. */
export function openApiSchema(field: Field, kind: string): OpenApiSchema {
  const description = { ...(field.text !== '' && { description: descriptionOf(field) }) };
  const nullable = { ...(field.nullMeans && { nullable: true }) };
  const rules = { ...(field.rules && field.rules.length > 0 && { 'x-kubernetes-validations': field.rules }) };
  switch (field.type) {
    case 'integer':
      return { ...description, ...integerType(field), ...nullable, ...integerRange(field) };
    case 'number':
      return { ...description, type: 'number', minimum: field.minimum, maximum: field.maximum };
    case 'boolean':
      return { ...description, type: 'boolean' };
    case 'choice':
      return { ...description, type: 'string', enum: field.choices };
    // Off without quotes is false to the YAML that kubectl reads, and means what it says all the same. A schema has one type or none, and
    // a structural one may have none only where it keeps what it does not know; the enum leaves nothing unknown.
    case 'action':
      return { ...description, 'x-kubernetes-preserve-unknown-fields': true, enum: [...ACTIONS, false] };
    case 'port':
      return { ...PORT, ...description, ...nullable };
    case 'path':
      return { ...PATH, ...description, ...nullable };
    case 'time':
      return { ...description, type: 'string', format: 'date-time' };
    case 'text':
      return { ...description, ...textSchema(field) };
    case 'names':
    case 'strings':
    case 'choices':
    case 'checkIds':
      return { ...description, ...setSchema(field), ...nullable, ...rules };
    case 'list':
      return {
        ...description,
        type: 'array',
        ...(field.empty !== undefined && { minItems: 1 }),
        maxItems: field.count.maximum,
        'x-kubernetes-list-type': field.key === undefined ? 'atomic' : 'map',
        ...(field.key !== undefined && { 'x-kubernetes-list-map-keys': [field.key] }),
        items: openApiSchema(field.items, kind),
        ...rules,
      };
    case 'map':
      return {
        ...description,
        type: 'object',
        maxProperties: field.count.maximum,
        additionalProperties: openApiSchema(field.values, kind),
        ...rules,
      };
    case 'checks': {
      const checks = CHECKS.map((check) => {
        const properties = propertiesOf(fieldsOfCheck(check), kind);
        return [check.id, { description: check.summary, type: 'object', properties }] as const;
      });
      return { ...description, type: 'object', properties: Object.fromEntries(checks) };
    }
    case 'bounds':
      return { ...description, type: 'object', properties: propertiesOf(PROBE_LIMITS, kind) };
    case 'group':
      return { ...description, type: 'object', properties: propertiesOf(field.fields, kind) };
    case 'object': {
      const required = Object.keys(field.fields).filter((name) => field.fields[name]?.required);
      return {
        ...description,
        type: 'object',
        ...nullable,
        ...(field.fewest && { minProperties: field.fewest }),
        ...(required.length > 0 && { required }),
        // Two appliers that each own half of it would say what neither meant.
        ...(field.isAtomic && { 'x-kubernetes-map-type': 'atomic' }),
        properties: propertiesOf(field.fields, kind),
        ...field.also,
        ...rules,
      };
    }
  }
}

function descriptionOf({ text, otherwise, nullMeans }: Field): string {
  return [
    text,
    ...(otherwise === undefined ? [] : [`Absent: what a lower layer says, else ${otherwise}.`]),
    ...(typeof nullMeans === 'string' ? [`null: ${nullMeans}, whatever lower layers say.`] : []),
  ].join(' ');
}

function integerType({ format }: FieldOf<'integer'>): OpenApiSchema {
  return { type: 'integer', format: format ?? 'int32' };
}

function integerRange({ minimum = 0, maximum = INT32_MAX }: FieldOf<'integer'>): OpenApiSchema {
  return { minimum, ...(maximum !== Infinity && { maximum }) };
}

function textSchema({ format, shortest, bound, longest, pattern, also }: FieldOf<'text'>): OpenApiSchema {
  const maxLength = bound?.maximum ?? longest;
  return {
    type: 'string',
    ...(format && { format }),
    ...(shortest !== undefined && { minLength: shortest }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
    ...also,
  };
}

/** A list of different texts. */
function setSchema(field: FieldOf<'names' | 'strings' | 'choices' | 'checkIds'>): OpenApiSchema {
  const set = (minItems: number, maxItems: number, items: OpenApiSchema): OpenApiSchema => ({
    type: 'array',
    minItems,
    maxItems,
    'x-kubernetes-list-type': 'set',
    items: { type: 'string', ...items },
  });
  if (field.type === 'choices') return set(1, choicesBound(field.choices).maximum, { enum: field.choices });
  if (field.type === 'checkIds')
    return set(field.fewest, EXCEPTION_BOUNDS.checks.maximum, { enum: CHECKS.map(({ id }) => id) });
  const pattern = field.type === 'names' ? { pattern: field.pattern } : {};
  return set(1, field.count.maximum, { minLength: 1, maxLength: field.length.maximum, ...pattern });
}

/** A port number, or the name of a container port: the syntax of `isPortName`, without the lookahead that RE2 does not have. */
const PORT: OpenApiSchema = {
  'x-kubernetes-int-or-string': true,
  minimum: 1,
  maximum: HIGHEST_PORT,
  maxLength: LONGEST_PORT_NAME,
  pattern: '^([a-z0-9]-?)*[a-z](-?[a-z0-9])*$',
};

/** An absolute HTTP path; without spaces and control characters, which the kubelet's URL does not survive. */
const PATH: OpenApiSchema = {
  type: 'string',
  minLength: 1,
  maxLength: BOUNDS.path.maximum,
  pattern: '^/[^\\x00-\\x20\\x7f]*$',
};
