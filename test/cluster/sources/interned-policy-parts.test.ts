import { describe, expect, it } from 'vitest';
import { InternedPolicyParts } from '../../../src/cluster/sources/interned-policy-parts.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const spec = {
  workloadSelector: { matchLabels: { app: 'web' } },
  containers: ['app'],
  port: 'http',
  kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: '/ready' },
  probes: { livenessProbe: { periodSeconds: 5 }, startupProbe: null },
  slowStart: { startupSeconds: 300 },
  checks: { 'named-port': { action: 'Deny' }, 'startup-budget': { minimumSeconds: 30 } },
};

describe('policies that are made of shared parts', () => {
  it('are the same as read, part by part', () => {
    const parts = new InternedPolicyParts();
    const variants: JsonObject[] = [
      spec,
      spec,
      {},
      { ...spec, probes: { livenessProbe: { periodSeconds: 6 } } },
      { ...spec, kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: '/live' } },
      { probes: { livenessProbe: { periodSeconds: 5 }, readinessProbe: { periodSeconds: 5 } } },
      { ...spec, checks: { 'named-port': { action: 'Off' } } },
      { ...spec, containers: ['*'], workloadSelector: {} },
    ];
    for (const variant of variants) {
      const read = parsedPolicy(policyDocument(variant));
      expect(parts.share(read, variant)).toEqual(read);
    }
    const cluster = {
      namespaceSelector: { matchLabels: { app: 'web' } },
      priority: 3,
      annotations: 'Ignore',
      checks: { 'named-port': { action: 'Deny', floor: 'Warn' } },
    };
    const read = parsedPolicy(clusterPolicyDocument(cluster));
    expect(parts.share(read, cluster)).toEqual(read);
  });

  it('have the parts in common that are written alike, and no others', () => {
    const parts = new InternedPolicyParts();
    const shared = (own: JsonObject): ReturnType<InternedPolicyParts['share']> =>
      parts.share(parsedPolicy(policyDocument(own)), own);
    const one = shared(spec);
    const other = shared({ ...structuredClone(spec), slowStart: { startupSeconds: 200 } });
    expect(other.checks).toBe(one.checks);
    expect(other.containers).toBe(one.containers);
    expect(other.workloadSelector).toBe(one.workloadSelector);
    expect(other.probes.livenessProbe).toBe(one.probes.livenessProbe);
    expect([one.slowStart.startupSeconds, other.slowStart.startupSeconds]).toEqual([300, 200]);
  });

  it('are right however many there are', () => {
    const parts = new InternedPolicyParts();
    for (let seconds = 1; seconds <= 3000; seconds++) {
      const own = { slowStart: { startupSeconds: seconds } };
      expect(parts.share(parsedPolicy(policyDocument(own)), own).slowStart.startupSeconds).toBe(seconds);
    }
  });
});
