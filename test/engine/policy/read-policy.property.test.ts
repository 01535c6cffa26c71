import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
import { parseProbePolicy } from '../../../src/engine/policy/read-policy.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { HEAVY_SPEC, OVERSIZED_SPECS, SPECS_AT_BOUNDS } from './bounded-specs.ts';
import { FULL_CLUSTER_SPEC, FULL_SPEC, REFUSED_SPECS } from './policy-specs.ts';
import { policyProblems, specProblems } from './spec-problems.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describe('a policy', () => {
  it('may use every field of the design', () => {
    expect(specProblems(FULL_SPEC)).toEqual([]);
    expect(policyProblems(clusterPolicyDocument(FULL_CLUSTER_SPEC))).toEqual([]);
  });

  it('is known by kind, namespace and name', () => {
    expect(parsedPolicy(policyDocument({}, 'static', 'apps')).source).toBe('ProbePolicy/apps/static');
    expect(parsedPolicy(clusterPolicyDocument({}, 'all')).source).toBe('ClusterProbePolicy/all');
  });

  it('that says nothing is for the main container, and asks for nothing', () => {
    const nothing = { priority: 0, containers: 'main', probes: {}, slowStart: {}, checks: new Map() };
    expect(parsedPolicy(policyDocument({}, 'static', 'apps'))).toStrictEqual({
      ...nothing,
      ...{ kind: 'ProbePolicy', name: 'static', namespace: 'apps', source: 'ProbePolicy/apps/static' },
    });
    expect(parsedPolicy(clusterPolicyDocument({}, 'all'))).toStrictEqual({
      ...nothing,
      ...{ kind: 'ClusterProbePolicy', name: 'all', source: 'ClusterProbePolicy/all' },
    });
  });

  it.each<[unknown, unknown]>([
    [undefined, 'main'],
    [null, 'main'],
    [['*'], 'all'],
    [['app'], ['app']],
  ])('with the containers %j is for %j', (containers, expected) =>
    expect(parsedPolicy(policyDocument({ containers })).containers).toEqual(expected),
  );

  it('with images is for all containers, unless it names some', () => {
    const of = (spec: object): unknown => parsedPolicy(policyDocument({ images: ['nginx'], ...spec })).containers;
    expect([of({}), of({ containers: ['app'] })]).toEqual(['all', ['app']]);
  });

  it('of a namespace has none of the fields of a ClusterProbePolicy', () => {
    for (const name of ['namespaceSelector', 'priority', 'annotations', 'exceptions'])
      for (const value of [null, {}])
        expect(specProblems({ [name]: value })).toEqual([`spec.${name}: only a ClusterProbePolicy has this field`]);
    const { exceptions } = parsedPolicy(clusterPolicyDocument({ exceptions: { maximumDays: 30 } }));
    expect(exceptions).toEqual({ maximumDays: 30 });
  });

  it.each<[unknown, string[]]>([
    [undefined, ['metadata: must be an object, not nothing']],
    [{ namespace: 'apps' }, ['metadata.name: must be given']],
    [
      { name: 'all', namespace: 'A' },
      ['metadata.namespace: "A" is not an object name: lower-case letters, digits, "-" and "."'],
    ],
  ])('has a name and a namespace, unlike %j', (metadata, expected) =>
    expect(policyProblems({ ...policyDocument({}), metadata })).toEqual(expected),
  );

  it('of the cluster has no namespace', () =>
    expect(policyProblems({ ...policyDocument({}), kind: 'ClusterProbePolicy' })).toEqual([
      'metadata.namespace: must be left out: a ClusterProbePolicy is for every namespace that it selects',
    ]));

  it('has a kind and a spec', () => {
    expect(policyProblems({ ...policyDocument({}), kind: 'ProbePolicies', spec: 1 })).toEqual([
      'kind: must be ProbePolicy or ClusterProbePolicy, not "ProbePolicies"; did you mean "ProbePolicy"?',
    ]);
    for (const spec of [undefined, null])
      expect(specProblems(spec)).toEqual(['spec: must be given; {} is a policy that says nothing']);
    expect(policyProblems([])).toEqual(['must be an object, not []']);
    expect(policyProblems({ ...policyDocument({}), data: {} })).toEqual([
      'data: unknown field; known here: apiVersion, kind, metadata, spec, status',
    ]);
  });

  it('may carry what the API server adds', () =>
    expect(
      policyProblems({
        ...policyDocument({}),
        metadata: { name: 'a', namespace: 'b', uid: 'x', managedFields: [] },
        status: { conditions: [] },
      }),
    ).toEqual([]));

  it('may have more labels to match than a call has room for arguments', () => {
    const matchLabels = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`a${index}`, 'b']));
    expect(specProblems({ workloadSelector: { matchLabels } })).toEqual([
      'spec.workloadSelector.matchLabels: must have at most 64 labels, not 150000',
    ]);
  });

  it('is warned about when an empty probe says nothing, as a null becomes in some server-side applies', () => {
    const warnings = (spec: unknown): string[] => {
      const parsed = parseProbePolicy(CHECK_CATALOGUE, policyDocument(spec));
      return 'policy' in parsed ? parsed.warnings.map(formatProblem) : ['refused'];
    };
    const text =
      '{} says nothing about the probe; write { disabled: true } to never inject the probe, or leave the field out';
    expect(warnings({ probes: { startupProbe: {}, livenessProbe: { periodSeconds: 3 }, readinessProbe: {} } })).toEqual(
      [`spec.probes.readinessProbe: ${text}`, `spec.probes.startupProbe: ${text}`],
    );
    expect(warnings({ probes: { livenessProbe: {} }, kubernetesProbeEndpoints: { livenessProbe: '/live' } })).toEqual([
      `spec.probes.livenessProbe: ${text}`,
    ]);
    for (const spec of [
      FULL_SPEC,
      {},
      { probes: {} },
      { probes: null },
      { probes: { startupProbe: null } },
      { probes: { startupProbe: { disabled: true } } },
      { probes: { startupProbe: { periodSeconds: null } } },
    ])
      expect(warnings(spec)).toEqual([]);
  });

  it('reports a hundred problems, and that there are more', () => {
    const fields = specProblems(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`a${index}`, 1])));
    expect([fields.length, fields[100]]).toEqual([101, 'spec.a100: more problems, from here on, are not listed']);
  });

  it('is quoted no further than a message has room for', () => {
    // As JSON, this is longer than a text can be.
    const port = Array.from({ length: 20_000 }, () => 'x'.repeat(100_000));
    expect(specProblems({ port })).toEqual([`spec.port: must be a port's number or name, not ["${'x'.repeat(55)}...`]);
    expect(specProblems({ port: { a: [1, null], b: {}, 'c"': [] } })).toEqual([
      'spec.port: must be a port\'s number or name, not {"a":[1,null],"b":{},"c\\"":[]}',
    ]);
  });

  it('reports every problem, each with its path', () => {
    const document = {
      apiVersion: 'probewright.dev/v1',
      kind: 'ProbePolicy',
      metadata: { name: 'Bad Name' },
      spec: {
        prot: 1,
        kubernetesProbeEndpoints: { startupProbe: 'healthz', readines: '/x' },
        slowStart: { startupSeconds: '300' },
      },
    };
    expect(policyProblems(document)).toEqual([
      'apiVersion: must be probewright.dev/v1alpha1, not "probewright.dev/v1"',
      'metadata.name: "Bad Name" is not an object name: lower-case letters, digits, "-" and "."',
      'metadata.namespace: must be given',
      'spec.prot: unknown field; did you mean "port"?',
      'spec.kubernetesProbeEndpoints.readines: unknown probe; did you mean "readinessProbe"?',
      'spec.kubernetesProbeEndpoints.startupProbe: must start with "/", not "healthz"',
      'spec.slowStart.startupSeconds: must be a whole number, not "300"',
    ]);
  });

  it.each(REFUSED_SPECS)('is refused for %j', (spec, message) => expect(specProblems(spec)).toEqual([message]));

  it('may be as large as each bound says', () => {
    for (const spec of SPECS_AT_BOUNDS) expect(specProblems(spec)).toEqual([]);
  });

  it('is refused when a list, map or text is beyond its bound: path, value and bound are named', () => {
    for (const [spec, message] of OVERSIZED_SPECS) expect(specProblems(spec)).toEqual([message]);
  });

  it('is refused when its spec is larger than 64 KiB as JSON, within every other bound', () => {
    expect(specProblems(HEAVY_SPEC)).toEqual([
      expect.stringMatching(/^spec: must have at most 65536 bytes as JSON, not 65[56]\d\d$/),
    ]);
    // 4,096 characters of two UTF-16 units and four bytes each, as the bound of a path counts them.
    const paths = Array.from({ length: 4 }, (_, index) => `${index}${'😀'.repeat(4095)}`);
    expect(specProblems({ checks: { 'dependency-liveness': { paths } } })).toEqual([
      expect.stringMatching(/^spec: must have at most 65536 bytes as JSON, not 65[56]\d\d$/),
    ]);
    expect(specProblems({ checks: { 'dependency-liveness': { paths: paths.slice(0, 3) } } })).toEqual([]);
  });

  it('may have exactly 64 KiB as JSON', () => {
    const paths = (last: number): string[] =>
      Array.from({ length: 16 }, (_, index) => index.toString(16).repeat(index < 15 ? 4096 : last));
    const spec = (last: number): JsonObject => ({ checks: { 'dependency-liveness': { paths: paths(last) } } });
    const last = 65_536 - JSON.stringify(spec(0)).length;
    expect(specProblems(spec(last))).toEqual([]);
    expect(specProblems(spec(last + 1))).toEqual(['spec: must have at most 65536 bytes as JSON, not 65537']);
  });

  it('names a program when the API server sees more than white space: a byte order mark is a character', () => {
    const spec = (word: string): JsonObject => ({ probes: { livenessProbe: { exec: { command: [word] } } } });
    expect(parsedPolicy(policyDocument(spec('\ufeff'))).probes.livenessProbe?.handler?.fields).toEqual({
      command: ['\ufeff'],
    });
    for (const blank of ['', ' ', '\u0085', '\u00a0\u2003\u2028'])
      expect(specProblems(spec(blank))).toEqual([
        'spec.probes.livenessProbe.exec.command[0]: must name the program to run',
      ]);
  });

  it('may put httpGet fields beside an endpoint path, which is httpGet.path', () => {
    const policy = parsedPolicy(
      policyDocument({
        kubernetesProbeEndpoints: { livenessProbe: '/x' },
        probes: { livenessProbe: { httpGet: { scheme: 'HTTPS' } } },
      }),
    );
    expect(policy.probes.livenessProbe?.handler).toEqual({ kind: 'httpGet', fields: { path: '/x', scheme: 'HTTPS' } });
  });

  it('never makes the parser throw, whatever it is', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(policyProblems(value).length).toBeGreaterThan(0);
        expect(() => policyProblems(policyDocument(value))).not.toThrow();
        expect(() =>
          policyProblems(
            clusterPolicyDocument({ probes: value, checks: value, workloadSelector: value, containers: value }),
          ),
        ).not.toThrow();
      }),
      { numRuns: runs(500) },
    ));
});
