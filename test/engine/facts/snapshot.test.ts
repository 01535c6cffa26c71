import { expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { readNamespaceLabels } from '../../../src/engine/facts/facts.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_SERVICES } from '../../../src/engine/facts/services.ts';
import { readService } from '../../../src/engine/facts/read-service.ts';
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

it('looks at labels of namespaces if any tier has a policy that selects by another label than the name', () => {
  const select = (labels: Record<string, string>) =>
    parsedPolicy(clusterPolicyDocument({ namespaceSelector: { matchLabels: labels } }));
  const byName = Snapshot.of(CHECK_CATALOGUE, [select({ 'kubernetes.io/metadata.name': 'apps' }), own]);
  const byLabel = Snapshot.of(CHECK_CATALOGUE, [forWeb]);
  const both = byName.with([...byName.tiers, ...byLabel.tiers], NO_FACTS);
  expect([byName, byLabel, both].map((one) => one.looksAtNamespaceLabels)).toEqual([false, true, true]);
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

it.each<[string, unknown[], boolean]>([
  ['no namespaces', [{}], false],
  ['the name of a namespace', [{ matchLabels: { 'kubernetes.io/metadata.name': 'apps' } }], false],
  ['another label', [{ matchLabels: { tier: 'web' } }], true],
  ['the name and another label', [{ matchLabels: { 'kubernetes.io/metadata.name': 'apps', tier: 'web' } }], true],
  [
    'the name, and beside it another label',
    [{ matchLabels: { 'kubernetes.io/metadata.name': 'a' } }, { matchLabels: { tier: 'web' } }],
    true,
  ],
])('with policies that select %s, unknown labels matter: %#', (_, selectors, expected) => {
  const policies = selectors.map((namespaceSelector, index) =>
    parsedPolicy(clusterPolicyDocument({ namespaceSelector }, `p${index}`)),
  );
  expect(Snapshot.of(CHECK_CATALOGUE, [...policies, own]).looksAtNamespaceLabels).toBe(expected);
});

it('merges the same layers once for all templates of one review, and keeps nothing for longer', () => {
  const forApi = parsedPolicy(policyDocument({ workloadSelector: { matchLabels: { app: 'api' } } }, 'api'));
  const forJob = parsedPolicy(policyDocument({ workloadSelector: { matchLabels: { app: 'job' } } }, 'job'));
  const snapshot = Snapshot.of(CHECK_CATALOGUE, [own, forApi, forJob]);
  const checksIn = (one: Snapshot, app: string): unknown => one.policyFor('apps', new Map([['app', app]])).checkPolicy;
  const review = snapshot.forOneReview();
  expect(checksIn(review, 'api')).toBe(checksIn(review, 'api'));
  expect(checksIn(review, 'job')).not.toBe(checksIn(review, 'api'));
  expect(checksIn(review, 'web')).not.toBe(checksIn(review, 'api'));
  expect(checksIn(snapshot, 'api')).not.toBe(checksIn(snapshot, 'api'));
});

it('knows past starts and ports of Services for a workload that has some, and says nothing for others', () => {
  const service = readService({
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 1, targetPort: 6500, name: 'grpc' }] },
  });
  const starts = {
    name: 'deployment-web',
    containers: [
      {
        name: 'app',
        starts: 7,
        longestSeconds: 3,
        boundSeconds: 0,
        images: [{ image: 'a:1', starts: 7, longestSeconds: 3 }],
      },
    ],
  };
  const facts: Facts = {
    ...NO_FACTS,
    starts: new ByNamespace(new Map([['apps', [starts]]])),
    services: new ByNamespace(new Map([['apps', service === undefined ? [] : [service]]])),
  };
  const snapshot = Snapshot.of(CHECK_CATALOGUE, [own], facts);
  const labels = new Map([['app', 'web']]);
  const known = snapshot.policyFor('apps', labels, { kind: 'Deployment', name: 'web' });
  expect(known.starts?.('app', 'a:1')?.starts).toBe(7);
  expect(known.starts?.('app', 'a:2')?.starts).toBe(0);
  expect(known.starts?.('other', 'a:1')).toBeUndefined();
  expect(known.services.say({ name: undefined, number: 6500 })).toEqual([{ service: 'web', text: 'grpc' }]);
  expect(snapshot.policyFor('apps', labels, { kind: 'Deployment', name: 'api' })).not.toHaveProperty('starts');
  expect(snapshot.policyFor('apps', labels)).not.toHaveProperty('starts');
  expect(snapshot.policyFor('other', labels).services).toBe(NO_SERVICES);
  expect(Snapshot.of(CHECK_CATALOGUE, [own]).policyFor('apps', labels).services).toBe(NO_SERVICES);
});

it('takes what the highest policy says about annotations, else allows them', () => {
  const says = (annotations: string | undefined, name: string) =>
    parsedPolicy(clusterPolicyDocument(annotations === undefined ? {} : { annotations }, name));
  const decided = (...values: (string | undefined)[]): string =>
    Snapshot.of(
      CHECK_CATALOGUE,
      values.map((value, index) => says(value, `p${index}`)),
    ).policyFor('apps', new Map()).annotations;
  expect(decided()).toBe('Allow');
  expect(decided('Ignore', undefined)).toBe('Ignore');
  expect(decided('Ignore', 'Allow')).toBe('Allow');
  expect(decided('Allow', 'Ignore')).toBe('Ignore');
});
