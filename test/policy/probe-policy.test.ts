import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/policy/problems.ts';
import { parseProbePolicy } from '../../src/policy/probe-policy.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../worlds.ts';
import { FULL_CLUSTER_SPEC, FULL_SPEC, OVERSIZED_SPECS, REFUSED_SPECS } from './policy-specs.ts';

/** What is wrong with a policy, line by line. */
function problems(document: unknown): string[] {
  const parsed = parseProbePolicy(document);
  return 'problems' in parsed ? parsed.problems.map(formatProblem) : [];
}

const specProblems = (spec: unknown): string[] => problems(policyDocument(spec));

describe('a policy', () => {
  it('may use every field of the design', () => {
    expect(specProblems(FULL_SPEC)).toEqual([]);
    expect(problems(clusterPolicyDocument(FULL_CLUSTER_SPEC))).toEqual([]);
  });

  it('is known by kind, namespace and name', () => {
    expect(parsedPolicy(policyDocument({}, 'static', 'apps')).source).toBe('ProbePolicy/apps/static');
    expect(parsedPolicy(clusterPolicyDocument({}, 'all')).source).toBe('ClusterProbePolicy/all');
  });

  it('may carry what the API server adds', () => {
    expect(
      problems({
        ...policyDocument({}),
        metadata: { name: 'a', namespace: 'b', uid: 'x', managedFields: [] },
        status: { conditions: [] },
      }),
    ).toEqual([]);
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
    expect(problems(document)).toEqual([
      'apiVersion: must be probewright.dev/v1alpha1, not "probewright.dev/v1"',
      'metadata.name: "Bad Name" is not an object name: lower-case letters, digits, "-" and "."',
      'metadata.namespace: must be given',
      'spec.prot: unknown field; did you mean "port"?',
      'spec.kubernetesProbeEndpoints.readines: unknown probe; did you mean "readinessProbe"?',
      'spec.kubernetesProbeEndpoints.startupProbe: must start with "/", not "healthz"',
      'spec.slowStart.startupSeconds: must be a whole number, not "300"',
    ]);
  });

  it.each(REFUSED_SPECS)('is refused for %j', (spec, message) => {
    expect(specProblems(spec)).toEqual([message]);
  });

  it('is refused when a list or a text is longer than an API server could look through', () => {
    for (const [spec, message] of OVERSIZED_SPECS) expect(specProblems(spec)).toEqual([message]);
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

  it('never makes the parser throw, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(problems(value).length).toBeGreaterThan(0);
        expect(() => problems(policyDocument(value))).not.toThrow();
        expect(() =>
          problems(clusterPolicyDocument({ probes: value, checks: value, workloadSelector: value, containers: value })),
        ).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});
