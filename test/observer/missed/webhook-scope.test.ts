import { describe, expect, it } from 'vitest';
import {
  DEFAULT_SCOPE,
  exemption,
  isInScope,
  isMutatingWebhook,
  readWebhookScope,
} from '../../../src/observer/missed/webhook-scope.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { WebhookScope } from '../../../src/observer/missed/webhook-scope.ts';

describe('the scope of the webhook', () => {
  const configuration = (webhook: JsonObject): JsonObject => ({
    webhooks: [{ name: 'other.example.com' }, { name: 'mutate.probewright.dev', ...webhook }],
  });

  it('is read from the configuration', () => {
    const scope = readWebhookScope(
      configuration({
        namespaceSelector: {
          matchLabels: { tier: 'a' },
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
        },
        objectSelector: { matchExpressions: [{ key: 'job', operator: 'DoesNotExist' }] },
        matchConditions: [{ name: 'lacks-a-probe', expression: 'true' }],
      }),
    );
    if (scope === undefined) throw new Error('no scope');
    const inScope = (namespace: string, labels: Record<string, string>, podLabels = {}): boolean =>
      isInScope(scope, namespace, new Map(Object.entries(labels)), new Map(Object.entries(podLabels)));
    expect(inScope('apps', { tier: 'a' })).toBe(true);
    expect(inScope('apps', { tier: 'b' })).toBe(false);
    expect(inScope('kube-system', { tier: 'a' })).toBe(false);
    expect(inScope('apps', { tier: 'a' }, { job: 'x' })).toBe(false);
    expect(scope.foreignConditions).toStrictEqual([]);
  });

  it('names conditions that only the API server can evaluate', () => {
    const scope = readWebhookScope(configuration({ matchConditions: [{ name: 'not-argo', expression: 'x' }] }));
    expect(scope?.foreignConditions).toStrictEqual(['not-argo']);
  });

  it.each([{}, { webhooks: 7 }, { webhooks: [null, { name: 7 }] }])(
    'is not there without a webhook of ours: %o',
    (object) => {
      expect(readWebhookScope(object)).toBeUndefined();
    },
  );

  it('leaves out the conditions of the chart, and keeps one without a name', () => {
    const own = ['not-being-deleted', 'not-from-a-node', 'not-a-mirror-pod', 'lacks-a-probe'].map((name) => ({ name }));
    expect(readWebhookScope(configuration({ matchConditions: own }))?.foreignConditions).toStrictEqual([]);
    expect(readWebhookScope(configuration({ matchConditions: [{}] }))?.foreignConditions).toStrictEqual(['']);
  });

  it('is everything without selectors', () => {
    expect(readWebhookScope(configuration({}))).toStrictEqual({ namespaces: [], pods: [], foreignConditions: [] });
  });

  it.each(['namespaceSelector', 'objectSelector'])('selects everything by a %s that it cannot read', (field) => {
    for (const odd of [
      7,
      { matchExpressions: [{ key: 'tier', operator: 'Near' }] },
      { matchLabels: { tier: 7, a: 'b' } },
    ])
      expect(readWebhookScope(configuration({ [field]: odd }))).toStrictEqual({
        namespaces: [],
        pods: [],
        foreignConditions: [field],
      });
  });

  it('is that of the chart before the configuration has been read', () => {
    const isIn = (namespace: string, labels = {}, podLabels = {}): boolean =>
      isInScope(DEFAULT_SCOPE, namespace, new Map(Object.entries(labels)), new Map(Object.entries(podLabels)));
    const optedOut = { 'probewright.dev/webhook': 'disabled' };
    expect(isIn('shop')).toBe(true);
    expect(isIn('shop', { 'kubernetes.io/metadata.name': 'kube-system' })).toBe(true);
    expect(['kube-system', 'kube-public', 'kube-node-lease'].map((name) => isIn(name))).toEqual([false, false, false]);
    expect([isIn('shop', optedOut), isIn('shop', {}, optedOut)]).toEqual([false, false]);
    expect(isInScope(DEFAULT_SCOPE, 'shop', undefined, new Map())).toBe(true);
  });
});

it('the webhook is known by its name alone', () => {
  expect([isMutatingWebhook({ name: 'mutate.probewright.dev' }), isMutatingWebhook({ name: 'other' })]).toEqual([
    true,
    false,
  ]);
});

describe('the exemption of a namespace', () => {
  const NAME = 'kubernetes.io/metadata.name';
  const scope = {
    ...DEFAULT_SCOPE,
    namespaces: [
      { key: 'team', operator: 'Exists', values: [] },
      { key: 'legacy', operator: 'DoesNotExist', values: [] },
      { key: 'tier', operator: 'In', values: ['web', 'api'] },
      { key: NAME, operator: 'NotIn', values: ['infra'] },
    ],
  } as const satisfies WebhookScope;
  const labels = { team: 'a', tier: 'web' };
  const of = (namespace: string, known?: Readonly<Record<string, string>>): string | undefined =>
    exemption(scope, namespace, known && new Map(Object.entries(known)));

  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['shop', labels, undefined],
    ['shop', { tier: 'web' }, 'team'],
    ['shop', { ...labels, legacy: '1' }, '!legacy'],
    ['shop', { ...labels, tier: 'db' }, 'tier in (web,api)'],
    ['infra', labels, `${NAME} notin (infra)`],
    ['infra', {}, 'team'],
  ])('%s with the labels %j is exempt by the first requirement that it does not meet: %s', (name, known, reason) => {
    expect(of(name, known)).toBe(reason);
  });

  it('is told by the name alone while the labels are not known', () => {
    expect([of('shop'), of('infra')]).toEqual([undefined, `${NAME} notin (infra)`]);
  });
});
