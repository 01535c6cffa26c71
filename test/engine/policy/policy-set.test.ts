import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { mergeChecks } from '../../../src/engine/policy/check-policy.ts';
import { PolicySet, PolicyTier } from '../../../src/engine/policy/policy-set.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const policySet = (...documents: unknown[]): PolicySet =>
  new PolicySet(CHECK_CATALOGUE, [new PolicyTier(documents.map(parsedPolicy))]);
const sources = (
  set: PolicySet,
  namespace: string,
  labels: Record<string, string> = {},
  namespaceLabels?: Record<string, string>,
): string[] =>
  set
    .policyFor(namespace, namespaceLabels && new Map(Object.entries(namespaceLabels)), new Map(Object.entries(labels)))
    .layers.map(({ source }) => source.replace(/^(C?)\w+\//, '$1:'));

describe('layers', () => {
  it("are cluster policies by priority then name, the namespace's by name, those with a selector by name", () => {
    const set = policySet(
      policyDocument({ workloadSelector: { matchLabels: { app: 'web' } } }, 'a-selected'),
      policyDocument({ workloadSelector: {} }, 'b-selects-all'),
      policyDocument({}, 'z'),
      policyDocument({}, 'y'),
      policyDocument({}, 'x', 'elsewhere'),
      clusterPolicyDocument({ priority: 5 }, 'a'),
      clusterPolicyDocument({}, 'c'),
      clusterPolicyDocument({ priority: 5 }, 'B'.toLowerCase()),
      clusterPolicyDocument({ priority: -1 }, 'z'),
    );
    expect(sources(set, 'apps', { app: 'web' })).toEqual([
      'C:z',
      'C:c',
      'C:a',
      'C:b',
      ':apps/y',
      ':apps/z',
      ':apps/a-selected',
      ':apps/b-selects-all',
    ]);
    expect(sources(set, 'apps', { app: 'other' })).toEqual([
      'C:z',
      'C:c',
      'C:a',
      'C:b',
      ':apps/y',
      ':apps/z',
      ':apps/b-selects-all',
    ]);
    expect(sources(set, 'unknown')).toEqual(['C:z', 'C:c', 'C:a', 'C:b']);
  });

  it('include cluster policies whose namespaceSelector matches, also by the name label that every namespace has', () => {
    const documents = [
      clusterPolicyDocument(
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'apps' } } },
        'by-name',
      ),
      clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'web' } } }, 'by-label'),
      clusterPolicyDocument(
        { namespaceSelector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] } },
        'unlabelled',
      ),
      clusterPolicyDocument({ workloadSelector: { matchLabels: { app: 'web' } } }, 'by-workload'),
    ];
    const set = policySet(...documents);
    expect(sources(set, 'apps', {}, { tier: 'web' })).toEqual(['C:by-label', 'C:by-name']);
    expect(sources(set, 'other', { app: 'web' })).toEqual(['C:by-workload', 'C:unlabelled']);
  });

  it.each<[JsonObject, boolean[]]>([
    // labels: none, tier=web, tier=db
    [{ key: 'tier', operator: 'In', values: ['web', 'api'] }, [false, true, false]],
    [{ key: 'tier', operator: 'NotIn', values: ['web'] }, [true, false, true]],
    [{ key: 'tier', operator: 'Exists' }, [false, true, true]],
    [{ key: 'tier', operator: 'DoesNotExist', values: [] }, [true, false, false]],
  ])('select by %j', (expression, expected) => {
    const set = policySet(policyDocument({ workloadSelector: { matchExpressions: [expression] } }));
    expect([{}, { tier: 'web' }, { tier: 'db' }].map((labels) => sources(set, 'apps', labels).length === 1)).toEqual(
      expected,
    );
  });

  it('let the highest cluster policy that speaks of annotations decide on them', () => {
    const set = policySet(
      clusterPolicyDocument({ annotations: 'Ignore' }, 'a'),
      clusterPolicyDocument({ annotations: 'Allow' }, 'b'),
      clusterPolicyDocument({}, 'c'),
    );
    expect(set.policyFor('apps', undefined, new Map()).annotations).toBe('Allow');
  });
});

describe('tiers', () => {
  const tier = (...documents: JsonObject[]): PolicyTier => new PolicyTier(documents.map(parsedPolicy));
  const selected = { workloadSelector: { matchLabels: { app: 'web' } } };

  it('are above each other as a whole, each with its own order of layers', () => {
    const set = new PolicySet(CHECK_CATALOGUE, [
      tier(policyDocument(selected, 'a'), policyDocument({}, 'z'), clusterPolicyDocument({ priority: 9 }, 'file')),
      tier(policyDocument({}, 'm'), policyDocument(selected, 'b'), clusterPolicyDocument({ priority: -9 }, 'object')),
    ]);
    expect(sources(set, 'apps', { app: 'web' })).toEqual([
      'C:file',
      ':apps/z',
      ':apps/a',
      'C:object',
      ':apps/m',
      ':apps/b',
    ]);
    expect(sources(set, 'apps')).toEqual(['C:file', ':apps/z', 'C:object', ':apps/m']);
    expect(set.policies).toHaveLength(6);
  });

  it('may both have a policy of one name, and then both are layers', () => {
    const set = new PolicySet(CHECK_CATALOGUE, [
      tier(policyDocument({ port: 'low' })),
      tier(policyDocument({ containers: ['app'], port: 'high' })),
    ]);
    expect(set.policyFor('apps', undefined, new Map()).layers.map(({ port }) => port)).toEqual(['low', 'high']);
  });

  it('let the highest policy of the highest tier that speaks of annotations decide on them', () => {
    const [ignore, allow, silent] = (['Ignore', 'Allow', undefined] as const).map((annotations) =>
      tier(clusterPolicyDocument(annotations === undefined ? {} : { annotations })),
    );
    const decided = (...tiers: (PolicyTier | undefined)[]): string =>
      new PolicySet(
        CHECK_CATALOGUE,
        tiers.filter((given) => given !== undefined),
      ).policyFor('apps', undefined, new Map()).annotations;
    expect([decided(ignore, allow), decided(allow, ignore), decided(ignore, silent), decided(silent)]).toEqual([
      'Allow',
      'Ignore',
      'Ignore',
      'Allow',
    ]);
  });

  it('keep a floor of a lower tier in force above what a higher tier asks for', () => {
    const set = new PolicySet(CHECK_CATALOGUE, [
      tier(clusterPolicyDocument({ checks: { 'named-port': { floor: 'Warn' } } })),
      tier(policyDocument({ checks: { 'named-port': { action: 'Off' } } })),
    ]);
    const { layers } = set.policyFor('apps', undefined, new Map());
    expect(mergeChecks(CHECK_CATALOGUE, layers).get('named-port')?.action).toBe('Warn');
  });

  it('are selected again when a namespace has other labels', () => {
    const web = clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'web' } } }, 'web');
    const set = new PolicySet(CHECK_CATALOGUE, [tier(web)]);
    expect(sources(set, 'apps', {}, { tier: 'web' })).toEqual(['C:web']);
    expect(sources(set, 'apps')).toEqual([]);
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
