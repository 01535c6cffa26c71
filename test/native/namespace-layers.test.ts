import { describe, expect, it } from 'vitest';
import { handlerProblem, largeNumbers, layersOf } from '../../src/native/namespace-layers.ts';
import { clusterPolicyDocument, parsedPolicy, policySet } from '../support/worlds.ts';

const layerOf = (spec: object) => layersOf(policySet(clusterPolicyDocument(spec)))[0];

describe('a layer of the native policy', () => {
  it('resets with 0 what a policy resets with null', () => {
    const layer = layerOf({
      port: null,
      slowStart: { startupSeconds: null },
      probes: { livenessProbe: { periodSeconds: null } },
    });
    expect(layer).toMatchObject({ port: 0, startupSeconds: 0 });
    expect(layer?.probes).toEqual([{ probe: 'livenessProbe', removed: false, integers: { periodSeconds: 0 } }]);
  });

  it('resets all numbers of a probe that it removes, and the slow start with the startup probe', () => {
    const layer = layerOf({ probes: { startupProbe: null }, slowStart: { startupSeconds: 60, learned: {} } });
    expect(layer).toMatchObject({ startupSeconds: 0, fromInitialDelaySeconds: 0, learned: false });
    expect(layer?.probes[0]).toMatchObject({
      removed: true,
      integers: { periodSeconds: 0, terminationGracePeriodSeconds: 0 },
    });
  });

  it('has patterns of images as regular expressions', () => {
    const { images = [] } = layerOf({ images: ['*/keycloak', 'a.b/c'], port: 80 }) ?? {};
    expect(images).toEqual(['^[^/]*/keycloak$', '^a\\.b/c$']);
  });

  it('is left out where the policy says nothing about probes, and closed where a floor may forbid one', () => {
    expect(layerOf({ checks: { 'named-port': { action: 'Off' } } })).toBeUndefined();
    expect(layerOf({ checks: { 'named-port': { floor: 'Deny' } } })).toMatchObject({ closed: true });
    expect(layerOf({ checks: { 'required-liveness': { floor: 'Deny' } } })).toMatchObject({ requires: true });
    expect(layerOf({ probes: { livenessProbe: { failureThreshold: 20_000 } } })).toMatchObject({ closed: true });
  });
});

describe('a handler of a policy', () => {
  it.each([
    [{ httpGet: { path: '/live', host: '127.0.0.1' } }, 'it names a host'],
    [{ httpGet: { path: '/$(NAME)' } }, 'it may name a variable'],
    [{ exec: { command: ['ls && ls'] } }, 'its command cannot work'],
    [{ exec: { command: ['sh', '-c', 'true'] } }, 'its command cannot work'],
    [{ exec: { command: ['/check', 'x'.repeat(2000)] } }, 'its command is longer than 1024 characters'],
    [{ httpGet: { path: '/live' } }, undefined],
    [{ exec: { command: ['/app/check'] } }, undefined],
  ])('%j: %s', (probe, problem) => {
    const { probes } = parsedPolicy(clusterPolicyDocument({ probes: { livenessProbe: probe } }));
    const handler = probes.livenessProbe?.handler;
    expect(handler && handlerProblem('livenessProbe', handler)).toBe(problem);
  });

  it('runs tools where its command does', () => {
    const tools = (command: string[]): unknown =>
      layerOf({ probes: { livenessProbe: { exec: { command } } } })?.probes[0]?.handler?.tools;
    expect([tools(['/app/check']), tools(['cat', '/tmp/x']), tools(['sh', '-c', 'cat /x'])]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

it('names the numbers that are too large', () => {
  const policy = parsedPolicy(
    clusterPolicyDocument({
      probes: { livenessProbe: { periodSeconds: 10_001 } },
      slowStart: { startupSeconds: 1_000_001 },
    }),
  );
  expect(largeNumbers(policy)).toEqual(['probes.livenessProbe.periodSeconds', 'slowStart.startupSeconds']);
});
