import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { builtInPolicy, mergeChecks } from '../../../src/engine/policy/check-policy.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import { policyTier, type PolicyTier } from '../../../src/engine/policy/policy-set.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const tier = (...documents: unknown[]): PolicyTier => policyTier(documents.map(parsedPolicy));
const BUILT_IN = builtInPolicy(CHECK_CATALOGUE);

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
    const set = new Snapshot(
      BUILT_IN,
      tiers.map((specs) => tier(...Object.entries(specs).map(documentOf))),
      { ...NO_FACTS, namespaceLabels: new Map(namespaceLabels && [[namespace, labelMap(namespaceLabels)]]) },
    );
    const policy = set.policyFor(namespace, labelMap(labels));
    return {
      layers: policy.layers.map(({ source }) => source.replace(/^\w+\//, '')),
      annotations: policy.annotations === 'Allow' ? undefined : policy.annotations,
    };
  });
});

describe('tiers', () => {
  it('may both have a policy of one name, and then both are layers', () => {
    const set = new Snapshot(BUILT_IN, [
      tier(policyDocument({ port: 'low' })),
      tier(policyDocument({ containers: ['app'], port: 'high' })),
    ]);
    expect(set.policyFor('apps', new Map()).layers.map(({ port }) => port)).toEqual(['low', 'high']);
    expect(set.policies).toHaveLength(2);
  });

  it('keep a floor of a lower tier in force above what a higher tier asks for', () => {
    const set = new Snapshot(BUILT_IN, [
      tier(clusterPolicyDocument({ checks: { 'named-port': { floor: 'Warn' } } })),
      tier(policyDocument({ checks: { 'named-port': { action: 'Off' } } })),
    ]);
    const { layers } = set.policyFor('apps', new Map());
    expect(mergeChecks(BUILT_IN, layers).get('named-port')?.action).toBe('Warn');
  });

  it('are selected again when a namespace has other labels', () => {
    const web = clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'web' } } }, 'web');
    const set = new Snapshot(BUILT_IN, [tier(web)]);
    const layersWith = (labels: Readonly<Record<string, string>>): string[] =>
      set
        .withFacts({ ...NO_FACTS, namespaceLabels: new Map([['apps', labelMap(labels)]]) })
        .policyFor('apps', new Map())
        .layers.map(({ source }) => source);
    expect(layersWith({ tier: 'web' })).toEqual(['ClusterProbePolicy/web']);
    expect(layersWith({})).toEqual([]);
  });

  it.each<[string, JsonObject, boolean]>([
    ['no selector at all', {}, false],
    ['an empty one', { namespaceSelector: {} }, false],
    ['the name', { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'apps' } } }, false],
    ['another label', { namespaceSelector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] } }, true],
  ])('know whether labels of namespaces matter to them: %s', (_, spec, expected) => {
    const set = new Snapshot(BUILT_IN, [tier(clusterPolicyDocument(spec)), tier(policyDocument({}))]);
    expect([set.looksAtNamespaceLabels, new Snapshot(BUILT_IN, []).looksAtNamespaceLabels]).toEqual([expected, false]);
  });
});
