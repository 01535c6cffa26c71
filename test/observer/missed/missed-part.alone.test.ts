import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { MissedPart } from '../../../src/observer/missed/missed-part.ts';
import { InForce } from '../../../src/observer/missed/missed-verdicts.ts';
import { PodWatch } from '../../../src/observer/pod-watch.ts';
import { ExtraResults } from '../../../src/observer/reports/report-result.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { appContainer, policyDocument, policySet } from '../../support/worlds.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';

const PODS = '/api/v1/namespaces/apps/pods';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const NATIVE = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings';
const POLICIES = '/apis/probewright.dev/v1alpha1/namespaces/apps/probepolicies';
const web = { namespace: 'apps', group: '', kind: 'Pod', name: 'a' };

const liveness = policySet(
  policyDocument({ port: 'http', kubernetesProbeEndpoints: { livenessProbe: '/livez' } }, 'static'),
);

let api: FakeApiServer;
let watch: PodWatch;
let part: MissedPart;
let results: ExtraResults;
let registry: Registry;
let snapshot: Snapshot | undefined;
let clock: number;
/** Of the clock that never goes back. */
let time: number;
let exempt: string | undefined;
let logged: string[];

beforeEach(async () => {
  api = await startFakeApiServer();
  [snapshot, clock, results, registry] = [liveness, Date.now(), new ExtraResults(), new Registry()];
  time = 0;
  exempt = undefined;
  logged = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void logged.push(line) });
  const client = new ApiClient(api.access, 'test');
  watch = new PodWatch({ client, now: () => clock, random: () => 0.5, log, watchRenewal: 60_000 });
  const context = {
    client,
    log,
    monotonic: () => time,
    podWatch: watch,
    extraResults: results,
    inForce: new InForce(client, 'probewright'),
    isExempt: (namespace: string) => namespace === exempt,
    snapshot: () => snapshot,
    webhookConfiguration: 'probewright',
    webhookInjects: true,
    registers: [registry],
  };
  part = new MissedPart(context);
  api.put(CONFIGURATIONS, { metadata: { name: 'probewright' }, webhooks: [{ name: 'mutate.probewright.dev' }] });
  changePolicy('2026-01-01T00:00:00Z');
});
afterEach(async () => {
  part.stop();
  watch.stop();
  await api.stop();
});

const put = (name: string): unknown =>
  api.put(PODS, {
    metadata: { name, namespace: 'apps', labels: { app: 'web' } },
    spec: { containers: [appContainer()] },
    status: { phase: 'Running' },
  });
/** The policy as of its second generation, so that the time of the last change counts. */
function changePolicy(time: string): void {
  const managedFields = [{ manager: 'kubectl', operation: 'Update', time, fieldsV1: { 'f:spec': {} } }];
  for (const port of [1, 2]) api.put(POLICIES, { metadata: { name: 'static', managedFields }, spec: { port } });
}
const causes = (): unknown[] => results.of(web).map(({ properties }) => properties['cause']);
const lists = (): number =>
  api.requests.filter(({ path, query }) => path === '/api/v1/pods' && query['watch'] !== 'true').length;

describe('the search for missed Pods', () => {
  it('lists the Pods when this replica begins to lead, and not before', async () => {
    put('a');
    part.start();
    await new Promise((done) => setTimeout(done, 50));
    expect(causes()).toStrictEqual([]);
    part.lead(true);
    await waitUntil('missed', () => causes().join() === 'missed');
    expect(await registry.metrics()).toContain(
      'probewright_missed_pods{namespace="apps",cause="missed",tier="webhook"} 1',
    );
    exempt = 'apps';
    expect(await registry.metrics()).not.toContain('probewright_missed_pods{');
    exempt = undefined;
    part.lead(false);
    expect(await registry.metrics()).not.toContain('probewright_missed_pods{');
    // Nobody has watched that the Pod has gone.
    api.remove(PODS, 'a');
    time += 60_000;
    part.lead(true);
    await waitUntil('nothing', () => causes().length === 0);
  });

  it('forgets missed Pods when the webhook injects no longer, and finds them when it does again', async () => {
    const configure = (mutation: string): void => {
      const metadata = { name: 'probewright', annotations: { 'probewright.dev/settings': `mutation=${mutation}` } };
      api.put(CONFIGURATIONS, { metadata, webhooks: [{ name: 'mutate.probewright.dev' }] });
    };
    put('a');
    part.start();
    for (const [mutation, expected] of [
      ['On', 'missed'],
      ['Off', ''],
      ['On', 'missed'],
    ] as const) {
      configure(mutation);
      time += 300_000;
      part.lead(true);
      await waitUntil(`the mutation ${mutation}`, () => causes().join() === expected);
    }
  });

  it.each([
    [0, 'is there'],
    [1, 'does not exist'],
  ])('warns %i times where the webhook configuration %s', async (times) => {
    if (times > 0) api.remove(CONFIGURATIONS, 'probewright');
    part.start();
    part.lead(true);
    await waitUntil('a list', () => lists() > 0);
    expect(logged.filter((line) => line.includes('the webhook configuration does not exist'))).toHaveLength(times);
  });

  it('reads the policies in smaller pages when their annotations are too long for one', async () => {
    put('a');
    // 20 x 250 KiB: the API server stores them, and one answer may have 4 MiB.
    const annotations = { note: 'x'.repeat(250 * 1024) };
    const managedFields = [
      { manager: 'kubectl', operation: 'Update', time: '2026-02-01T00:00:00Z', fieldsV1: { 'f:spec': {} } },
    ];
    for (let index = 0; index < 20; index++)
      api.put(POLICIES, { metadata: { name: `p-${index}`, annotations, managedFields }, spec: {} });
    part.start();
    part.lead(true);
    await waitUntil('missed', () => causes().join() === 'missed');
    const sizes = api.requests
      .filter(({ path }) => path === '/apis/probewright.dev/v1alpha1/probepolicies')
      .map(({ query }) => query['limit']);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Number(sizes.at(-1))).toBeLessThan(20);
  });

  it('tells new Pods of the watch, and forgets Pods that have gone', async () => {
    watch.start();
    part.start();
    part.lead(true);
    await waitUntil('a list', () => lists() === 2);
    put('a');
    await waitUntil('missed', () => causes().join() === 'missed');
    api.remove(PODS, 'a');
    await waitUntil('nothing', () => causes().length === 0);
  });

  it('works results out once for many Pods, however many lack probes', async () => {
    const told: string[] = [];
    results.onChange(({ name }) => told.push(name));
    const worked = vi.spyOn(results, 'replace');
    watch.start();
    part.start();
    part.lead(true);
    await waitUntil('a list', () => lists() === 2);
    for (let pod = 0; pod < 50; pod++) put(`p-${pod}`);
    await waitUntil('all Pods are told', () => told.length === 50);
    // After the list, and for one or two seconds with new Pods.
    expect(worked.mock.calls.length).toBeLessThanOrEqual(10);
    worked.mockRestore();
  });

  it('lists again when the API server refuses the first list, and never without a change', async () => {
    put('a');
    changePolicy('2099-01-01T00:00:00Z');
    let refusals = 1;
    api.intercept(({ path }) => (path === '/api/v1/pods' && refusals-- > 0 ? { status: 500 } : undefined));
    part.start();
    part.lead(true);
    await waitUntil('predates', () => causes().join() === 'predates');
    const before = lists();
    time += 3_600_000;
    await new Promise((done) => setTimeout(done, 100));
    expect(lists()).toBe(before);
  });

  it.each([
    ['', 5_000],
    [', also with a clock that was set back', -86_400_000],
  ])(
    'tells a new Pod after a change of policies only when the times of the change have been read%s',
    async (_, step) => {
      snapshot = policySet();
      watch.start();
      part.start();
      part.lead(true);
      await waitUntil('a list', () => lists() === 2);
      snapshot = liveness;
      changePolicy('2099-01-01T00:00:00Z');
      put('a');
      await waitUntil('the Pod is watched', () => api.openWatches() > 0);
      await new Promise((done) => setTimeout(done, 50));
      expect(causes()).toStrictEqual([]);
      clock += step;
      time += 5_000;
      await waitUntil('predates', () => causes().join() === 'predates');
    },
  );

  it('leaves out what the selectors of the webhook leave out', async () => {
    const webhook = {
      name: 'mutate.probewright.dev',
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['apps'] }],
      },
    };
    api.put(CONFIGURATIONS, { metadata: { name: 'probewright' }, webhooks: [webhook] });
    put('a');
    part.start();
    part.lead(true);
    await waitUntil('a list', () => lists() === 1);
    await new Promise((done) => setTimeout(done, 50));
    expect(causes()).toStrictEqual([]);
  });

  it('counts by tier: what the native policy should have injected is missed, and what it leaves out is not', async () => {
    const settings = { 'probewright.dev/settings': 'enforcement=Deny,mutation=Native' };
    const metadata = { name: 'probewright', annotations: settings };
    api.put(CONFIGURATIONS, { metadata, webhooks: [{ name: 'mutate.probewright.dev' }] });
    api.put(NATIVE, {
      metadata: { name: 'probewright-inject', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    });
    const spec = { policyName: 'probewright-inject', paramRef: { name: 'effective' } };
    const bound = { name: 'namespaces', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
    api.put(BINDINGS, { metadata: bound, spec });
    put('a');
    api.put(PODS, {
      metadata: { name: 'large', namespace: 'apps', labels: { app: 'web' } },
      spec: { containers: [{ ...appContainer(), env: [{ name: 'A', value: 'x'.repeat(40_000) }] }] },
      status: { phase: 'Running' },
    });
    part.start();
    part.lead(true);
    await waitUntil('missed', () => causes().join() === 'missed');
    const metrics = await registry.metrics();
    expect(metrics).toContain('probewright_missed_pods{namespace="apps",cause="missed",tier="native"} 1');
    expect(metrics).toContain('probewright_left_out_pods{namespace="apps",construct="size"} 1');
    expect(metrics).not.toContain('tier="webhook"');
  });
});
