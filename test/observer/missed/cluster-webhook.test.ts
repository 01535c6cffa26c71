import { describe, expect, it } from 'vitest';
import { readClusterWebhook } from '../../../src/observer/missed/cluster-webhook.ts';
import { AnsweringClient, listOf } from '../../cluster/client/answering-client.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const RESTART = 'kubectl rollout restart deployment/web';

const configuration = (webhook: JsonObject = {}, settings = 'enforcement=Deny,mutation=On'): JsonObject => ({
  metadata: { name: 'probewright', annotations: { 'probewright.dev/settings': settings } },
  webhooks: [{ name: 'other.example.com' }, { name: 'mutate.probewright.dev', ...webhook }],
});
const other: JsonObject = { metadata: { name: 'other' }, webhooks: [{ name: 'other.example.com' }] };

let answering: AnsweringClient;
async function read(
  configurations: readonly JsonObject[] | Error = [other, configuration()],
): Promise<{ scope: unknown; step: string }> {
  answering = new AnsweringClient(() => (configurations instanceof Error ? configurations : listOf(...configurations)));
  const { stepOf, ...webhook } = await readClusterWebhook(answering);
  return { ...webhook, step: stepOf(RESTART) };
}
const unknownMode = `if mutation is On (unknown here): ${RESTART}`;

describe('the webhook of a cluster', () => {
  it('has its scope and its mode from the configuration, and nothing else is asked for', async () => {
    const objectSelector = { matchLabels: { tier: 'web' } };
    const pods = [{ key: 'tier', operator: 'In', values: ['web'] }];
    expect(await read([configuration({ objectSelector })])).toEqual({
      scope: { namespaces: [], pods, foreignConditions: [] },
      step: RESTART,
    });
    expect(answering.requests.map(({ path }) => path)).toEqual([
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    ]);
  });

  it('is found among other configurations', async () => {
    expect(await read()).toMatchObject({ scope: { foreignConditions: [] }, step: RESTART });
  });

  it('is not there without a configuration of ours', async () => {
    expect(await read([other])).toEqual({
      scope: undefined,
      step: 'the cluster has no webhook of Probewright',
    });
  });

  it('is taken for that of the chart when the configurations may not be read', async () => {
    expect(await read(new Error('forbidden'))).toEqual({
      scope: undefined,
      step: unknownMode,
    });
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
