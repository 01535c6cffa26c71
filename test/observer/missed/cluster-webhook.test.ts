import { describe, expect, it } from 'vitest';
import { readClusterWebhook } from '../../../src/observer/missed/cluster-webhook.ts';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { AnsweringClient, listOf } from '../../cluster/client/answering-client.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const RESTART = 'kubectl rollout restart deployment/web';

const configuration = (webhook: JsonObject = {}, settings = 'enforcement=Deny,mutation=On'): JsonObject => ({
  metadata: { name: 'probewright', annotations: { 'probewright.dev/settings': settings } },
  webhooks: [{ name: 'other.example.com' }, { name: 'mutate.probewright.dev', ...webhook }],
});
const other: JsonObject = { metadata: { name: 'other' }, webhooks: [{ name: 'other.example.com' }] };

const binding: JsonObject = {
  metadata: { name: 'probewright-inject-namespaces', generation: 1, creationTimestamp: '2026-11-01T00:00:00Z' },
  spec: {
    policyName: 'probewright-inject',
    paramRef: { name: 'effective', parameterNotFoundAction: 'Allow' },
    matchResources: {
      namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['x'] }] },
    },
  },
};
const policy: JsonObject = { metadata: { name: 'probewright-inject' }, spec: {} };

let answering: AnsweringClient;
async function read(
  configurations: readonly JsonObject[] | Error = [other, configuration()],
  native: JsonObject | Error = new ApiError(404, 'NotFound', 'not found'),
): Promise<{ scope: unknown; step: string; tier: unknown; unread: readonly string[] }> {
  answering = new AnsweringClient(({ path }) => {
    if (path.endsWith('/mutatingwebhookconfigurations'))
      return configurations instanceof Error ? configurations : listOf(...configurations);
    if (path.endsWith('/mutatingadmissionpolicies/probewright-inject')) return native;
    return path.endsWith('/mutatingadmissionpolicybindings') ? listOf(binding) : listOf();
  });
  const { stepOf, scope, tier, unread } = await readClusterWebhook(answering);
  return { scope, tier, unread, step: stepOf(RESTART) };
}
const unknownMode = `if mutation is On (unknown here): ${RESTART}`;

describe('the webhook of a cluster', () => {
  it('has its scope and its mode from the configuration, and nothing else is asked for', async () => {
    const objectSelector = { matchLabels: { tier: 'web' } };
    const pods = [{ key: 'tier', operator: 'In', values: ['web'] }];
    expect(await read([configuration({ objectSelector })])).toEqual({
      scope: { namespaces: [], pods, foreignConditions: [] },
      step: RESTART,
      tier: 'webhook',
      unread: [],
    });
    expect(answering.requests.map(({ path }) => path)).toEqual([
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/probewright-inject',
    ]);
  });

  it('is found among other configurations', async () => {
    expect(await read()).toMatchObject({ scope: { foreignConditions: [] }, step: RESTART });
  });

  it('is not there without a configuration of ours', async () => {
    expect(await read([other])).toEqual({
      scope: undefined,
      step: 'the cluster has no webhook of Probewright',
      tier: 'none',
      unread: [],
    });
  });

  it('is taken for that of the chart when the configurations may not be read', async () => {
    expect(await read(new Error('forbidden'))).toEqual({
      scope: undefined,
      step: unknownMode,
      tier: undefined,
      unread: ['mutatingwebhookconfigurations cannot be read: forbidden'],
    });
  });
});

describe('what injects', () => {
  const native = [configuration({}, 'enforcement=Deny,mutation=Native')];

  it.each<[string, readonly JsonObject[] | Error, JsonObject | Error | undefined, string | undefined]>([
    ['both', [configuration()], policy, 'both'],
    ['the native policy beside a webhook without calls', native, policy, 'native'],
    ['the native policy alone', [], policy, 'native'],
    ['nothing, with a webhook that adds no probes', native, undefined, 'none'],
    ['not known without a right', [], new ApiError(403, 'Forbidden', 'forbidden'), undefined],
    [
      'the webhook, whatever the native policy does',
      [configuration()],
      new ApiError(403, 'Forbidden', 'forbidden'),
      'webhook',
    ],
    ['not known without the mode', [configuration({}, '')], policy, undefined],
  ])('is %s', async (_, configurations, own, tier) => {
    expect((await read(configurations, own)).tier).toBe(tier);
  });

  it('has the scope of the binding where the native policy alone injects, and a restart helps', async () => {
    expect(await read(native, policy)).toMatchObject({
      scope: { namespaces: [{ key: 'team', operator: 'NotIn', values: ['x'] }], pods: [], foreignConditions: [] },
      step: RESTART,
    });
  });

  it('is the native policy by the setting of the chart, and a restart helps only if the policy is there', async () => {
    const denied = new ApiError(403, 'Forbidden', 'forbidden');
    expect((await read(native, denied)).step).toBe(`if the native policy injects (unknown here): ${RESTART}`);
    expect((await read(native)).step).toBe('mutation is Native, and the cluster has no native policy');
  });

  it('is told to be unread with the reason', async () => {
    const { unread } = await read([], new ApiError(403, 'Forbidden', 'forbidden'));
    expect(unread).toEqual([expect.stringContaining('mutatingadmissionpolicies cannot be read')]);
  });
});

describe('the mode of the webhook', () => {
  const off = (mode: string): string => `the webhook runs with mutation: ${mode}, and injects nothing`;

  it.each<[string, string, string]>([
    ['On', 'enforcement=Deny,mutation=On', RESTART],
    ['Audit', 'enforcement=Deny,mutation=Audit', off('Audit')],
    ['Off, in another order', 'mutation=Off,enforcement=Warn', off('Off')],
    ['unknown without the setting', 'enforcement=Deny', unknownMode],
    ['unknown with a setting of another name', 'no-mutation=Off', unknownMode],
  ])('is %s', async (_, settings, step) => {
    expect((await read([configuration({}, settings)])).step).toBe(step);
  });

  it('is unknown without the annotation of the chart', async () => {
    expect((await read([{ ...configuration(), metadata: { name: 'probewright' } }])).step).toBe(unknownMode);
  });
});
