import { expect, it } from 'vitest';
import { tierOfPod, type TierSurroundings } from '../../../src/observer/missed/tier-of-pod.ts';
import type { LabelSelector } from '../../../src/engine/policy/label-selector.ts';

const selector = (key: string): LabelSelector => [{ key, operator: 'Exists', values: [] }];
const tier = (name: 'webhook' | 'native', namespaces: LabelSelector, pods: LabelSelector = []): TierSurroundings =>
  ({ tier: name, scope: { namespaces, pods, foreignConditions: [] } }) as unknown as TierSurroundings;
const NAMESPACES = new Map([
  ['shop', new Map([['native', 'on']])],
  ['apps', new Map([['native', 'off']])],
  ['old', new Map<string, string>()],
]);
const sees = (tiers: readonly TierSurroundings[], namespace: string, labels?: object): string | undefined =>
  tierOfPod({ metadata: { namespace, ...(labels && { labels }) } }, tiers, NAMESPACES)?.tier;

it('the first tier that sees a Pod is told, by the labels of its namespace', () => {
  const tiers = [tier('native', selector('native')), tier('webhook', [])];
  expect(['shop', 'apps', 'old', 'unknown'].map((namespace) => sees(tiers, namespace))).toEqual([
    'native',
    'native',
    'webhook',
    'webhook',
  ]);
  expect(sees([...tiers].reverse(), 'shop')).toBe('webhook');
});

it('a tier sees a Pod by the labels of the Pod, too', () => {
  const tiers = [tier('native', [], selector('job')), tier('webhook', selector('native'))];
  expect(sees(tiers, 'old', { job: 'x' })).toBe('native');
  expect(sees(tiers, 'shop', { app: 'x' })).toBe('webhook');
});

it('a Pod that no tier sees has none', () => {
  const tiers = [tier('native', selector('native')), tier('webhook', [], selector('job'))];
  expect(sees(tiers, 'old')).toBeUndefined();
  expect(tierOfPod({}, tiers, NAMESPACES)).toBeUndefined();
  expect(sees([], 'shop')).toBeUndefined();
});
