import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/checks/catalogue.ts';
import { PolicyStore } from '../../src/sources/policy-store.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../worlds.ts';
import { NO_FACTS } from '../../src/facts/facts.ts';
import type { PolicySnapshot } from '../../src/sources/policy-source.ts';

const snapshot = (documents: unknown[], labels: Record<string, Record<string, string>> = {}): PolicySnapshot => ({
  policies: documents.map(parsedPolicy),
  facts: {
    ...NO_FACTS,
    namespaceLabels: new Map(Object.entries(labels).map(([name, map]) => [name, new Map(Object.entries(map))])),
  },
});
const layers = (store: PolicyStore, namespace = 'apps'): string[] | undefined =>
  store.current?.policyFor(namespace, new Map()).layers.map(({ source }) => source);
const forWeb = clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'web' } } }, 'web');

describe('the policies in force', () => {
  it('are those of files where there is nothing else', () => {
    const store = new PolicyStore(CHECK_CATALOGUE, ['files']);
    expect(store.current).toBeUndefined();
    store.replace('files', snapshot([policyDocument({})]));
    expect(layers(store)).toEqual(['ProbePolicy/apps/policy']);
  });

  it.each([
    ['files', 'cluster'],
    ['cluster', 'files'],
  ] as const)('are unknown after %s alone, and known with %s', (first, second) => {
    const store = new PolicyStore(CHECK_CATALOGUE, ['cluster', 'files']);
    const given = { files: snapshot([policyDocument({}, 'file')]), cluster: snapshot([policyDocument({}, 'object')]) };
    store.replace(first, given[first]);
    expect(store.current).toBeUndefined();
    store.replace(second, given[second]);
    expect(layers(store)).toEqual(['ProbePolicy/apps/file', 'ProbePolicy/apps/object']);
  });

  it('are known when an origin says that there are none', () => {
    const store = new PolicyStore(CHECK_CATALOGUE, ['cluster']);
    store.replace('cluster', snapshot([]));
    expect(layers(store)).toEqual([]);
  });

  it('keep what the other origin said when one of them changes', () => {
    const store = new PolicyStore(CHECK_CATALOGUE, ['files', 'cluster']);
    store.replace('files', snapshot([policyDocument({}, 'file')]));
    store.replace('cluster', snapshot([policyDocument({}, 'object')]));
    store.replace('files', snapshot([policyDocument({}, 'edited')]));
    expect(layers(store)).toEqual(['ProbePolicy/apps/edited', 'ProbePolicy/apps/object']);
    store.replace('cluster', snapshot([]));
    expect(layers(store)).toEqual(['ProbePolicy/apps/edited']);
  });

  it('go by the labels that the cluster gives its namespaces, and by those in files only where there is no cluster', () => {
    const both = new PolicyStore(CHECK_CATALOGUE, ['files', 'cluster']);
    both.replace('files', snapshot([forWeb], { apps: { tier: 'web' } }));
    both.replace('cluster', snapshot([], { other: { tier: 'web' } }));
    expect([layers(both), layers(both, 'other')]).toEqual([[], ['ClusterProbePolicy/web']]);
    const files = new PolicyStore(CHECK_CATALOGUE, ['files']);
    files.replace('files', snapshot([forWeb], { apps: { tier: 'web' } }));
    expect(layers(files)).toEqual(['ClusterProbePolicy/web']);
  });

  it('are not compiled again when only labels change', () => {
    const store = new PolicyStore(CHECK_CATALOGUE, ['files', 'cluster']);
    store.replace('files', snapshot([forWeb]));
    const first = snapshot([policyDocument({})]);
    store.replace('cluster', first);
    const before = store.current;
    store.replace('cluster', { ...snapshot([], { apps: { tier: 'web' } }), policies: first.policies });
    expect(store.current).not.toBe(before);
    expect(store.current?.policies).toBe(before?.policies);
    expect(layers(store)).toEqual(['ClusterProbePolicy/web', 'ProbePolicy/apps/policy']);
  });

  it('come from no origin that the store was not told of', () => {
    expect(() => {
      new PolicyStore(CHECK_CATALOGUE, ['files']).replace('cluster', snapshot([]));
    }).toThrow('this store knows no cluster');
  });
});
