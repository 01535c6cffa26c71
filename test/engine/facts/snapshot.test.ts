import { expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { readNamespaceLabels } from '../../../src/engine/facts/facts.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import type { Facts } from '../../../src/engine/facts/facts.ts';

const forWeb = parsedPolicy(clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'web' } } }, 'web'));
const own = parsedPolicy(policyDocument({}));
const labelled = (namespace: string): Facts => ({
  ...NO_FACTS,
  namespaceLabels: new Map([[namespace, new Map([['tier', 'web']])]]),
});
const sources = (snapshot: Snapshot, namespace: string): string[] =>
  snapshot.policyFor(namespace, new Map()).layers.map(({ source }) => source);

it('selects policies by the labels that the facts give a namespace', () => {
  const snapshot = Snapshot.of(CHECK_CATALOGUE, [forWeb, own], labelled('apps'));
  expect(sources(snapshot, 'apps')).toEqual(['ClusterProbePolicy/web', 'ProbePolicy/apps/policy']);
  expect(sources(snapshot, 'other')).toEqual([]);
  expect(sources(snapshot.ofCluster, 'apps')).toEqual(['ClusterProbePolicy/web']);
});

it('with other facts, selects other policies, and the snapshot before stays as it was', () => {
  const before = Snapshot.of(CHECK_CATALOGUE, [forWeb], labelled('apps'));
  const after = before.withFacts(labelled('other'));
  expect([sources(after, 'apps'), sources(after, 'other')]).toEqual([[], ['ClusterProbePolicy/web']]);
  expect([sources(after.ofCluster, 'apps'), sources(after.ofCluster, 'other')]).toEqual([
    [],
    ['ClusterProbePolicy/web'],
  ]);
  expect([sources(before, 'apps'), sources(before, 'other')]).toEqual([['ClusterProbePolicy/web'], []]);
  expect(after.tiers).toBe(before.tiers);
});

it('knows no labels of a namespace without facts', () =>
  expect(sources(Snapshot.of(CHECK_CATALOGUE, [forWeb, own]), 'apps')).toEqual(['ProbePolicy/apps/policy']));

it.each<[string, unknown, Record<string, string>]>([
  ['labels', { tier: 'web' }, { tier: 'web' }],
  ['the label that repeats the name', { 'kubernetes.io/metadata.name': 'apps' }, {}],
  ['values that are not texts', { tier: 'web', a: 1, b: null, c: {} }, { tier: 'web' }],
  ['no labels', undefined, {}],
  ['a text', 'labels', {}],
  ['a key that JavaScript knows', JSON.parse('{"__proto__":"x"}'), JSON.parse('{"__proto__":"x"}')],
])("reads the labels of a namespace's metadata: %s", (_, labels, expected) =>
  expect([...readNamespaceLabels(labels)]).toEqual(Object.entries(expected)),
);
