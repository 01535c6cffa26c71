import { describe, expect, it } from 'vitest';
import { PolicyStore } from '../../../src/cluster/sources/policy-store.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import type { ProbePolicy } from '../../../src/engine/policy/probe-policy.ts';
import type { PolicySnapshot } from '../../../src/cluster/sources/policy-source.ts';

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
    const store = new PolicyStore(['files']);
    expect(store.current).toBeUndefined();
    store.replace('files', snapshot([policyDocument({})]));
    expect(layers(store)).toEqual(['ProbePolicy/apps/policy']);
  });

  it.each([
    ['files', 'cluster'],
    ['cluster', 'files'],
  ] as const)('are unknown after %s alone, and known with %s', (first, second) => {
    const store = new PolicyStore(['cluster', 'files']);
    const given = { files: snapshot([policyDocument({}, 'file')]), cluster: snapshot([policyDocument({}, 'object')]) };
    store.replace(first, given[first]);
    expect(store.current).toBeUndefined();
    store.replace(second, given[second]);
    expect(layers(store)).toEqual(['ProbePolicy/apps/file', 'ProbePolicy/apps/object']);
  });

  it('are known when an origin says that there are none', () => {
    const store = new PolicyStore(['cluster']);
    store.replace('cluster', snapshot([]));
    expect(layers(store)).toEqual([]);
  });

  it('keep what the other origin said when one of them changes', () => {
    const store = new PolicyStore(['files', 'cluster']);
    store.replace('files', snapshot([policyDocument({}, 'file')]));
    store.replace('cluster', snapshot([policyDocument({}, 'object')]));
    store.replace('files', snapshot([policyDocument({}, 'edited')]));
    expect(layers(store)).toEqual(['ProbePolicy/apps/edited', 'ProbePolicy/apps/object']);
    store.replace('cluster', snapshot([]));
    expect(layers(store)).toEqual(['ProbePolicy/apps/edited']);
  });

  it('go by the labels that the cluster gives its namespaces, and by those in files only where there is no cluster', () => {
    const both = new PolicyStore(['files', 'cluster']);
    both.replace('files', snapshot([forWeb], { apps: { tier: 'web' } }));
    both.replace('cluster', snapshot([], { other: { tier: 'web' } }));
    expect([layers(both), layers(both, 'other')]).toEqual([[], ['ClusterProbePolicy/web']]);
    const files = new PolicyStore(['files']);
    files.replace('files', snapshot([forWeb], { apps: { tier: 'web' } }));
    expect(layers(files)).toEqual(['ClusterProbePolicy/web']);
  });

  it('are not compiled again when only labels change', () => {
    const store = new PolicyStore(['files', 'cluster']);
    store.replace('files', snapshot([forWeb]));
    const first = snapshot([policyDocument({})]);
    store.replace('cluster', first);
    const before = store.current;
    store.replace('cluster', { ...snapshot([], { apps: { tier: 'web' } }), policies: first.policies });
    expect(store.current).not.toBe(before);
    expect(store.current?.tiers).toBe(before?.tiers);
    expect(layers(store)).toEqual(['ClusterProbePolicy/web', 'ProbePolicy/apps/policy']);
  });

  it('come from no origin that the store was not told of', () =>
    expect(() => new PolicyStore(['files']).replace('cluster', snapshot([]))).toThrow('this store knows no cluster'));

  it('are shown with a policy that is applied or deleted, and stay in force as they are', () => {
    const store = new PolicyStore(['files', 'cluster']);
    expect(store.preview('ProbePolicy/apps/object', undefined)).toBeUndefined();
    store.replace('cluster', snapshot([]));
    expect(store.preview('ProbePolicy/apps/object', undefined), 'without the files').toBeUndefined();
    store.replace('files', snapshot([policyDocument({}, 'object')]));
    store.replace('cluster', snapshot([policyDocument({}, 'object')]));
    const shown = (source: string, applied?: ProbePolicy): unknown =>
      store.preview(source, applied)?.policies.map((policy) => [policy.source, policy.port]);
    const applied = parsedPolicy(policyDocument({ port: 8080 }, 'object'));
    // The file of the same name is another policy.
    expect(shown('ProbePolicy/apps/object', applied)).toEqual([
      ['ProbePolicy/apps/object', undefined],
      ['ProbePolicy/apps/object', 8080],
    ]);
    expect(shown('ProbePolicy/apps/object')).toEqual([['ProbePolicy/apps/object', undefined]]);
    expect(layers(store)).toEqual(['ProbePolicy/apps/object', 'ProbePolicy/apps/object']);
  });

  it('are not shown with a policy of the cluster where there is no cluster', () => {
    const store = new PolicyStore(['files']);
    store.replace('files', snapshot([policyDocument({})]));
    expect(store.preview('ProbePolicy/apps/policy', undefined)).toBeUndefined();
  });

  it('are told to every listener after each change, once they are known', () => {
    const store = new PolicyStore(['files', 'cluster']);
    const told: unknown[] = [];
    store.onChange(() => told.push(['first', layers(store)]));
    store.onChange(() => told.push(['second', layers(store)]));
    store.replace('files', snapshot([policyDocument({})]));
    expect(told).toEqual([]);
    store.replace('cluster', snapshot([]));
    expect(told).toEqual([
      ['first', ['ProbePolicy/apps/policy']],
      ['second', ['ProbePolicy/apps/policy']],
    ]);
  });

  it('are shown with an exception that is applied or deleted', () => {
    const store = new PolicyStore(['cluster']);
    const source = 'ProbeException/apps/legacy';
    const exception = parsedException(exceptionDocument());
    expect(store.previewException('apps', source, exception)).toBeUndefined();
    store.replace('cluster', snapshot([]));
    const shown = store.previewException('apps', source, exception);
    expect(shown?.facts.exceptions.ofNamespace('apps')).toEqual([exception]);
    expect(store.previewException('apps', source, undefined)?.facts.exceptions.ofNamespace('apps')).toEqual([]);
    expect(store.current?.facts.exceptions.ofNamespace('apps')).toEqual([]);
  });
});
