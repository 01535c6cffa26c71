import { describe, expect, it } from 'vitest';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { specProblems } from './spec-problems.ts';

describe('a policy that speaks of a probe', () => {
  const read = (probe: unknown, endpoint?: unknown): unknown =>
    parsedPolicy(
      policyDocument({
        ...(probe !== undefined && { probes: { livenessProbe: probe } }),
        ...(endpoint !== undefined && { kubernetesProbeEndpoints: { livenessProbe: endpoint } }),
      }),
    ).probes;
  const path = { kind: 'httpGet', fields: { path: '/live' } };

  it.each<[unknown, unknown, unknown]>([
    [undefined, undefined, undefined],
    [{}, undefined, { integers: {} }],
    [{ periodSeconds: 5, timeoutSeconds: null }, undefined, { integers: { periodSeconds: 5, timeoutSeconds: null } }],
    [{ tcpSocket: { port: 1 } }, undefined, { integers: {}, handler: { kind: 'tcpSocket', fields: { port: 1 } } }],
    [{ exec: null, httpGet: {} }, undefined, { integers: {}, handler: { kind: 'httpGet', fields: {} } }],
    [undefined, '/live', { integers: {}, handler: path, short: 'handler' }],
    [{ periodSeconds: 5 }, '/live', { integers: { periodSeconds: 5 }, handler: path, short: 'handler' }],
    [
      { httpGet: { port: 80 } },
      '/live',
      { integers: {}, handler: { kind: 'httpGet', fields: { path: '/live', port: 80 } }, short: 'path' },
    ],
    [{ httpGet: { path: '/live' } }, '/live', { integers: {}, handler: path }],
    [null, undefined, { removed: true, integers: {} }],
    [null, null, { removed: true, integers: {} }],
    [undefined, null, { removed: true, integers: {}, short: 'handler' }],
    [{ disabled: true }, undefined, { removed: true, integers: {} }],
    [{ disabled: false }, undefined, { integers: {} }],
    [{ disabled: false }, '/live', { integers: {}, handler: path, short: 'handler' }],
  ])('as %j and by the endpoint %j says %j', (probe, endpoint, expected) =>
    expect(read(probe, endpoint)).toStrictEqual(expected === undefined ? {} : { livenessProbe: expected }),
  );

  it.each<[unknown, unknown, string]>([
    [null, '/live', 'probes.livenessProbe: null removes the probe, but the same policy also describes it'],
    [{}, null, 'kubernetesProbeEndpoints.livenessProbe: null removes the probe, but the same policy also describes it'],
    [
      { disabled: true },
      null,
      'kubernetesProbeEndpoints.livenessProbe: null removes the probe, but the same policy also describes it',
    ],
    [
      { disabled: true, periodSeconds: 1 },
      undefined,
      'probes.livenessProbe.disabled: true removes the probe, but the same policy also describes it',
    ],
    [{ disabled: null }, undefined, 'probes.livenessProbe.disabled: must be true or false, not null'],
    [
      { httpGet: { path: '/a' } },
      '/b',
      'probes.livenessProbe.httpGet.path: "/a" and kubernetesProbeEndpoints\' "/b" differ; give one',
    ],
    [
      { grpc: { port: 1 } },
      '/b',
      'kubernetesProbeEndpoints.livenessProbe: is an HTTP path, but the same policy gives the probe a grpc handler',
    ],
    [
      { exec: { command: ['a'] } },
      '/b',
      'kubernetesProbeEndpoints.livenessProbe: is an HTTP path, but the same policy gives the probe an exec handler',
    ],
    [
      { exec: { command: ['a'] }, tcpSocket: { port: 1 }, grpc: { port: 1 } },
      undefined,
      'probes.livenessProbe: must have one handler, not exec and tcpSocket and grpc',
    ],
    [[], undefined, 'probes.livenessProbe: must be an object, not []'],
    [undefined, 8080, 'kubernetesProbeEndpoints.livenessProbe: must be a string, not 8080; put it in quotes'],
  ])('is refused for %j with the endpoint %j', (probe, endpoint, expected) =>
    expect(
      specProblems({
        probes: { ...(probe !== undefined && { livenessProbe: probe }) },
        kubernetesProbeEndpoints: { ...(endpoint !== undefined && { livenessProbe: endpoint }) },
      }),
    ).toEqual([`spec.${expected}`]),
  );

  it('may leave both maps empty or null', () => {
    for (const value of [null, {}])
      expect(specProblems({ probes: value, kubernetesProbeEndpoints: value })).toEqual([]);
    expect(specProblems({ probes: [], kubernetesProbeEndpoints: 5 })).toEqual([
      'spec.kubernetesProbeEndpoints: must be an object, not 5',
      'spec.probes: must be an object, not []',
    ]);
  });
});
