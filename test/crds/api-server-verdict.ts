import { Environment, type RegisterVariableOptions } from '@marcbachmann/cel-js';
import { Ajv } from 'ajv';
import { customResourceDefinition, type OwnKind } from '../../scripts/crds/crd.ts';
import { jsonSchema } from '../../scripts/schemas/json-schema.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';
import type { OpenApiSchema } from '../../scripts/crds/open-api-schema.ts';
import type { CelRule } from '../../src/engine/policy/field.ts';

/** A rule, with the schema that it stands in and its place: `spec.containers`, `spec.workloadSelector.matchExpressions[]`. */
export interface PlacedRule extends CelRule {
  readonly path: string;
  readonly schema: OpenApiSchema;
  /** How many values the rule may be run on for one object. */
  readonly cardinality: number;
}

/**
 * What an API server does with a custom resource of ours: it drops what the schema does not know, holds the rest to the schema, and runs
 * the CEL rules. Modelled after apiextensions-apiserver, and held to a real one in test/e2e/crds.cluster.test.ts.
 */
export class ApiServerVerdict {
  readonly schema: OpenApiSchema;
  readonly rules: readonly PlacedRule[];
  readonly #validate;
  readonly #programs: ReadonlyMap<PlacedRule, (context: { self: unknown }) => unknown>;

  constructor(kind: OwnKind) {
    this.schema = customResourceDefinition(kind).spec.versions[0]?.schema.openAPIV3Schema ?? {};
    this.#validate = new Ajv({ strict: false, allErrors: true }).compile(jsonSchema(this.schema));
    this.rules = placedRules(this.schema, '', 1);
    this.#programs = new Map(this.rules.map((rule) => [rule, celEnvironment(rule.schema).parse(rule.rule)]));
  }

  /** The document as the server goes on with it: unknown fields are gone, and nulls where the schema is not nullable. */
  pruned(document: JsonObject): JsonObject {
    const { apiVersion, kind, metadata, ...rest } = document;
    return { apiVersion, kind, metadata, ...(pruned(rest, this.schema) as JsonObject) };
  }

  /** What the schema has against a pruned document. */
  schemaProblems(document: JsonObject): string[] {
    this.#validate(document);
    return (this.#validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message ?? ''}`);
  }

  /** What the CEL rules have against a pruned document that the schema accepts. */
  ruleProblems(document: JsonObject): string[] {
    const problems: string[] = [];
    for (const [rule, program] of this.#programs) {
      for (const value of valuesAt(document, rule.path.split(/\.|(?=\[\])/))) {
        if (value === undefined || value === null) continue;
        if (program({ self: celValue(value, rule.schema) }) !== true) problems.push(`${rule.path}: ${rule.message}`);
      }
    }
    return problems;
  }

  /** Every objection to a pruned document, as a server with CEL has them. */
  problems(document: JsonObject): string[] {
    const problems = this.schemaProblems(document);
    return problems.length > 0 ? problems : this.ruleProblems(document);
  }
}

/** Checks a rule's types as its schema declares them; the reason why it does not fit, or undefined. */
export function typeProblem({ rule, schema }: PlacedRule): string | undefined {
  const { valid, type, error } = celEnvironment(schema).check(rule);
  if (!valid) return error?.message ?? 'not valid';
  return type === 'bool' ? undefined : `is ${String(type)}, not bool`;
}

function pruned(value: unknown, schema: OpenApiSchema): unknown {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return value;
  if (Array.isArray(value)) return value.map((element: unknown) => pruned(element, schema.items ?? {}));
  if (!isJsonObject(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    const known = propertyOf(schema, key) ?? schema.additionalProperties;
    if (known !== undefined && (member !== null || known.nullable === true)) kept.push([key, pruned(member, known)]);
  }
  return Object.fromEntries(kept);
}

function propertyOf(schema: OpenApiSchema, key: string): OpenApiSchema | undefined {
  return schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
}

function placedRules(schema: OpenApiSchema, path: string, cardinality: number): PlacedRule[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ ...rule, path, schema, cardinality }));
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
    placedRules(property, path === '' ? key : `${path}.${key}`, cardinality),
  );
  const items = schema.items ? placedRules(schema.items, `${path}[]`, cardinality * (schema.maxItems ?? Infinity)) : [];
  return [...own, ...below, ...items];
}

function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return [value];
  if (step === '[]') return Array.isArray(value) ? value.flatMap((element) => valuesAt(element, rest)) : [];
  return isJsonObject(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : [];
}

/** An environment in which `self` has the type that Kubernetes derives from the schema. */
function celEnvironment(schema: OpenApiSchema): Environment {
  const type = celType(schema);
  const environment = new Environment();
  if (typeof type === 'string') return environment.registerVariable('self', type);
  return environment.registerVariable('self', { schema: type } as unknown as RegisterVariableOptions);
}

type CelType = string | { readonly [field: string]: CelType };

/** Kubernetes' SchemaDeclType. A field without a type is not there for CEL. */
function celType(schema: OpenApiSchema): CelType {
  if (schema['x-kubernetes-int-or-string'] === true) return 'dyn';
  switch (schema.type) {
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'array': {
      const items = celType(schema.items ?? {});
      return `list<${typeof items === 'string' ? items : 'dyn'}>`;
    }
    case 'object':
      if (schema.additionalProperties !== undefined) return 'map<string, string>';
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([, property]) => property['x-kubernetes-preserve-unknown-fields'] !== true)
          .map(([key, property]) => [key, celType(property)]),
      );
    default:
      return 'dyn';
  }
}

/** A value as Kubernetes shows it to CEL: null fields are absent, integers are ints. */
function celValue(value: unknown, schema: OpenApiSchema): unknown {
  if (Array.isArray(value)) return value.map((element) => celValue(element, schema.items ?? {}));
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members
      .filter(([key]) => propertyOf(schema, key)?.['x-kubernetes-preserve-unknown-fields'] !== true)
      .map(([key, member]) => [key, celValue(member, propertyOf(schema, key) ?? schema.additionalProperties ?? {})]),
  );
}
