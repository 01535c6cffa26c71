import { expect, it } from 'vitest';
import { checkPolicyByContainer } from '../../src/policy/check-policy.ts';
import { parseProbePolicy } from '../../src/policy/probe-policy.ts';
import type { ProbePolicy } from '../../src/policy/probe-policy.ts';

function clusterPolicy(name: string, spec: object): ProbePolicy {
  const apiVersion = 'probewright.dev/v1alpha1';
  const parsed = parseProbePolicy({ apiVersion, kind: 'ClusterProbePolicy', metadata: { name }, spec });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

it('two policies of one name, from a file and from the cluster, are told apart', () => {
  const file = clusterPolicy('default', { containers: ['app'], checks: { 'named-port': { action: 'Off' } } });
  const cluster = clusterPolicy('default', { containers: ['nginx'], checks: { 'named-port': { action: 'Warn' } } });
  const policyFor = checkPolicyByContainer([file, cluster]);
  expect(['app', 'nginx', 'redis'].map((name) => policyFor(name).get('named-port')?.action)).toEqual([
    'Off',
    'Warn',
    'Deny',
  ]);
});

it('containers that the same policies speak of share one policy', () => {
  const policyFor = checkPolicyByContainer([clusterPolicy('all', { checks: { 'named-port': { action: 'Warn' } } })]);
  expect(policyFor('app')).toBe(policyFor('nginx'));
});
