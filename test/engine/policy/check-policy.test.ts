import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import type { ProbePolicy } from '../../../src/engine/policy/probe-policy.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { policyTier } from '../../../src/engine/policy/policy-set.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import {
  builtInPolicy,
  type CheckFloor,
  type CheckPolicyByContainer,
} from '../../../src/engine/policy/check-policy.ts';
import type { ParameterValue } from '../../../src/engine/policy/check-parameters.ts';

/** The settings of the checks of each container, in a set with one tier for each policy. */
const policyFor = (layers: readonly ProbePolicy[]): CheckPolicyByContainer =>
  new Snapshot(
    builtInPolicy(CHECK_CATALOGUE),
    layers.map((layer) => policyTier([layer])),
  ).policyFor('apps', new Map()).checkPolicy;

const clusterPolicy = (name: string, spec: object): ProbePolicy => parsedPolicy(clusterPolicyDocument(spec, name));

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
  const all = clusterPolicy('all', { checks: { 'named-port': { action: 'Warn' } } });
  const silent = clusterPolicy('silent', { containers: ['app'], kubernetesProbeEndpoints: { livenessProbe: '/' } });
  const ofContainer = policyFor([all, silent]);
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

it('a check that no policy sets has the settings of the catalogue, and an unknown check none', () => {
  const settings = policyFor([clusterPolicy('all', { checks: { 'named-port': { action: 'Warn' } } })])('app');
  expect([...settings.keys()]).toEqual(Object.keys(CHECK_CATALOGUE));
  for (const [id, { action }] of Object.entries(CHECK_CATALOGUE))
    if (id !== 'named-port') expect(settings.get(id), id).toMatchObject({ action });
  expect(settings.get('named-port')).toMatchObject({ action: 'Warn', setBy: 'ClusterProbePolicy' });
  expect(settings.get('exec-forbidden')).not.toHaveProperty('setBy');
});

const listOf = (value: ParameterValue): unknown => value instanceof Set && [...value];

describe('a floor', () => {
  const forbidding = (names: string[], more = {}): object => ({ checks: { 'exec-forbidden': { names, ...more } } });
  const above = parsedPolicy(policyDocument(forbidding(['nc'])));
  const floorOf = (...layers: ProbePolicy[]): CheckFloor | undefined =>
    policyFor(layers)('app').get('exec-forbidden')?.floor;
  const namesOf = (floor: CheckFloor | undefined): unknown => listOf(floor?.parameters['names']);
  const deny = forbidding(['curl'], { action: 'Deny', floor: 'Deny' });
  const bound = clusterPolicy('bound', deny);

  it('binds the parameters of its layer and of those below', () => {
    const lower = clusterPolicy('a', forbidding(['wget']));
    const silent = clusterPolicy('floor', { checks: { 'exec-forbidden': { floor: 'Deny' } } });
    expect(namesOf(floorOf(lower, silent, above))).toEqual(['wget']);
    expect(namesOf(floorOf(lower, bound, above))).toEqual(['curl']);
    expect(floorOf(lower, bound, above)?.source).toBe('ClusterProbePolicy/bound');
  });

  it('leaves the layers above their own parameters beside those of the floor', () => {
    const check = policyFor([bound, above])('app').get('exec-forbidden');
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
    const named = clusterPolicy('named', { containers: ['app'], ...deny });
    const ofContainer = policyFor([clusterPolicy('a', forbidding(['wget'])), named, above]);
    expect(namesOf(ofContainer('app').get('exec-forbidden')?.floor)).toEqual(['curl']);
    expect(ofContainer('nginx').get('exec-forbidden')?.floor).toBeUndefined();
  });

  it('of the highest layer that sets one decides, with the parameters up to that layer', () => {
    const higher = clusterPolicy('z', forbidding(['perl'], { floor: 'Warn' }));
    const floor = floorOf(bound, higher, above);
    expect([floor?.action, namesOf(floor)]).toEqual(['Warn', ['perl']]);
  });
});
