import { describe, expect, it } from 'vitest';
import { fix, judge, plan } from '../../../src/package/api/index.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { appContainer, clusterPolicyDocument, pod, policyDocument } from '../../support/worlds.ts';
import { problemsOf } from './problems-of.ts';

const PROBES = { probes: { readinessProbe: { httpGet: { path: '/ready', port: 'http' } } } };
const POLICY = policyDocument(PROBES);
const TYPO = pod([appContainer({ livenessProbe: httpProbe({ httpGet: { path: '/live', port: 'htpp' } }) })]);
/** A policy whose selector nobody can ask, because no Namespace is given. */
const UNASKED = clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'gold' } } }, 'gold');

describe('judge', () => {
  it('gives violations with their fields, and counts workloads', () => {
    const { violations, workloads, warnings } = judge([
      TYPO,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
    ]);
    expect([workloads, warnings]).toEqual([1, []]);
    const [found] = violations.filter(({ check }) => check === 'named-port');
    expect(found).toMatchObject({
      ...{ namespace: 'apps', kind: 'Pod', name: 'web', container: 'app', probe: 'livenessProbe', action: 'Deny' },
      path: 'spec.containers[0].livenessProbe.httpGet.port',
    });
    expect(found).not.toHaveProperty('file');
    expect(found).not.toHaveProperty('line');
  });

  it('warns of settings without effect and of selectors that nobody can ask, and names the argument', () => {
    const lonely = clusterPolicyDocument({ checks: { 'named-port': { action: 'Off' } } }, 'off');
    expect(judge(TYPO, { policies: [lonely, UNASKED] }).warnings).toEqual([
      expect.stringMatching(/^policies\[1\]: (?!warning)(?!note).*ClusterProbePolicy\/gold/),
    ]);
    expect(judge(TYPO, { policies: [lonely] }).violations.filter(({ check }) => check === 'named-port')).toEqual([]);
  });
});

describe('fix', () => {
  it('gives copies with probes, and the number of probes', () => {
    const given = pod([appContainer()]);
    const before = structuredClone(given);
    const { objects, probes, advice, remarks } = fix([given, TYPO], { policies: [POLICY] });
    expect(objects).toHaveLength(2);
    expect([probes, advice]).toEqual([2, 0]);
    expect(objects[0]).toMatchObject({ spec: { containers: [{ readinessProbe: { httpGet: { path: '/ready' } } }] } });
    expect(remarks.map((remark) => remark.slice(0, 'objects[0]'.length))).toEqual([
      'objects[0]',
      'objects[0]',
      'objects[1]',
    ]);
    expect(given).toEqual(before);
  });

  it('applies advice on demand, from the level that is asked for', () => {
    const applied = (options: object): number => fix(TYPO, options).advice;
    expect([applied({}), applied({ advice: true }), applied({ advice: true, minLevel: 'error' })]).toEqual([0, 1, 1]);
    const slow = pod([
      appContainer({
        startupProbe: httpProbe({ failureThreshold: 30 }),
        livenessProbe: httpProbe({ timeoutSeconds: 20 }),
      }),
    ]);
    const levels = (['note', 'warning', 'error'] as const).map(
      (minLevel) => fix(slow, { advice: true, minLevel }).advice,
    );
    expect(levels[0]).toBeGreaterThanOrEqual(levels[1] ?? 0);
    expect(levels[2]).toBe(0);
    expect(levels[0]).toBeGreaterThan(0);
    expect(problemsOf(() => fix(TYPO, { minLevel: 'warn' as never }))).toEqual([
      { place: 'options.minLevel', message: 'must be one of error, warning, note' },
    ]);
  });

  it('remarks on containers without a probe, without a line of the text of JSON', () => {
    const { remarks } = fix(pod([{ name: 'app', image: 'x' }]), { policies: [POLICY, UNASKED] });
    expect(remarks).toEqual([
      expect.stringMatching(/^objects\[0\]: Pod apps\/web: /),
      expect.stringMatching(/^policies\[1\]: .*ClusterProbePolicy\/gold/),
    ]);
  });

  it('adds nothing to an object whose containers are no list', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'apps' },
      spec: { containers: 5 },
    };
    expect(fix(object, { policies: [POLICY] })).toMatchObject({ probes: 0 });
  });
});

describe('plan', () => {
  it('tells what applied and removed policies do to workloads', () => {
    const given = pod([appContainer()]);
    const added = plan(given, { apply: [POLICY] });
    expect(added.workloads.map(({ probes }) => probes.map(({ probe, change }) => `${probe} ${change}`))).toEqual([
      ['readinessProbe added'],
    ]);
    expect(added).not.toHaveProperty('warnings');
    const removed = plan(given, { policies: [POLICY], remove: ['ProbePolicy/apps/policy'] });
    expect(removed.workloads.map(({ probes }) => probes.map(({ probe, change }) => `${probe} ${change}`))).toEqual([
      ['readinessProbe removed'],
    ]);
    expect(plan(given, { policies: [POLICY] }).workloads).toEqual([]);
    expect(plan(given).summary.workloads).toBe(1);
  });

  it('names each removal that is unknown', () => {
    expect(problemsOf(() => plan([], { remove: ['ProbePolicy/a/b', 'ClusterProbePolicy/c'] }))).toEqual([
      { place: 'remove', message: 'there is no ProbePolicy/a/b' },
      { place: 'remove', message: 'there is no ClusterProbePolicy/c' },
    ]);
    expect(problemsOf(() => plan([], { remove: ['ProbePolicy/a/b'] }))).toHaveLength(1);
  });

  it('has the warnings about policies', () =>
    expect(plan(pod([appContainer()]), { apply: [UNASKED] }).warnings).toEqual([
      expect.stringMatching(/^apply\[0\]: .*ClusterProbePolicy\/gold/),
    ]));
});
