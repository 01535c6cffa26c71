import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/policy/problems.ts';
import { parseProbePolicy } from '../../src/policy/probe-policy.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../worlds.ts';

/** What is wrong with a policy, line by line. */
function problems(document: unknown): string[] {
  const parsed = parseProbePolicy(document);
  return 'problems' in parsed ? parsed.problems.map(formatProblem) : [];
}

const specProblems = (spec: unknown): string[] => problems(policyDocument(spec));

describe('a policy', () => {
  it('may use every field of the design', () => {
    const spec = {
      workloadSelector: {
        matchLabels: { app: 'static' },
        matchExpressions: [{ key: 'tier', operator: 'In', values: ['web'] }],
      },
      containers: ['app'],
      port: 'http',
      kubernetesProbeEndpoints: { startupProbe: '/healthcheck/ready', livenessProbe: '/healthcheck/live' },
      probes: {
        livenessProbe: {
          periodSeconds: 5,
          failureThreshold: 3,
          timeoutSeconds: 30,
          terminationGracePeriodSeconds: 10,
          successThreshold: 1,
        },
        readinessProbe: { tcpSocket: { port: 5432 } },
      },
      slowStart: { startupSeconds: 300, fromInitialDelaySeconds: 30 },
      checks: {
        'named-port': { action: 'Deny' },
        'probe-bounds': { action: 'Warn', livenessProbe: { periodSeconds: { minimum: 5 } } },
      },
    };
    expect(specProblems(spec)).toEqual([]);
    expect(
      problems(
        clusterPolicyDocument({
          ...spec,
          namespaceSelector: {},
          priority: -1,
          annotations: 'Ignore',
          checks: { 'named-port': { action: 'Warn', floor: 'Audit' } },
        }),
      ),
    ).toEqual([]);
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

  it.each([
    [{ containers: 'app' }, 'spec.containers: must be a list; write ["app"]'],
    [{ containers: [] }, 'spec.containers: must name at least one container; leave the field out for the default'],
    [{ containers: ['a', 'a'] }, 'spec.containers[1]: "a" is listed twice'],
    [{ containers: ['*', 'a'] }, 'spec.containers: "*" is every application container: list it alone'],
    [{ port: 70_000 }, 'spec.port: must be at most 65535, not 70000'],
    [{ port: '8080' }, 'spec.port: must be a number without quotes: 8080'],
    [
      { port: 'HTTP' },
      'spec.port: "HTTP" is not a port name: at most 15 of a-z, 0-9 and single inner hyphens, with at least one letter',
    ],
    [
      { kubernetesProbeEndpoints: { liveness: '/x' } },
      'spec.kubernetesProbeEndpoints.liveness: unknown probe; did you mean "livenessProbe"?',
    ],
    [
      { probes: { livenessProbe: { successThreshold: 2 } } },
      'spec.probes.livenessProbe.successThreshold: must be 1 for a livenessProbe, not 2',
    ],
    [
      { probes: { livenessProbe: { periodSeconds: 0 } } },
      'spec.probes.livenessProbe.periodSeconds: must be at least 1, not 0',
    ],
    [
      { probes: { livenessProbe: { period: 5 } } },
      'spec.probes.livenessProbe.period: unknown field; did you mean "periodSeconds"?',
    ],
    [
      { probes: { livenessProbe: { gracefully: 5 } } },
      'spec.probes.livenessProbe.gracefully: unknown field; known here: exec, httpGet, tcpSocket, grpc, initialDelaySeconds, timeoutSeconds, periodSeconds, successThreshold, failureThreshold, terminationGracePeriodSeconds',
    ],
    [
      { probes: { livenessProbe: { periodSecond: 5 } } },
      'spec.probes.livenessProbe.periodSecond: unknown field; did you mean "periodSeconds"?',
    ],
    [
      { probes: { readinessProbe: { terminationGracePeriodSeconds: 5 } } },
      'spec.probes.readinessProbe.terminationGracePeriodSeconds: must not be set for a readinessProbe',
    ],
    [
      { probes: { readinessProbe: { httpGet: { path: '/' }, exec: { command: ['x'] } } } },
      'spec.probes.readinessProbe: must have one handler, not exec and httpGet',
    ],
    [
      { probes: { readinessProbe: { tcpSocket: {} } } },
      "spec.probes.readinessProbe.tcpSocket.port: must be a port's number or name, not nothing",
    ],
    [
      { probes: { readinessProbe: { grpc: { port: 'grpc' } } } },
      'spec.probes.readinessProbe.grpc.port: must be a whole number, not "grpc"',
    ],
    [
      { probes: { readinessProbe: { exec: { command: [' '] } } } },
      'spec.probes.readinessProbe.exec.command[0]: must name the program to run',
    ],
    [
      { probes: { readinessProbe: { httpGet: { scheme: 'https' } } } },
      'spec.probes.readinessProbe.httpGet.scheme: must be HTTP or HTTPS, not "https"; did you mean "HTTPS"?',
    ],
    [
      { kubernetesProbeEndpoints: { livenessProbe: '/x' }, probes: { livenessProbe: { exec: { command: ['x'] } } } },
      'spec.kubernetesProbeEndpoints.livenessProbe: is an HTTP path, but the same policy gives the probe a exec handler',
    ],
    [
      { kubernetesProbeEndpoints: { livenessProbe: '/x' }, probes: { livenessProbe: null } },
      'spec.probes.livenessProbe: null removes the probe, but the same policy also describes it',
    ],
    [
      { probes: { readinessProbe: { httpGet: { host: 'a b' } } } },
      'spec.probes.readinessProbe.httpGet.host: "a b" is no host name or IP address',
    ],
    [
      { slowStart: { startupSecond: 5 } },
      'spec.slowStart.startupSecond: unknown field; did you mean "startupSeconds"?',
    ],
    [
      { workloadSelector: { matchLabels: { app: true } } },
      'spec.workloadSelector.matchLabels.app: must be a string, not true; put it in quotes',
    ],
    [
      { workloadSelector: { matchExpressions: [{ key: 'a', operator: 'in', values: ['b'] }] } },
      'spec.workloadSelector.matchExpressions[0].operator: must be In or NotIn or Exists or DoesNotExist, not "in"; did you mean "In"?',
    ],
    [
      { workloadSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      'spec.workloadSelector.matchExpressions[0].values: must have at least one value with operator In',
    ],
    [
      { workloadSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      'spec.workloadSelector.matchExpressions[0].values: must be left out with operator Exists',
    ],
    [{ priority: 3 }, 'spec.priority: only a ClusterProbePolicy has this field'],
    [
      { checks: { 'named-prt': { action: 'Deny' } } },
      'spec.checks.named-prt: unknown check; did you mean "named-port"?',
    ],
    [{ checks: { 'named-port': 'Deny' } }, 'spec.checks.named-port: must be an object; write { action: Deny }'],
    [
      { checks: { 'named-port': { action: 'deny' } } },
      'spec.checks.named-port.action: must be Off or Audit or Warn or Deny, not "deny"; did you mean "Deny"?',
    ],
    [
      { checks: { 'named-port': { floor: 'Deny' } } },
      'spec.checks.named-port.floor: only a ClusterProbePolicy may set a floor',
    ],
    [
      { checks: { 'startup-budget': { minimumSecond: 5 } } },
      'spec.checks.startup-budget.minimumSecond: unknown field; did you mean "minimumSeconds"?',
    ],
    [
      { checks: { 'probe-bounds': { livenessProbe: { periodSeconds: { minimum: 9, maximum: 5 } } } } },
      'spec.checks.probe-bounds.livenessProbe.periodSeconds: minimum 9 is larger than maximum 5: no value would do',
    ],
    [
      { checks: { 'probe-handler': { allowed: ['http'] } } },
      'spec.checks.probe-handler.allowed[0]: must be httpGet or tcpSocket or grpc or exec, not "http"; did you mean "httpGet"?',
    ],
  ])('is refused for %j', (spec, message) => {
    expect(specProblems(spec)).toEqual([message]);
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
