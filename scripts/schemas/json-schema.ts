import type { OpenApiSchema } from '../crds/open-api-schema.ts';

/** A JSON Schema of draft 7, the newest draft that the language server for YAML reads in full. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Fields of the object itself. An editor has to leave room for labels and for what the server writes. */
const OPEN_FIELDS: readonly string[] = ['metadata', 'status'];

/**
 * Returns the JSON Schema of a custom resource for editors. Unknown fields of `spec` are problems, as they are for the
 * parser: the API server alone would drop them.
 */
export function kindSchema(schema: OpenApiSchema, apiVersion: string, kind: string): JsonSchema {
  const { description, properties = {}, required = [] } = schema;
  return {
    description,
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', ...required],
    properties: {
      ...Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => !OPEN_FIELDS.includes(name))
          .map(([name, property]) => [name, jsonSchema(property)]),
      ),
      apiVersion: { description: 'The version of the API.', const: apiVersion },
      kind: { description: 'The kind of the object.', const: kind },
      metadata: metadataSchema(),
      ...(properties['status'] && { status: { description: properties['status'].description, type: 'object' } }),
    },
    additionalProperties: false,
  };
}

function metadataSchema(): JsonSchema {
  return {
    description: 'The name of the object, the namespace of a namespaced object, labels and annotations.',
    type: 'object',
    required: ['name'],
    properties: {
      name: { description: 'The name, unique for the kind in its namespace.', type: 'string', minLength: 1 },
      namespace: { description: 'The namespace of the object.', type: 'string', minLength: 1 },
    },
  };
}

/** Returns a schema of a CustomResourceDefinition in the words of JSON Schema. CEL rules have no such words. */
export function jsonSchema(schema: OpenApiSchema): JsonSchema {
  return withNull(schema, true);
}

/** @param isWhole false for a condition on an object, which says nothing of the object's other fields */
function withNull({ nullable, ...schema }: OpenApiSchema, isWhole: boolean): JsonSchema {
  const inner = withoutNull(schema, isWhole);
  if (nullable !== true) return inner;
  // With one list of types, an editor shows the problems of the object, and not those of each alternative.
  return holdsNull(schema)
    ? { ...inner, type: [inner['type'], 'null'].flat() }
    : { description: inner['description'], anyOf: [inner, { type: 'null' }] };
}

/** True if null fails the type alone. Keywords about objects, texts and numbers say nothing about null. */
function holdsNull({ enum: choices, allOf = [], anyOf = [], not }: OpenApiSchema): boolean {
  return choices === undefined && not === undefined && [...allOf, ...anyOf].every(({ type }) => type === undefined);
}

function withoutNull(schema: OpenApiSchema, isWhole: boolean): JsonSchema {
  const { items, properties, additionalProperties, allOf, anyOf, not, ...rest } = schema;
  const isOpen = !isWhole || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const condition = (part: OpenApiSchema): JsonSchema => withNull(part, false);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !key.startsWith('x-kubernetes-') && key !== 'format')),
    ...(schema['x-kubernetes-int-or-string'] === true && { type: ['integer', 'string'] }),
    ...(schema['x-kubernetes-list-type'] === 'set' && { uniqueItems: true }),
    ...(items && { items: withNull(items, isWhole) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, withNull(value, isWhole)])),
    }),
    ...(properties && !isOpen && { additionalProperties: false }),
    ...(additionalProperties && { additionalProperties: withNull(additionalProperties, isWhole) }),
    ...(allOf && { allOf: allOf.map(condition) }),
    ...(anyOf && { anyOf: anyOf.map(condition) }),
    ...(not && { not: condition(not) }),
  };
}
