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
