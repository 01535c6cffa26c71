import { beforeEach, describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { CheckPolicies } from '../../../src/engine/policy/check-policy.ts';
import { parseProbePolicy } from '../../../src/engine/policy/probe-policy.ts';
import { LayerNumbers } from '../../../src/engine/policy/layer-numbers.ts';
import { policyDocument, parsedPolicy } from '../../support/worlds.ts';
import type { CheckFloor } from '../../../src/engine/policy/check-policy.ts';
import type { ParameterValue } from '../../../src/engine/policy/check-parameters.ts';
import type { ProbePolicy } from '../../../src/engine/policy/probe-policy.ts';

let policies = new CheckPolicies(CHECK_CATALOGUE, new LayerNumbers());
beforeEach(() => {
  policies = new CheckPolicies(CHECK_CATALOGUE, new LayerNumbers());
});

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
  const policyFor = policies.forLayers([file, cluster]);
  expect(['app', 'nginx', 'redis'].map((name) => policyFor(name).get('named-port')?.action)).toEqual([
    'Off',
    'Warn',
    'Deny',
  ]);
});

it('containers that the same policies speak of share one policy', () => {
  const policyFor = policies.forLayers([clusterPolicy('all', { checks: { 'named-port': { action: 'Warn' } } })]);
  expect(policyFor('app')).toBe(policyFor('nginx'));
});

it('layers of which the same speak of checks share what they say, in the order of the layers', () => {
  const [lower, higher] = ['Warn', 'Off'].map((action, index) =>
    clusterPolicy(`p${index}`, { checks: { 'named-port': { action } } }),
  );
  const silent = clusterPolicy('silent', { port: 8080 });
  if (lower === undefined || higher === undefined) throw new Error('two policies');
  const policy = policies.forLayers([lower, higher])('app');
  expect(policies.forLayers([silent, lower, higher])('app')).toBe(policy);
  expect(policy.get('named-port')?.action).toBe('Off');
  expect(policies.forLayers([higher, lower])('app').get('named-port')?.action).toBe('Warn');
});

it('a policy that replaces one of its name speaks for itself', () => {
  const actions = ['Warn', 'Off'].map((action) => {
    const policy = clusterPolicy('p', { checks: { 'named-port': { action } } });
    return policies.forLayers([policy])('app').get('named-port')?.action;
  });
  expect(actions).toEqual(['Warn', 'Off']);
});

it('what other layers say is forgotten again, so labels and namespaces of callers do not fill the memory', () => {
  const policyOf = (index: number): ProbePolicy =>
    clusterPolicy(`p${index}`, { checks: { 'named-port': { action: 'Warn' } } });
  const first = policyOf(0);
  const known = policies.forLayers([first])('app');
  expect(policies.forLayers([first])('app')).toBe(known);
  for (let index = 1; index < 100; index++) policies.forLayers([policyOf(index)]);
  expect(policies.forLayers([first])('app')).not.toBe(known);
});

it('what layers say about containers that they name is forgotten again, too', () => {
  const names = Array.from({ length: 60 }, (_, index) => `c${index}`);
  const layer = clusterPolicy('p', { containers: names, checks: { 'named-port': { action: 'Warn' } } });
  const policyFor = policies.forLayers([layer]);
  const known = policyFor('c0');
  expect(policyFor('c0')).toBe(known);
  for (const name of names) policyFor(name);
  expect(policyFor('c0')).not.toBe(known);
});

const listOf = (value: ParameterValue): unknown => value instanceof Set && [...value];

describe('a floor', () => {
  const names = (values: string[]): object => ({ checks: { 'exec-forbidden': { names: values } } });
  const floorOf = (...layers: ProbePolicy[]): CheckFloor | undefined =>
    policies.forLayers(layers)('app').get('exec-forbidden')?.floor;
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
    const check = policies
      .forLayers([bound, parsedPolicy(policyDocument(names(['nc'])))])('app')
      .get('exec-forbidden');
    expect(listOf(check?.parameters['names'])).toEqual(['nc']);
    expect(check?.action).toBe('Deny');
  });

  it('makes one run of a check where the layers above set no parameters', () => {
    const laxer = parsedPolicy(policyDocument({ checks: { 'exec-forbidden': { action: 'Off' } } }));
    const check = policies.forLayers([bound, laxer])('app').get('exec-forbidden');
    expect(check?.floor?.parameters).toBe(check?.parameters);
    expect(check?.action).toBe('Deny');
  });

  it('of a policy that names the container binds that container alone', () => {
    const named = clusterPolicy('named', {
      containers: ['app'],
      checks: { 'exec-forbidden': { action: 'Deny', floor: 'Deny', names: ['curl'] } },
    });
    const above = parsedPolicy(policyDocument(names(['nc'])));
    const policyFor = policies.forLayers([clusterPolicy('a', names(['wget'])), named, above]);
    expect(namesOf(policyFor('app').get('exec-forbidden')?.floor)).toEqual(['curl']);
    expect(policyFor('nginx').get('exec-forbidden')?.floor).toBeUndefined();
  });

  it('of the highest layer that sets one decides, with the parameters up to that layer', () => {
    const higher = clusterPolicy('z', { checks: { 'exec-forbidden': { floor: 'Warn', names: ['perl'] } } });
    const floor = floorOf(bound, higher, parsedPolicy(policyDocument(names(['nc']))));
    expect([floor?.action, namesOf(floor)]).toEqual(['Warn', ['perl']]);
  });
});
