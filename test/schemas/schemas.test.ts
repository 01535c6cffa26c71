import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { schemaFiles, SCHEMAS, schemaUrl } from '../../scripts/schemas/schema-files.ts';
import { baselineText } from '../../src/cli/check/baseline.ts';
import { readFunctionConfig } from '../../src/cli/krm/function-config.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { parseProbePolicy } from '../../src/engine/policy/read-policy.ts';
import { POLICY_KINDS } from '../../src/engine/policy/probe-policy.ts';
import { readWorkloadKinds } from '../../src/cluster/sources/workload-kinds.ts';
import { FULL_CLUSTER_SPEC, FULL_SPEC } from '../engine/policy/policy-specs.ts';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { ApiServerVerdict } from '../crds/api-server-verdict.ts';
import { anySpec, validSpec } from '../crds/policy-specs-arbitrary.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const files = schemaFiles();
const schemas = new Map([...files].map(([file, text]) => [file, JSON.parse(text) as JsonObject]));
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
for (const schema of schemas.values()) ajv.addSchema(schema);

/** The problems of a value, each with its place. */
function problems(file: string, value: unknown): string[] {
  const validate = ajv.getSchema(schemaUrl(file));
  if (validate === undefined) throw new Error(`no schema ${file}`);
  void validate(value);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath}: ${message ?? ''} ${String(params['additionalProperty'] ?? '')}`.trim(),
  );
}

const OF_POLICY = 'probewright.dev/probepolicy_v1alpha1.json';
const OF_CLUSTER_POLICY = 'probewright.dev/clusterprobepolicy_v1alpha1.json';

/** Every schema below this one, with its place. */
function below(schema: JsonObject, path: string): [path: string, schema: JsonObject][] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([key, property]) => below(property, `${path}.${key}`)),
    ...(schema['items'] === undefined ? [] : below(schema['items'] as JsonObject, `${path}[]`)),
  ];
}

/** Texts that name their schema, as the language server for YAML reads the first comment. */
function textsWithModeline(): [place: string, schema: string, text: string][] {
  const modeline = /^# yaml-language-server: \$schema=(\S+)\n/;
  const blocks = ['README.md', ...readdirSync('docs').map((name) => join('docs', name))]
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/^ *```yaml\n([\s\S]*?)^ *```$/gm)].map(
        ([, block = '']) => [path, block] as const,
      ),
    );
  const examples = readdirSync('examples', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [join('examples', name), readFileSync(join('examples', name), 'utf8')] as const);
  return [...blocks, ...examples].flatMap(([path, text]) => {
    const url = modeline.exec(text)?.[1];
    return url === undefined ? [] : [[path, url, text]];
  });
}

describe('the JSON Schemas', () => {
  it('are what "npm run generate:crds" writes', () => {
    const written = readdirSync(SCHEMAS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
    expect(written.sort()).toEqual([...files.keys()].sort());
    for (const [file, text] of files) expect(readFileSync(join(SCHEMAS, file), 'utf8'), file).toBe(text);
  });

  it('have one for each CustomResourceDefinition of the chart that people write', () => {
    const written = readdirSync('charts/probewright/files/crds').filter((name) => name !== 'namespaceprobes.yaml');
    const kinds = written.map((name) => {
      const { spec } = parse(readFileSync(join('charts/probewright/files/crds', name), 'utf8')) as {
        spec: { group: string; names: { kind: string } };
      };
      return `${spec.group}/${spec.names.kind.toLowerCase()}_v1alpha1.json`;
    });
    expect([...files.keys()].filter((file) => file.includes('/')).sort()).toEqual(kinds.sort());
    const { allOf } = schemas.get('all.json') as { allOf: readonly { then: { $ref: string } }[] };
    expect(allOf.map(({ then }) => then.$ref).sort()).toEqual(kinds.sort());
  });

  it('explain every field', () => {
    for (const [file, schema] of schemas) {
      const silent = below(schema, '')
        .filter(([path, { description }]) => (typeof description !== 'string' || description.length < 5) && !path.endsWith('[]'))
        .map(([path]) => path);
      expect(silent, file).toEqual([]);
    }
  });

  it('accept every policy that the parser accepts, without the nulls that an API server drops', () => {
    const servers = new Map(POLICY_KINDS.map((kind): [unknown, ApiServerVerdict] => [kind, new ApiServerVerdict(kind)]));
    const check = (written: JsonObject): void => {
      // An editor should complain about `containers: null`, which has no effect.
      const document = servers.get(written['kind'])?.pruned(written) ?? written;
      if ('problems' in parseProbePolicy(CHECK_CATALOGUE, document)) return;
      const file = document['kind'] === 'ProbePolicy' ? OF_POLICY : OF_CLUSTER_POLICY;
      expect(problems(file, document), JSON.stringify(document)).toEqual([]);
      expect(problems('all.json', document)).toEqual([]);
    };
    check(policyDocument(FULL_SPEC));
    check(clusterPolicyDocument(FULL_CLUSTER_SPEC));
    fc.assert(fc.property(fc.oneof(validSpec('ProbePolicy'), anySpec('ProbePolicy')), (spec) => check(policyDocument(spec))));
    fc.assert(
      fc.property(fc.oneof(validSpec('ClusterProbePolicy'), anySpec('ClusterProbePolicy')), (spec) => check(clusterPolicyDocument(spec))),
    );
  });

  it('find a misspelt field, a wrong value and a field of the other kind', () => {
    expect(problems(OF_POLICY, policyDocument({ probes: { livenessProbe: { periodSecond: 5 } } }))).toEqual([
      '/spec/probes/livenessProbe: must NOT have additional properties periodSecond',
    ]);
    expect(problems('all.json', policyDocument({ checks: { 'named-port': { action: 'Denied' } } }))).toContain(
      '/spec/checks/named-port/action: must be equal to one of the allowed values',
    );
    expect(problems(OF_POLICY, policyDocument({ priority: 5 }))).toEqual([
      '/spec: must NOT have additional properties priority',
    ]);
    expect(problems(OF_CLUSTER_POLICY, policyDocument({}))).toContain('/kind: must be equal to constant');
  });

  it('leave objects of other kinds alone in a file of several kinds', () => {
    expect(problems('all.json', { apiVersion: 'v1', kind: 'Namespace', anything: true })).toEqual([]);
  });

  it('agree with the reader of custom kinds', () => {
    const entry = { group: 'example.com', kind: 'App', podTemplatePath: 'spec.jobs.*.template' };
    const texts = [[entry], [{ ...entry, podTemplatePath: 'spec..x' }], [{ ...entry, path: 'x' }], [{ kind: 'App' }], {}];
    for (const value of texts) {
      const isRead = readWorkloadKinds('kinds.yaml', JSON.stringify(value)).problems === undefined;
      expect(problems('workload-kinds.json', value).length === 0, JSON.stringify(value)).toBe(isRead);
    }
  });

  it('accept a baseline that the program writes', () => {
    const finding = { check: 'named-port', kind: 'Deployment', namespace: 'apps', name: 'web', container: 'app' };
    const text = baselineText([finding, { ...finding, probe: 'livenessProbe' }]);
    expect(problems('baseline.json', JSON.parse(text))).toEqual([]);
    expect(problems('baseline.json', { version: 2, findings: [] })).toEqual(['/version: must be equal to constant']);
  });

  it('know the fields of a functionConfig, and no other', () => {
    const config = (spec: unknown): unknown => ({ apiVersion: 'probewright.dev/v1alpha1', kind: 'ProbewrightFunction', spec });
    for (const spec of [{}, { mode: 'fix', advice: true }, { mode: 'fixed' }, { policy: [] }, { strict: 'true' }]) {
      const read = expect(() => readFunctionConfig(config(spec)), JSON.stringify(spec));
      if (problems('krm-function.json', config(spec)).length === 0) read.not.toThrow();
      else read.toThrow(AggregateError);
    }
  });

  it('are named by the examples, which they accept', () => {
    const found = textsWithModeline();
    expect(found.map(([place]) => place)).toEqual(
      expect.arrayContaining(['docs/policies.md', 'examples/quick-start/policy.yaml']),
    );
    for (const [place, url, text] of found) {
      const file = [...files.keys()].find((name) => schemaUrl(name) === url);
      expect(file, `${place}: ${url}`).toBeDefined();
      for (const document of parseAllDocuments(text, { version: '1.1' }))
        expect(problems(file ?? '', document.toJS()), place).toEqual([]);
    }
  });

  it('are named by every file of policies among the examples', () => {
    const silent = readdirSync('examples', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml'))
      .filter((name) => /^apiVersion: probewright\.dev\//m.test(readFileSync(join('examples', name), 'utf8')))
      .filter((name) => !readFileSync(join('examples', name), 'utf8').startsWith('# yaml-language-server: '));
    expect(silent).toEqual([]);
  });
});
