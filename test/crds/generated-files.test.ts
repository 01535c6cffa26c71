import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { crdFiles, customResourceDefinition, definitions, OWN_KINDS } from '../../scripts/crds/crd.ts';
import type { OpenApiSchema } from '../../scripts/crds/open-api-schema.ts';

const directory = 'charts/probewright/files/crds';

/** Every schema below this one, with its place. */
function below(schema: OpenApiSchema, path: string): [path: string, schema: OpenApiSchema][] {
  return [
    [path, schema],
    ...Object.entries(schema.properties ?? {}).flatMap(([key, property]) => below(property, `${path}.${key}`)),
    ...(schema.items ? below(schema.items, `${path}[]`) : []),
  ];
}

describe('the CustomResourceDefinitions in the chart', () => {
  it('are what "npm run generate:crds" writes', () => {
    for (const [path, text] of crdFiles()) expect(readFileSync(path, 'utf8'), path).toBe(text);
    expect(readdirSync(directory).sort()).toEqual([...crdFiles().keys()].map((path) => basename(path)).sort());
  });

  it.each(['1.1', '1.2'] as const)('say the same to a reader of YAML %s', (version) => {
    for (const [index, text] of [...crdFiles().values()].entries())
      expect(parse(text, { version })).toEqual(definitions()[index]);
  });

  it.each(OWN_KINDS)('explain every field of a %s', (kind) => {
    const schema = customResourceDefinition(kind).spec.versions[0]?.schema.openAPIV3Schema ?? {};
    const silent = below(schema, kind)
      .filter(([path, { description }]) => (description ?? '').length < 5 && !path.endsWith('[]'))
      .map(([path]) => path);
    // Kubernetes has words of its own for metadata.
    expect(silent).toEqual([`${kind}.metadata`]);
  });

  it('fit into the annotation in which "kubectl apply" keeps what it applied', () => {
    for (const definition of definitions()) expect(JSON.stringify(definition).length).toBeLessThan(0.75 * 262_144);
  });
});
