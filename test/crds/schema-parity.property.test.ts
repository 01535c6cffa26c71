import { readFileSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { formatProblem } from '../../src/engine/policy/reader.ts';
import { parseProbePolicy } from '../../src/engine/policy/read-policy.ts';
import { POLICY_KINDS, type PolicyKind } from '../../src/engine/policy/probe-policy.ts';
import { OVERSIZED_SPECS, SPECS_AT_BOUNDS } from '../engine/policy/bounded-specs.ts';
import { FULL_CLUSTER_SPEC, FULL_SPEC, REFUSED_SPECS } from '../engine/policy/policy-specs.ts';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { ApiServerVerdict } from './api-server-verdict.ts';
import { anySpec, oddSpecs, validSpec } from './policy-specs-arbitrary.ts';
import { runs } from '../support/runs.ts';
import type { OpenApiSchema } from '../../scripts/crds/open-api-schema.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const servers: Readonly<Record<PolicyKind, ApiServerVerdict>> = {
  ProbePolicy: new ApiServerVerdict('ProbePolicy'),
  ClusterProbePolicy: new ApiServerVerdict('ClusterProbePolicy'),
};
const documentOf: Readonly<Record<PolicyKind, (spec: unknown) => JsonObject>> = {
  ProbePolicy: (spec) => policyDocument(spec),
  ClusterProbePolicy: (spec) => clusterPolicyDocument(spec),
};

function parserProblems(document: unknown): string[] {
  const parsed = parseProbePolicy(CHECK_CATALOGUE, document);
  return parsed.problems !== undefined ? parsed.problems.map(formatProblem) : [];
}

/** Both verdicts on what the server goes on with. True when both accept; throws when they differ. */
function agreedVerdict(document: JsonObject): boolean {
  const server = servers[document['kind'] as PolicyKind];
  const pruned = server.pruned(document);
  const objections = { server: server.problems(pruned), parser: parserProblems(pruned) };
  const accepted = objections.server.length === 0;
  if (accepted !== (objections.parser.length === 0))
    throw new Error(`verdicts differ on\n${JSON.stringify(pruned)}\n${JSON.stringify(objections, undefined, 2)}`);
  return accepted;
}

/** Lists, maps and texts that a schema says no length of. */
function unboundedPlaces(schema: OpenApiSchema, path: string): string[] {
  const isText = schema.type === 'string' || schema['x-kubernetes-int-or-string'] === true;
  const isBounded =
    (!isText || schema.maxLength !== undefined || schema.enum !== undefined) &&
    (schema.type !== 'array' || schema.maxItems !== undefined) &&
    (schema.additionalProperties === undefined || schema.maxProperties !== undefined) &&
    (schema['x-kubernetes-preserve-unknown-fields'] !== true || schema.enum !== undefined);
  const below = [
    ...Object.entries(schema.properties ?? {}).map(([key, property]) => unboundedPlaces(property, `${path}.${key}`)),
    ...[schema.items, schema.additionalProperties].map((each) => (each ? unboundedPlaces(each, `${path}[]`) : [])),
  ];
  return [...(isBounded ? [] : [path]), ...below.flat()];
}

/** Policies in YAML texts: all documents of our kinds. */
function policiesIn(text: string): JsonObject[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as JsonObject | null)
    .filter((document) => document !== null && POLICY_KINDS.some((kind) => kind === document['kind']))
    .map((document) => document as JsonObject);
}

describe('the schema and the parser', () => {
  it('accept the same example policies', () => {
    const documents = readdirSync('examples/policies').flatMap((name) =>
      policiesIn(readFileSync(`examples/policies/${name}`, 'utf8')),
    );
    expect(documents.length).toBeGreaterThan(5);
    expect(documents.map(agreedVerdict)).not.toContain(false);
  });

  it('accept the same policies of the documentation', () => {
    const documents = readdirSync('docs')
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        [
          ...readFileSync(`docs/${name}`, 'utf8').matchAll(/^```yaml\n(apiVersion: probewright[\s\S]*?)^```$/gm),
        ].flatMap(([, text = '']) => policiesIn(text)),
      );
    expect(documents.length).toBeGreaterThan(1);
    expect(documents.map(agreedVerdict)).not.toContain(false);
  });

  it("accept the parser's own test policies, and any spec-like thing that says nothing", () => {
    expect(agreedVerdict(policyDocument(FULL_SPEC))).toBe(true);
    expect(agreedVerdict(clusterPolicyDocument(FULL_CLUSTER_SPEC))).toBe(true);
    expect(agreedVerdict(policyDocument({}))).toBe(true);
  });

  it("agree on what the parser's tests refuse", () => {
    const refused = [...REFUSED_SPECS, ...OVERSIZED_SPECS].map(([spec]) => spec);
    for (const kind of POLICY_KINDS) {
      const verdicts = refused.map((spec) => agreedVerdict(documentOf[kind](spec)));
      // The others have unknown fields only, which the server drops.
      expect(verdicts.filter((accepted) => !accepted).length).toBeGreaterThan(30);
    }
  });

  it.each(POLICY_KINDS)('accept a %s at each bound and refuse it one beyond', (kind) => {
    for (const spec of SPECS_AT_BOUNDS) expect(agreedVerdict(documentOf[kind](spec)), JSON.stringify(spec)).toBe(true);
    for (const [spec, message] of OVERSIZED_SPECS) expect(agreedVerdict(documentOf[kind](spec)), message).toBe(false);
  });

  it.each(POLICY_KINDS)('bound every list, map and text of a %s', (kind) => {
    const spec = servers[kind].schema.properties?.['spec'];
    expect(spec && unboundedPlaces(spec, 'spec')).toEqual([]);
  });

  it.each(POLICY_KINDS)('accept every valid %s', (kind) =>
    fc.assert(
      fc.property(validSpec(kind), (spec) => {
        expect(agreedVerdict(documentOf[kind](spec))).toBe(true);
      }),
      { numRuns: runs(2_000) },
    ),
  );

  it.each(POLICY_KINDS)('agree on every %s, however odd', (kind) => {
    const verdicts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(anySpec(kind), (spec) => {
        verdicts[agreedVerdict(documentOf[kind](spec)) ? 'accepted' : 'refused']++;
      }),
      { numRuns: runs(6_000) },
    );
    // Neither side of the fence is looked at in passing only.
    expect(verdicts.accepted).toBeGreaterThan(runs(6_000) / 10);
    expect(verdicts.refused).toBeGreaterThan(runs(6_000) / 10);
  });

  it.each(POLICY_KINDS)('agree on every odd value in every place of a %s', (kind) => {
    const verdicts = oddSpecs(kind).map((spec) => agreedVerdict(documentOf[kind](spec)));
    expect(verdicts.length).toBeGreaterThan(40_000);
    expect(verdicts.filter(Boolean).length).toBeGreaterThan(3_000);
  });

  it.each(POLICY_KINDS)('agree on any JSON as the spec of a %s', (kind) =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (spec) => {
        agreedVerdict(documentOf[kind](spec));
      }),
      { numRuns: runs(1_000) },
    ),
  );

  it('differ only on what the server drops before it looks: unknown fields, and nulls that mean nothing', () => {
    const dropped = [
      { prot: 80 },
      { priority: 3 },
      { checks: { 'named-port': { floor: 'Warn' } } },
      { probes: { livenessProbe: { period: 5 } } },
      { workloadSelector: { matchLabels: null } },
      { workloadSelector: { matchLabels: { app: null } } },
      { probes: { livenessProbe: { httpGet: { path: null } } } },
      { checks: { 'named-port': null } },
      { checks: { 'named-port': { action: null } } },
    ];
    for (const spec of dropped) {
      const document = policyDocument(spec);
      expect(parserProblems(document), JSON.stringify(spec)).toHaveLength(1);
      expect(agreedVerdict(document), JSON.stringify(spec)).toBe(true);
    }
  });
});
