import { parse } from 'yaml';
import { HOMEPAGE } from '../../src/engine/checks/violation.ts';
import { PARAM_KIND } from '../../src/native/namespace-probes.ts';
import { crdFiles } from '../crds/crd.ts';
import { BASELINE_SCHEMA, FUNCTION_SCHEMA, PROJECT_SCHEMA, WORKLOAD_KINDS_SCHEMA } from './file-schemas.ts';
import { kindSchema, type JsonSchema } from './json-schema.ts';
import type { OpenApiSchema } from '../crds/open-api-schema.ts';

/** The folder of the generated files, from the checkout's root. */
export const SCHEMAS = 'schemas';

/** Where editors and other tools find a schema of the main branch. */
export function schemaUrl(file: string): string {
  return `${HOMEPAGE.replace('https://github.com/', 'https://raw.githubusercontent.com/')}/main/${SCHEMAS}/${file}`;
}

/** What the schemas need of a CustomResourceDefinition. */
interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly [
      { readonly name: string; readonly schema: { readonly openAPIV3Schema: OpenApiSchema } },
    ];
  };
}

/** The name that kubeconform asks for: `{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`. */
function kindSchemas(): Map<string, JsonSchema> {
  return new Map(
    [...crdFiles().values()].flatMap((text) => {
      const { group, names, versions } = (parse(text, { version: '1.1' }) as Definition).spec;
      // Nobody writes the parameters of the native policy by hand.
      if (names.kind === PARAM_KIND) return [];
      const [{ name: version, schema }] = versions;
      const file = `${group}/${names.kind.toLowerCase()}_${version}.json`;
      return [[file, kindSchema(schema.openAPIV3Schema, `${group}/${version}`, names.kind)] as const];
    }),
  );
}

/** One schema for files with objects of several kinds: an editor has one schema for a file. */
function anyKind(kinds: ReadonlyMap<string, JsonSchema>): JsonSchema {
  return {
    description: 'Any object of Probewright. Objects of other kinds are not checked.',
    type: 'object',
    allOf: [...kinds].map(([file, { properties }]) => {
      const { kind } = properties as { readonly kind: JsonSchema };
      return { if: { properties: { kind: { const: kind['const'] } }, required: ['kind'] }, then: { $ref: file } };
    }),
  };
}

/** The generated files: their names below `schemas/`, and their texts. */
export function schemaFiles(): Map<string, string> {
  const kinds = kindSchemas();
  const files = new Map([
    ...kinds,
    ['all.json', anyKind(kinds)],
    ['workload-kinds.json', WORKLOAD_KINDS_SCHEMA],
    ['baseline.json', BASELINE_SCHEMA],
    ['krm-function.json', FUNCTION_SCHEMA],
    ['project-file.json', PROJECT_SCHEMA],
  ]);
  return new Map(
    [...files].map(([file, schema]) => {
      const whole = { $schema: 'http://json-schema.org/draft-07/schema#', $id: schemaUrl(file), ...schema };
      return [file, `${JSON.stringify(whole, undefined, 2)}\n`];
    }),
  );
}
