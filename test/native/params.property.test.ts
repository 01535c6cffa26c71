import fc from 'fast-check';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { jsonSchema } from '../../scripts/schemas/json-schema.ts';
import { valueAt } from '../../src/base/json/field-path.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json/json-value.ts';
import { PARAM_DEFINITION } from '../../src/native/namespace-probes.ts';
import { nativeObjects } from '../../src/native/objects.ts';
import { factsOf } from '../engine/checks/workload.ts';
import { runs } from '../support/runs.ts';
import { policySet } from '../support/worlds.ts';
import { nativePolicies, nativeServices } from './native-worlds.ts';
import type { OpenApiSchema } from '../../scripts/crds/open-api-schema.ts';

const SCHEMA = valueAt(PARAM_DEFINITION, ['spec', 'versions', 0, 'schema', 'openAPIV3Schema']) as OpenApiSchema;

/** The members that an API server would drop, because the schema does not know them. */
function dropped(value: unknown, schema: OpenApiSchema, path: string): string[] {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true || path === '.metadata') return [];
  if (Array.isArray(value)) return value.flatMap((one) => dropped(one, schema.items ?? {}, `${path}[]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const known = schema.properties?.[key] ?? schema.additionalProperties;
    return known === undefined ? [`${path}.${key}`] : dropped(member, known, `${path}.${key}`);
  });
}

it('a parameter fits the schema of its kind, so the API server keeps all of it', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(jsonSchema(SCHEMA));
  fc.assert(
    fc.property(nativePolicies, nativeServices, (documents, services) => {
      const snapshot = policySet(...documents).withFacts(factsOf(services));
      const params = nativeObjects(snapshot, 'probewright').filter(({ kind }) => kind === 'NamespaceProbes');
      expect(params.length).toBeGreaterThan(0);
      for (const param of params) {
        expect(dropped(param, SCHEMA, '')).toEqual([]);
        validate(JSON.parse(JSON.stringify(param)) as JsonObject);
        expect(validate.errors ?? []).toEqual([]);
      }
    }),
    { numRuns: runs(2000) },
  );
});
