import { describe, expect, it } from 'vitest';
import { PolicyStore } from '../../src/cluster/sources/policy-store.ts';
import { NO_FACTS } from '../../src/engine/facts/facts.ts';
import {
  exemptNamespaces,
  filesPart,
  isoTimeOrNull,
  policyDetails,
  policyFigures,
  policyListener,
} from '../../src/process/policies.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../support/worlds.ts';
import { recordedLog } from './recorded-log.ts';
import type { DirectorySource } from '../../src/cluster/sources/directory-source.ts';
import type { PolicySnapshot, PolicySource, SourceStatus } from '../../src/cluster/sources/policy-source.ts';

const policies = [policyDocument({}), clusterPolicyDocument({})].map(parsedPolicy);
const SNAPSHOT: PolicySnapshot = { policies, facts: NO_FACTS };
const source = (status: Partial<SourceStatus> = {}): PolicySource => ({
  start: () => Promise.resolve(SNAPSHOT),
  stop: () => undefined,
  status: () => ({ description: 'cluster', problems: [], lastSync: 1000, ...status }),
});
const filled = (): PolicyStore => {
  const store = new PolicyStore(['cluster']);
  store.replace('cluster', SNAPSHOT);
  return store;
};

describe('what a source of policies reports', () => {
  it('comes into force, and is logged when policies change, not when labels do', () => {
    const [store, { log, lines }] = [new PolicyStore(['cluster']), recordedLog()];
    const { changed } = policyListener('cluster', store, log);
    changed(SNAPSHOT);
    changed({ policies, facts: { ...NO_FACTS, namespaceLabels: new Map([['apps', new Map([['tier', 'web']])]]) } });
    expect(store.current?.facts.namespaceLabels.get('apps')?.get('tier')).toBe('web');
    const line = (count: number): unknown => ['info', 'policies changed', { origin: 'cluster', policies: count }];
    expect(lines).toEqual([line(2)]);
    changed({ policies: [], facts: NO_FACTS });
    expect(lines).toEqual([line(2), line(0)]);
  });

  it.each([
    ['files', 'policy not usable, keeping the last good set'],
    ['cluster', 'policy not usable, its last good version stays in force if there is one'],
  ] as const)('of %s has each problem and each warning in a line', (origin, message) => {
    const { log, lines } = recordedLog();
    const { failed, warned } = policyListener(origin, new PolicyStore([origin]), log);
    failed(['a', 'b']);
    warned?.(['c', 'd']);
    expect(lines).toEqual([
      ['error', message, { origin, problem: 'a' }],
      ['error', message, { origin, problem: 'b' }],
      ['warn', 'policy in force, with a warning', { origin, warning: 'c' }],
      ['warn', 'policy in force, with a warning', { origin, warning: 'd' }],
    ]);
  });

  it('says whether any policies are known while contact is lost', () => {
    const [store, { log, lines }] = [new PolicyStore(['cluster']), recordedLog()];
    const { troubled } = policyListener('cluster', store, log);
    troubled?.('lost');
    store.replace('cluster', SNAPSHOT);
    troubled?.('lost');
    troubled?.(undefined);
    const [origin, problem] = ['cluster', 'lost'];
    expect(lines).toEqual([
      ['warn', 'the policy source cannot be reached yet', { origin, problem }],
      ['warn', 'the policy source cannot be reached; the last known policies stay in force', { origin, problem }],
      ['info', 'the policy source is reachable again', { origin }],
    ]);
  });
});

it('the part of files puts them in force before its start ends, and stops following them', async () => {
  const [store, { log, lines }] = [new PolicyStore(['files']), recordedLog()];
  let stops = 0;
  const files = { ...source(), stop: () => (stops += 1) } as unknown as DirectorySource;
  const part = filesPart(files, store, log);
  await part.start();
  expect([store.current?.policies.length, lines, stops]).toEqual([2, [], 0]);
  await part.stop();
  expect(stops).toBe(1);
});

describe('the state of several sources', () => {
  const cluster = source({ problems: ['a'], problemCount: 7, troubles: ['lost'], lastSync: 2000 });
  const files = source({ description: 'files p', problems: ['b', 'c'], lastSync: 1000 });

  it('has the sum of their problems, and the older time', () =>
    expect(policyFigures(filled(), [cluster, files])).toEqual({ loaded: 2, problems: 9, lastSync: 1000 }));

  it('has no time while one of them has not been read, and no policies before the first snapshot', () =>
    expect(policyFigures(new PolicyStore(['cluster']), [cluster, source({ lastSync: undefined })])).toEqual({
      loaded: 0,
      problems: 7,
      lastSync: undefined,
    }));

  it('is in the answer of /readyz', () => {
    const details = {
      source: 'cluster, files p',
      inForce: 2,
      lastSync: '1970-01-01T00:00:01.000Z',
      problems: ['a', 'b', 'c'],
      problemCount: 9,
      troubles: ['lost'],
    };
    expect(policyDetails(filled(), [cluster, files], undefined)).toEqual(details);
    expect(policyDetails(filled(), [cluster, files], undefined)).not.toHaveProperty('overBudget');
    expect(policyDetails(filled(), [cluster, files], { spec: 1 })).toEqual({ ...details, overBudget: { spec: 1 } });
    const empty = policyDetails(new PolicyStore(['files']), [source({ lastSync: undefined })], undefined);
    expect(empty).toMatchObject({ inForce: 0, lastSync: null, problems: [], problemCount: 0, troubles: [] });
  });
});

it('an instant is RFC 3339, the beginning of the epoch too, and null without one', () =>
  expect([isoTimeOrNull(0), isoTimeOrNull(undefined)]).toEqual(['1970-01-01T00:00:00.000Z', null]));

describe('a namespace is exempt', () => {
  const withLabels = (labels: Record<string, string>): PolicyStore => {
    const store = new PolicyStore(['cluster']);
    const namespaceLabels = new Map([['labelled', new Map(Object.entries(labels))]]);
    store.replace('cluster', { policies: [], facts: { ...NO_FACTS, namespaceLabels } });
    return store;
  };

  it('when it is of Kubernetes or our own, unless the settings name others', () => {
    const names = ['kube-system', 'kube-public', 'kube-node-lease', 'own', 'apps', 'labelled'];
    const store = new PolicyStore(['cluster']);
    expect(names.filter(exemptNamespaces(undefined, 'own', store))).toEqual(names.slice(0, 4));
    expect(names.filter(exemptNamespaces(['apps'], 'own', store))).toEqual(['apps']);
    expect(names.filter(exemptNamespaces([], 'own', store))).toEqual([]);
  });

  it('when its label opts out', () => {
    const isExempt = (value: string): boolean =>
      exemptNamespaces(undefined, 'own', withLabels({ 'probewright.dev/webhook': value }))('labelled');
    expect([isExempt('disabled'), isExempt('enabled')]).toEqual([true, false]);
  });
});
