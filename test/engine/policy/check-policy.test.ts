import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { parseProbePolicy, type ProbePolicy } from '../../../src/engine/policy/probe-policy.ts';
import { PolicySet, PolicyTier } from '../../../src/engine/policy/policy-set.ts';
import { policyDocument, parsedPolicy } from '../../support/worlds.ts';
import type { CheckFloor, CheckPolicyByContainer } from '../../../src/engine/policy/check-policy.ts';
import type { ParameterValue } from '../../../src/engine/policy/check-parameters.ts';

/** The settings of the checks of each container, in a set with one tier for each policy. */
const policyFor = (layers: readonly ProbePolicy[]): CheckPolicyByContainer =>
  new PolicySet(
    CHECK_CATALOGUE,
    layers.map((layer) => new PolicyTier([layer])),
  ).policyFor('apps', undefined, new Map()).checkPolicy;

function clusterPolicy(name: string, spec: object): ProbePolicy {
  const apiVersion = 'probewright.dev/v1alpha1';
  const parsed = parseProbePolicy(CHECK_CATALOGUE, {
    apiVersion,
    kind: 'ClusterProbePolicy',
    metadata: { name },
    spec,
  });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

it('two policies of one name, from a file and from the cluster, are told apart', () => {
  const file = clusterPolicy('default', { containers: ['app'], checks: { 'named-port': { action: 'Off' } } });
  const cluster = clusterPolicy('default', { containers: ['nginx'], checks: { 'named-port': { action: 'Warn' } } });
  const ofContainer = policyFor([file, cluster]);
  expect(['app', 'nginx', 'redis'].map((name) => ofContainer(name).get('named-port')?.action)).toEqual([
    'Off',
    'Warn',
    'Deny',
  ]);
});

it('containers that the same policies speak of share one policy', () => {
  const ofContainer = policyFor([clusterPolicy('all', { checks: { 'named-port': { action: 'Warn' } } })]);
  expect(ofContainer('app')).toBe(ofContainer('nginx'));
});

it('the higher of two layers decides on the action', () => {
  const [lower, higher] = ['Warn', 'Off'].map((action, index) =>
    clusterPolicy(`p${index}`, { checks: { 'named-port': { action } } }),
  );
  if (lower === undefined || higher === undefined) throw new Error('two policies');
  expect(policyFor([lower, higher])('app').get('named-port')?.action).toBe('Off');
  expect(policyFor([higher, lower])('app').get('named-port')?.action).toBe('Warn');
});

const listOf = (value: ParameterValue): unknown => value instanceof Set && [...value];

describe('a floor', () => {
  const names = (values: string[]): object => ({ checks: { 'exec-forbidden': { names: values } } });
  const floorOf = (...layers: ProbePolicy[]): CheckFloor | undefined =>
    policyFor(layers)('app').get('exec-forbidden')?.floor;
  const namesOf = (floor: CheckFloor | undefined): unknown => listOf(floor?.parameters['names']);
  const bound = clusterPolicy('bound', {
    checks: { 'exec-forbidden': { action: 'Deny', floor: 'Deny', names: ['curl'] } },
  });

  it('binds the parameters of its layer and of those below', () => {
    const lower = clusterPolicy('a', names(['wget']));
    const namespaced = parsedPolicy(policyDocument(names(['nc'])));
    const silent = clusterPolicy('floor', { checks: { 'exec-forbidden': { floor: 'Deny' } } });
    expect(namesOf(floorOf(lower, silent, namespaced))).toEqual(['wget']);
    expect(namesOf(floorOf(lower, bound, namespaced))).toEqual(['curl']);
    expect(floorOf(lower, bound, namespaced)?.source).toBe('ClusterProbePolicy/bound');
  });

  it('leaves the layers above their own parameters beside those of the floor', () => {
    const check = policyFor([bound, parsedPolicy(policyDocument(names(['nc'])))])('app').get('exec-forbidden');
    expect(listOf(check?.parameters['names'])).toEqual(['nc']);
    expect(check?.action).toBe('Deny');
  });

  it('makes one run of a check where the layers above set no parameters', () => {
    const laxer = parsedPolicy(policyDocument({ checks: { 'exec-forbidden': { action: 'Off' } } }));
    const check = policyFor([bound, laxer])('app').get('exec-forbidden');
    expect(check?.floor?.parameters).toBe(check?.parameters);
    expect(check?.action).toBe('Deny');
  });

  it('of a policy that names the container binds that container alone', () => {
    const named = clusterPolicy('named', {
      containers: ['app'],
      checks: { 'exec-forbidden': { action: 'Deny', floor: 'Deny', names: ['curl'] } },
    });
    const above = parsedPolicy(policyDocument(names(['nc'])));
    const ofContainer = policyFor([clusterPolicy('a', names(['wget'])), named, above]);
    expect(namesOf(ofContainer('app').get('exec-forbidden')?.floor)).toEqual(['curl']);
    expect(ofContainer('nginx').get('exec-forbidden')?.floor).toBeUndefined();
  });

  it('of the highest layer that sets one decides, with the parameters up to that layer', () => {
    const higher = clusterPolicy('z', { checks: { 'exec-forbidden': { floor: 'Warn', names: ['perl'] } } });
    const floor = floorOf(bound, higher, parsedPolicy(policyDocument(names(['nc']))));
    expect([floor?.action, namesOf(floor)]).toEqual(['Warn', ['perl']]);
  });
});
