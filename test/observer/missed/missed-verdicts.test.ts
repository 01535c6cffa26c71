import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { InForce, denyingWebhook, missedVerdict } from '../../../src/observer/missed/missed-verdicts.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const SINCE = Date.parse('2026-01-01T00:00:00Z');
const CHANGED = Date.parse('2026-02-01T00:00:00Z');
const LATER = '2026-02-01T00:00:03Z';
const POLICY = 'ProbePolicy/apps/static';
const STORED =
  `without a verdict at ${LATER} or later: the webhook did not answer, its answer was an error, ` +
  'or an exception, a policy or a label that allowed the object is gone';

const written = (time: string, more: JsonObject = {}): JsonObject => ({
  time,
  fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:probewright.dev/settings': {} } } },
  ...more,
});
const configuration = (changes: JsonObject = {}, webhook: JsonObject = {}): JsonObject => ({
  metadata: {
    name: 'probewright',
    annotations: { 'probewright.dev/settings': 'enforcement=Deny,mutation=On' },
    managedFields: [
      written('2026-01-01T00:00:00Z'),
      // The writer of caBundle.
      { time: '2026-03-01T00:00:00Z', fieldsV1: { 'f:webhooks': {} } },
    ],
    ...changes,
  },
  webhooks: [{ name: 'mutate.probewright.dev', ...webhook }],
});

describe('a webhook that denies', () => {
  it('does so since its settings were last written', () => {
    expect(denyingWebhook(configuration())?.since).toBe(SINCE);
    const managedFields = [written('2026-01-01T00:00:00Z'), written('2026-02-01T00:00:00Z')];
    expect(denyingWebhook(configuration({ managedFields }))?.since).toBe(CHANGED);
  });

  it.each<[what: string, configuration: JsonObject]>([
    ['only warns', configuration({ annotations: { 'probewright.dev/settings': 'enforcement=Warn,mutation=On' } })],
    ['does not tell its settings', configuration({ annotations: {} })],
    ['has no times', configuration({ managedFields: [] })],
    ['has a time that is none', configuration({ managedFields: [written('soon')] })],
    ['is not there', { ...configuration(), webhooks: [] }],
  ])('is not known where it %s', (_, given) => expect(denyingWebhook(given)).toBeUndefined());
});

function surroundings(
  webhook: JsonObject = {},
  changedAt: (source: string) => number | undefined = () => CHANGED,
): Parameters<typeof missedVerdict>[2] {
  const denying = denyingWebhook(configuration({}, webhook));
  if (denying === undefined) throw new Error('the webhook denies');
  return { ...denying, snapshot: policySet(), changedAt };
}
const object = (metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'web', namespace: 'apps', creationTimestamp: LATER, ...metadata },
});

describe('a live object that would be denied now', () => {
  it('was stored without a verdict if it was created after all that denies it', () => {
    expect(missedVerdict(object(), [POLICY], surroundings())).toBe(STORED);
    expect(missedVerdict(object({ creationTimestamp: '2026-01-01T00:00:03Z' }), [], surroundings())).toBeDefined();
  });

  it('may carry the label that only leaves Pods out of defaulting', () => {
    const labels = { 'probewright.dev/webhook': 'disabled' };
    const pods = {
      objectSelector: {
        matchExpressions: [{ key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] }],
      },
    };
    expect(missedVerdict(object({ labels }), [POLICY], surroundings(pods))).toBe(STORED);
  });

  it.each<
    [what: string, metadata: JsonObject, webhook?: JsonObject, changedAt?: (source: string) => number | undefined]
  >([
    ['is older than the policy', { creationTimestamp: '2026-01-31T00:00:00Z' }],
    [
      'is as old as the policy, by the clock of a webhook that has not seen it',
      { creationTimestamp: '2026-02-01T00:00:02Z' },
    ],
    ['is older than the enforcement', { creationTimestamp: '2025-12-31T00:00:00Z' }, {}, () => 0],
    ['has no time', { creationTimestamp: null }],
    ['has a policy of files, which has no time', {}, {}, () => undefined],
    [
      'is of a controller, which may be trusted',
      { ownerReferences: [{ apiVersion: 'a/v1', kind: 'A', name: 'a', controller: true }] },
    ],
    ['is in a namespace that the webhook does not see', {}, { namespaceSelector: { matchLabels: { team: 'a' } } }],
    ['has labels that the webhook does not see', {}, { objectSelector: { matchLabels: { team: 'a' } } }],
    ['may be left out by a condition', {}, { matchConditions: [{ name: 'mine', expression: 'false' }] }],
  ])('is not said to be when it %s', (_, metadata, webhook, changedAt) =>
    expect(missedVerdict(object(metadata), [POLICY], surroundings(webhook, changedAt))).toBeUndefined(),
  );

  it('is said to be exactly when each layer and the enforcement are older', () => {
    const time = fc.option(fc.integer({ min: CHANGED - 4000, max: CHANGED + 4000 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(time, { maxLength: 4 }), (times) => {
        const sources = times.map((_, index) => String(index));
        const found = missedVerdict(
          object(),
          sources,
          surroundings({}, (source) => times[Number(source)]),
        );
        const areOlder = times.every((at) => at !== undefined && at + 2000 < Date.parse(LATER));
        expect(found).toBe(areOlder ? STORED : undefined);
      }),
    );
  });
});

describe('what is in force', () => {
  const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  const POLICIES = '/apis/probewright.dev/v1alpha1/namespaces/apps/probepolicies';
  const snapshot = policySet(policyDocument({ port: 'http' }, 'static'));
  let api: FakeApiServer;
  let inForce: InForce;

  beforeEach(async () => {
    api = await startFakeApiServer();
    inForce = new InForce(new ApiClient(api.access, 'test'), 'probewright');
    api.put(POLICIES, {
      metadata: { name: 'static', generation: 1, creationTimestamp: '2026-02-01T00:00:00Z' },
      spec: { port: 'http' },
    });
  });
  afterEach(() => api.stop());

  const stored = (created: JsonObject = {}): string | undefined =>
    inForce.missedVerdict(object(created), [POLICY], snapshot);

  it('is known of the policies that were read, and of no later ones', async () => {
    api.put(CONFIGURATIONS, configuration());
    expect(stored()).toBeUndefined();
    await inForce.read(snapshot.tiers);
    expect(inForce.changedAt(POLICY)).toBe(Date.parse(api.list(POLICIES)[0]?.metadata.creationTimestamp ?? ''));
    expect(stored({ creationTimestamp: '2100-01-01T00:00:00Z' })).toMatch(/^without a verdict at 2100-01-01T00:00:00Z/);
    await inForce.read(policySet().tiers);
    expect(stored({ creationTimestamp: '2100-01-01T00:00:00Z' })).toBeUndefined();
  });

  it('tells nothing without the configuration of the webhook', async () => {
    await inForce.read(snapshot.tiers);
    expect(stored({ creationTimestamp: '2100-01-01T00:00:00Z' })).toBeUndefined();
  });
});
