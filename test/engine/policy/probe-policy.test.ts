import { describe, expect, it } from 'vitest';
import { endpointPathProblem, isHost, PATH_BOUND, policySource } from '../../../src/engine/policy/probe-policy.ts';

describe('the source of a policy', () =>
  it('is kind, namespace and name, without a namespace for a policy of the cluster', () => {
    expect(policySource('ProbePolicy', 'apps', 'web')).toBe('ProbePolicy/apps/web');
    expect(policySource('ClusterProbePolicy', undefined, 'all')).toBe('ClusterProbePolicy/all');
  }));

describe('the path of an endpoint', () => {
  it.each(['/', '/healthz', '/a?b=c&d', '//', '/%20', '/é', `/${'a'.repeat(4095)}`, `/${'😀'.repeat(4095)}`])(
    'may be %.20j',
    (path) => expect(endpointPathProblem(path)).toBeUndefined(),
  );

  it('has at most 4,096 characters of Unicode', () => {
    expect(PATH_BOUND).toEqual({
      maximum: 4096,
      unit: 'characters',
      at: 'kubernetesProbeEndpoints.*, probes.*.httpGet.path',
    });
    expect(endpointPathProblem(`/${'a'.repeat(4096)}`)).toBe(
      `must have at most 4096 characters, not 4097: "/${'a'.repeat(55)}...`,
    );
    expect(endpointPathProblem(`/${'😀'.repeat(4096)}`)).toMatch(/^must have at most 4096 characters, not 4097: /);
  });

  it.each([
    ['', 'must not be empty; "/" is the root'],
    ['healthz', 'must start with "/", not "healthz"'],
    ['healthz/', 'must start with "/", not "healthz/"'],
    [' /', 'must start with "/", not " /"'],
    ['http://a/', 'must start with "/", not "http://a/"'],
    ['/a b', 'must have no spaces or control characters: "/a b"'],
    ['/a\n', 'must have no spaces or control characters: "/a\\n"'],
    ['/\u0000', 'must have no spaces or control characters: "/\\u0000"'],
    ['/\u007f', 'must have no spaces or control characters: "/\\u007f"'],
  ])('cannot be %j', (path, problem) => expect(endpointPathProblem(path)).toBe(problem));
});

describe('a host', () => {
  it.each(['', 'localhost', 'my_app.example', 'a'.repeat(253), '10.0.0.1', '::1', '[fe80::1]'])(
    'may be %.20j',
    (host) => expect(isHost(host)).toBe(true),
  );
  it.each(['a'.repeat(254), 'a b', 'http://a', 'web:80', 'é', 'a/b', '[::g]', 'a\n'])('cannot be %.20j', (host) =>
    expect(isHost(host)).toBe(false),
  );
});
