import { describe, expect, it } from 'vitest';
import { CONSTRUCTS, constructsOf, needsMore } from '../../src/native/constructs.ts';
import { LAW } from '../../src/native/law.ts';
import { REASONS_LAW } from '../../src/native/patch-law.ts';
import { clusterPolicyDocument, parsedPolicy } from '../support/worlds.ts';

const constructsFor = (spec: object) => constructsOf([parsedPolicy(clusterPolicyDocument(spec))]);

describe('the constructs', () => {
  it('are listed once each', () => {
    const ids = CONSTRUCTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('have each reason that the law gives for fewer probes', () => {
    const refusals = LAW.find(({ name }) => name === 'refusals')?.expression ?? '';
    const given = [refusals, REASONS_LAW.expression].flatMap((text) =>
      Array.from(text.matchAll(/\? '([a-z-]+)' : ''/g), ([, id]) => id),
    );
    expect(given.length).toBeGreaterThan(10);
    expect(CONSTRUCTS.filter(({ level }) => level !== 'equal').map(({ id }) => id)).toEqual(
      expect.arrayContaining(given),
    );
  });

  it('that a policy uses come with their places', () => {
    const [first] = constructsFor({ containers: ['app'], kubernetesProbeEndpoints: { livenessProbe: '/live' } });
    expect(first).toMatchObject({
      id: 'probes',
      level: 'equal',
      uses: ['ClusterProbePolicy/cluster: probes.livenessProbe'],
    });
  });

  it.each([
    [{ slowStart: { learned: {} } }, true],
    [{ slowStart: { learned: null } }, false],
    [{ checks: { 'named-port': { floor: 'Deny' } } }, true],
    [{ checks: { 'required-liveness': { floor: 'Deny' } } }, false],
    [{ probes: { livenessProbe: { httpGet: { path: '/x', host: 'db' } } } }, false],
    [{ probes: { livenessProbe: { periodSeconds: 20_000 } } }, true],
  ])('%j needs what is not exported: %s', (spec, needed) => {
    expect(needsMore(constructsFor(spec))).toBe(needed);
  });
});
