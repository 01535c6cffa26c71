import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { mergeChecks } from '../../../src/engine/policy/check-policy.ts';
import { PolicySet, PolicyTier, type WorkloadPolicy } from '../../../src/engine/policy/policy-set.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { ContainerLayers } from '../../../src/engine/policy/container-policy.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const tier = (...documents: unknown[]): PolicyTier => new PolicyTier(documents.map(parsedPolicy));

interface Case {
  /** The specs of policies by their names, in tiers; a name with a slash is of a ProbePolicy. */
  readonly tiers: readonly Readonly<Record<string, JsonObject>>[];
  readonly namespace?: string;
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

const labelMap = (labels: Readonly<Record<string, string>>): Map<string, string> => new Map(Object.entries(labels));

function documentOf([name, spec]: [string, JsonObject]): JsonObject {
  const [namespace = '', inNamespace] = name.split('/');
  return inNamespace === undefined ? clusterPolicyDocument(spec, name) : policyDocument(spec, inNamespace, namespace);
}

describe('layers', () => {
  describeCases('test/fixtures/policy-sets.yaml', ['layers', 'annotations'], (given) => {
    const { tiers, namespace = 'apps', namespaceLabels, labels = {} } = given as unknown as Case;
    const set = new PolicySet(
      CHECK_CATALOGUE,
      tiers.map((specs) => tier(...Object.entries(specs).map(documentOf))),
    );
    const policy = set.policyFor(namespace, namespaceLabels && labelMap(namespaceLabels), labelMap(labels));
    return {
      layers: policy.layers.map(({ source }) => source.replace(/^\w+\//, '')),
      annotations: policy.annotations === 'Allow' ? undefined : policy.annotations,
    };
  });

  it('do not remember namespaces without end', () => {
    const set = new PolicySet(CHECK_CATALOGUE, [tier(clusterPolicyDocument({}))]);
    for (let index = 0; index < 50_000; index += 1) set.policyFor(`namespace-${index}`, undefined, new Map());
    expect(set.policyFor('namespace-1', undefined, new Map()).layers).toHaveLength(1);
  });
});

describe('tiers', () => {
  it('may both have a policy of one name, and then both are layers', () => {
    const set = new PolicySet(CHECK_CATALOGUE, [
      tier(policyDocument({ port: 'low' })),
      tier(policyDocument({ containers: ['app'], port: 'high' })),
    ]);
    expect(set.policyFor('apps', undefined, new Map()).layers.map(({ port }) => port)).toEqual(['low', 'high']);
    expect(set.policies).toHaveLength(2);
  });

  it('keep a floor of a lower tier in force above what a higher tier asks for', () => {
    const set = new PolicySet(CHECK_CATALOGUE, [
      tier(clusterPolicyDocument({ checks: { 'named-port': { floor: 'Warn' } } })),
      tier(policyDocument({ checks: { 'named-port': { action: 'Off' } } })),
    ]);
    const { layers } = set.policyFor('apps', undefined, new Map());
    expect(mergeChecks(CHECK_CATALOGUE, layers).get('named-port')?.action).toBe('Warn');
  });

  it('are selected again when a namespace has other labels, and remembered while its labels are the same map', () => {
    const web = clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'web' } } }, 'web');
    const set = new PolicySet(CHECK_CATALOGUE, [tier(web)]);
    const [labelled, unlabelled] = [new Map([['tier', 'web']]), new Map<string, string>()];
    const policyFor = (labels: ReadonlyMap<string, string>): WorkloadPolicy => set.policyFor('apps', labels, new Map());
    const first = policyFor(labelled);
    expect(first.layers.map(({ source }) => source)).toEqual(['ClusterProbePolicy/web']);
    expect(policyFor(labelled)).toBe(first);
    expect(policyFor(unlabelled).layers).toEqual([]);
    expect(policyFor(labelled)).toBe(first);
  });

  it('share what they give to containers between workloads with the same layers, and only between these', () => {
    const set = new PolicySet(CHECK_CATALOGUE, [
      tier(
        policyDocument({ port: 'http' }, 'all'),
        policyDocument({ port: 8080, workloadSelector: { matchLabels: { app: 'web' } } }, 'web'),
      ),
    ]);
    const layersOf = (app: string): ContainerLayers =>
      set.policyFor('apps', undefined, new Map([['app', app]])).containerLayers;
    const ports = (layers: ContainerLayers): unknown[] => layers.layers.map(({ port }) => port);
    expect(layersOf('web')).toBe(layersOf('web'));
    expect(layersOf('other')).toBe(layersOf('third'));
    expect([ports(layersOf('web')), ports(layersOf('other'))]).toEqual([['http', 8080], ['http']]);
  });

  it.each<[string, JsonObject, boolean]>([
    ['no selector at all', {}, false],
    ['an empty one', { namespaceSelector: {} }, false],
    ['the name', { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'apps' } } }, false],
    ['another label', { namespaceSelector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] } }, true],
  ])('know whether labels of namespaces matter to them: %s', (_, spec, expected) => {
    const set = new PolicySet(CHECK_CATALOGUE, [tier(clusterPolicyDocument(spec)), tier(policyDocument({}))]);
    expect([set.looksAtNamespaceLabels, new PolicySet(CHECK_CATALOGUE, []).looksAtNamespaceLabels]).toEqual([
      expected,
      false,
    ]);
  });
});
