import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { formatPath, valueAt } from '../../../src/base/json/field-path.ts';
import { policyAdvice } from '../../../src/engine/verdict/policy-advice.ts';
import { namespaceDocument } from '../../robustness/random-worlds.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const adviceOf = (spec: JsonObject, ...below: JsonObject[]): string[] =>
  policyAdvice(parsedPolicy(policyDocument(spec)), below.map(parsedPolicy)).map(
    ({ check, action, path }) => `${check} ${action} ${formatPath(path)}`,
  );
const slow = { timeoutSeconds: 30, periodSeconds: 5, failureThreshold: 9 };

describe('the advice about a policy', () => {
  it('names the field of the policy', () => {
    const spec = { kubernetesProbeEndpoints: { livenessProbe: '/ready' }, probes: { livenessProbe: slow } };
    expect(adviceOf(spec)).toEqual([
      'dependency-liveness Warn spec.kubernetesProbeEndpoints.livenessProbe',
      'timeout-over-period Audit spec.probes.livenessProbe.timeoutSeconds',
    ]);
  });

  it.each([
    ['a port number of the policy', { port: 8080, kubernetesProbeEndpoints: { livenessProbe: '/ready' } }],
    ['a port name of the policy', { port: 'web', kubernetesProbeEndpoints: { livenessProbe: '/ready' } }],
    ['a port in the handler', { probes: { livenessProbe: { httpGet: { path: '/ready', port: 8080 } } } }],
    ['a port name in the handler', { probes: { livenessProbe: { httpGet: { path: '/ready', port: 'admin' } } } }],
    ['named containers', { containers: ['web', 'api'], kubernetesProbeEndpoints: { livenessProbe: '/ready' } }],
    ['all containers', { containers: ['*'], kubernetesProbeEndpoints: { livenessProbe: '/ready' } }],
    [
      'a selector',
      { workloadSelector: { matchLabels: { a: 'b' } }, kubernetesProbeEndpoints: { livenessProbe: '/ready' } },
    ],
  ])('is found with %s', (_, spec) => {
    const field =
      'probes' in spec ? 'spec.probes.livenessProbe.httpGet.path' : 'spec.kubernetesProbeEndpoints.livenessProbe';
    expect(adviceOf(spec)).toEqual([`dependency-liveness Warn ${field}`]);
  });

  it('says nothing about numbers that the policy does not write', () => {
    const exec = { exec: { command: ['check'] } };
    expect(adviceOf({ kubernetesProbeEndpoints: { livenessProbe: '/up', readinessProbe: '/up' } })).toEqual([]);
    expect(adviceOf({ probes: { readinessProbe: exec } })).toEqual([]);
    expect(adviceOf({ probes: { readinessProbe: { ...exec, timeoutSeconds: 1 } } })).toEqual([
      'exec-cost Warn spec.probes.readinessProbe.timeoutSeconds',
    ]);
  });

  it('is none for a policy that gives no probe', () => {
    expect(adviceOf({})).toEqual([]);
    expect(adviceOf({ probes: { livenessProbe: slow } })).toEqual([]);
    expect(adviceOf({ checks: { 'required-liveness': { action: 'Deny' } } })).toEqual([]);
    expect(adviceOf({ slowStart: { startupSeconds: 300 } })).toEqual([]);
  });

  it('follows the settings of checks of the policy and of the house', () => {
    const spec = { kubernetesProbeEndpoints: { livenessProbe: '/ready' } };
    expect(adviceOf({ ...spec, checks: { 'dependency-liveness': { action: 'Off' } } })).toEqual([]);
    const off = clusterPolicyDocument({ checks: { 'dependency-liveness': { action: 'Off' } } });
    expect(adviceOf(spec, off)).toEqual([]);
    const paths = clusterPolicyDocument({ checks: { 'dependency-liveness': { action: 'Deny', paths: ['/live'] } } });
    expect(adviceOf({ kubernetesProbeEndpoints: { livenessProbe: '/live' } }, paths)).toEqual([
      'dependency-liveness Deny spec.kubernetesProbeEndpoints.livenessProbe',
    ]);
  });

  it('never comes from a check that needs more than the probes, names a field that the policy writes, and never repeats itself', () => {
    const alone = new Set(CHECKS.filter(({ judgesProbeAlone }) => judgesProbeAlone).map(({ id }) => id));
    let advised = 0;
    fc.assert(
      fc.property(namespaceDocument, (document) => {
        const advice = policyAdvice(parsedPolicy(document));
        advised += advice.length;
        expect(advice.filter(({ check }) => !alone.has(check))).toEqual([]);
        expect(advice.filter(({ path }) => valueAt(document, path) === undefined)).toEqual([]);
        const keys = advice.map(({ check, path }) => `${check} ${formatPath(path)}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: runs(500), examples: [[policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/ready' } })]] },
    );
    expect(advised).toBeGreaterThan(0);
  });
});
