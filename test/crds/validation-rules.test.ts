import { describe, expect, it } from 'vitest';
import { OWN_KINDS } from '../../scripts/crds/crd.ts';
import { clusterPolicyDocument } from '../support/worlds.ts';
import { ApiServerVerdict, typeProblem, type PlacedRule } from './api-server-verdict.ts';

const server = new ApiServerVerdict('ClusterProbePolicy');

function objections(spec: unknown): string[] {
  const pruned = server.pruned(clusterPolicyDocument(spec));
  expect(server.schemaProblems(pruned)).toEqual([]);
  return server.ruleProblems(pruned);
}

const has = (rule: PlacedRule, text: string): boolean => rule.rule.includes(text);

describe('the CEL rules', () => {
  it.each(OWN_KINDS)('of a %s fit the types that Kubernetes derives from the schema, and give a bool', (kind) =>
    expect(new ApiServerVerdict(kind).rules.flatMap((rule) => typeProblem(rule) ?? [])).toEqual([]),
  );

  it('would not pass that check with a wrong field or type', () => {
    const [rule] = server.rules.filter(({ path }) => path.endsWith('periodSeconds'));
    if (rule === undefined) throw new Error('no rule at periodSeconds');
    expect(typeProblem({ ...rule, rule: 'self.minimun > 1' })).toContain('minimun');
    expect(typeProblem({ ...rule, rule: "self.minimum == 'a'" })).toContain('overload');
    expect(typeProblem({ ...rule, rule: 'self.minimum' })).toBe('is int, not bool');
  });

  it.each<[spec: object, objection: string]>([
    [{ containers: ['*', 'a'] }, 'spec.containers: "*" is every application container: list it alone'],
    [
      { workloadSelector: { matchLabels: { 'a/b/c': '' } } },
      'spec.workloadSelector.matchLabels: a label key is at most 63 letters, digits, "-", "_" and ".", after an optional DNS prefix and "/": app.kubernetes.io/name',
    ],
    [
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn' }] } },
      'spec.namespaceSelector.matchExpressions[]: values must have at least one value with operator In or NotIn',
    ],
    [
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      'spec.namespaceSelector.matchExpressions[]: values must be left out with operator Exists or DoesNotExist',
    ],
    [
      { probes: { startupProbe: { httpGet: {}, exec: { command: ['x'] } } } },
      'spec.probes.startupProbe: must have one handler: exec, httpGet, tcpSocket or grpc',
    ],
    [
      { probes: { readinessProbe: { terminationGracePeriodSeconds: 5 } } },
      'spec.probes.readinessProbe: terminationGracePeriodSeconds must not be set for a readinessProbe',
    ],
    [
      { probes: { livenessProbe: { exec: { command: [' '] } } } },
      'spec.probes.livenessProbe.exec.command: the first element must name the program to run',
    ],
    [
      { kubernetesProbeEndpoints: { livenessProbe: '/a' }, probes: { livenessProbe: { tcpSocket: { port: 1 } } } },
      'spec: kubernetesProbeEndpoints.livenessProbe is an HTTP path, but probes.livenessProbe has another handler: leave one of them out',
    ],
    [
      { kubernetesProbeEndpoints: { livenessProbe: '/a' }, probes: { livenessProbe: { httpGet: { path: '/b' } } } },
      'spec: kubernetesProbeEndpoints.livenessProbe and probes.livenessProbe.httpGet.path differ: give one',
    ],
    [
      { checks: { 'probe-bounds': { livenessProbe: { periodSeconds: { minimum: 9, maximum: 5 } } } } },
      'spec.checks.probe-bounds.livenessProbe.periodSeconds: minimum is larger than maximum: no value would do',
    ],
  ])('say what is wrong with %j, and nothing else', (spec, objection) => expect(objections(spec)).toEqual([objection]));

  it('leave nulls alone, which Kubernetes shows to them as absent', () => {
    expect(objections({ kubernetesProbeEndpoints: { livenessProbe: null }, probes: { livenessProbe: null } })).toEqual(
      [],
    );
    expect(objections({ probes: { readinessProbe: { terminationGracePeriodSeconds: null } } })).toEqual([]);
  });

  it.each(OWN_KINDS)(
    'of a %s use nothing that is new, and nothing that JavaScript and RE2 read differently',
    (kind) => {
      // Kubernetes 1.25 knows these.
      const known = ['has', 'size', 'all', 'matches', 'trim'];
      for (const { rule } of new ApiServerVerdict(kind).rules) {
        const code = rule.replaceAll(/'[^']*'/g, "''");
        expect(
          [...code.matchAll(/(\w+)\(/g)].map(([, name]) => name).filter((name) => !known.includes(name ?? '')),
        ).toEqual([]);
        expect(code).not.toMatch(/\boldSelf\b|\?\.|null/);
        expect(rule).not.toMatch(/\(\?/);
      }
    },
  );

  it.each(OWN_KINDS)('of a %s are few and cheap: bounded places, bounded lists, no loop in a loop', (kind) => {
    const { rules } = new ApiServerVerdict(kind);
    expect(rules.length).toBeLessThan(50);
    for (const placed of rules) {
      const { path, schema, cardinality } = placed;
      expect(cardinality, path).toBeLessThanOrEqual(64);
      expect(placed.rule.match(/\.all\(|\.exists\(|\bin self/g)?.length ?? 0, path).toBeLessThanOrEqual(1);
      if (has(placed, '.all(')) expect(schema.maxProperties, path).toBeLessThanOrEqual(64);
      if (has(placed, 'in self') && !has(placed, 'in [')) expect(schema.maxItems, path).toBeLessThanOrEqual(64);
      // Texts that are read, not only tested for presence.
      if (has(placed, 'in self)') || has(placed, '.trim()'))
        expect(schema.items?.maxLength, path).toBeLessThanOrEqual(131_072);
      const endpoint = schema.properties?.['kubernetesProbeEndpoints']?.properties?.['livenessProbe'];
      if (has(placed, '.path == ')) expect(endpoint?.maxLength, path).toBeLessThanOrEqual(4096);
    }
  });
});
