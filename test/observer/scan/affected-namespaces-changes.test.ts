import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { affectedNamespaces, union } from '../../../src/observer/scan/affected-namespaces.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { NO_FACTS, type Facts } from '../../../src/engine/facts/facts.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';

const own = (namespace: string, name = 'p'): ReturnType<typeof parsedPolicy> =>
  parsedPolicy(policyDocument({ checks: {} }, name, namespace));
const ofCluster = (spec: object = { checks: {} }): ReturnType<typeof parsedPolicy> =>
  parsedPolicy(clusterPolicyDocument(spec));
const of = (...policies: readonly ReturnType<typeof parsedPolicy>[]): Snapshot =>
  Snapshot.of(CHECK_CATALOGUE, policies);
const NAMESPACES = ['shop', 'blog'];
const affected = (before: Snapshot, after: Snapshot): unknown => {
  const found = affectedNamespaces(before, after, NAMESPACES);
  return found === 'all' ? found : [...found];
};

describe('a change of policies affects', () => {
  const [shop, blog, cluster] = [own('shop'), own('blog'), ofCluster()];

  it('no namespace where the policies are the same', () => {
    expect(affected(of(shop, cluster), of(shop, cluster))).toEqual([]);
  });

  it('the namespaces of policies that are new, gone or changed', () => {
    expect(affected(of(shop), of(shop, blog))).toEqual(['blog']);
    expect(affected(of(shop, blog), of(blog))).toEqual(['shop']);
    expect(affected(of(shop, blog), of(own('shop'), blog))).toEqual(['shop']);
    expect(affected(of(), of(own('other')))).toEqual(['other']);
  });

  it('all namespaces where a policy of the cluster changes', () => {
    expect(affected(of(shop), of(shop, cluster))).toBe('all');
    expect(affected(of(cluster, shop), of(shop))).toBe('all');
  });
});

describe('a change of facts affects', () => {
  const selecting = ofCluster({ namespaceSelector: { matchLabels: { tier: 'web' } }, checks: {} });
  const [before, byLabel] = [of(), of(selecting)];
  const lists = (...names: readonly string[]): ByNamespace<never> =>
    new ByNamespace(new Map([['shop', names.map((name) => known.get(name) ?? { name })]])) as never;
  const known = new Map(['a', 'b'].map((name) => [name, { name }]));
  const from = (snapshot: Snapshot, old: Partial<Facts>, now: Partial<Facts>): unknown =>
    affected(snapshot.withFacts({ ...NO_FACTS, ...old }), snapshot.withFacts({ ...NO_FACTS, ...now }));

  it.each(['exceptions', 'starts', 'services'] as const)('the namespaces whose %s differ', (facts) => {
    const change = (one: ByNamespace<never>, other: ByNamespace<never>): unknown =>
      from(before, { [facts]: one }, { [facts]: other });
    expect(change(lists('a'), lists('b'))).toEqual(['shop']);
    expect(change(lists('a'), lists('a', 'b'))).toEqual(['shop']);
    expect(change(lists('a', 'b'), lists('a', 'new'))).toEqual(['shop']);
    expect(change(lists('a', 'b'), lists('a', 'b'))).toEqual([]);
  });

  it('each namespace where Services become known', () => {
    expect(from(before, {}, { services: lists('a') })).toEqual(['shop', 'blog']);
  });

  it('namespaces with other labels only where a policy looks at labels, before or after', () => {
    const labels = (tier: string): Partial<Facts> => ({
      namespaceLabels: new Map([['shop', new Map([['tier', tier]])]]),
    });
    expect(from(before, labels('web'), labels('db'))).toEqual([]);
    expect(from(byLabel, labels('web'), labels('db'))).toEqual(['shop']);
    const same = labels('web');
    expect(from(byLabel, same, same)).toEqual([]);
  });
});

it('two sets of namespaces are one set, or all', () => {
  expect(union(new Set(['a']), new Set(['b', 'a']))).toEqual(new Set(['a', 'b']));
  expect([union('all', new Set(['a'])), union(new Set(['a']), 'all')]).toEqual(['all', 'all']);
});
