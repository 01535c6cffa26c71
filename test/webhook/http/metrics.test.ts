import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { REASON_CODES } from '../../../src/engine/defaulting/not-injected.ts';
import { Metrics, type MetricSources } from '../../../src/webhook/http/metrics.ts';
import type { AdmissionRequest, Decision } from '../../../src/webhook/review/decision.ts';

function metricsWith(sources: Partial<MetricSources> = {}): Metrics {
  return new Metrics({
    policies: () => ({ loaded: 0, problems: 0, lastSync: undefined }),
    leader: () => false,
    now: () => 0,
    ...sources,
  });
}

/** The samples of a metric by the values of their labels: `mutate CREATE Pod allow allow false` -> 1. */
async function samples({ registry }: Metrics, name: string): Promise<Readonly<Record<string, number>>> {
  const metric = await registry.getSingleMetric(`probewright_${name}`)?.get();
  const entries = (metric?.values ?? []).map(({ labels, value }) => [Object.values(labels).join(' '), value]);
  return Object.fromEntries(entries) as Record<string, number>;
}
/** The samples that are not 0. */
async function counted(metrics: Metrics, name: string): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries(Object.entries(await samples(metrics, name)).filter(([, value]) => value !== 0));
}

const requestOf = (operation = 'CREATE', kind = 'Pod', dryRun = false): AdmissionRequest =>
  ({ operation, kind: { group: '', version: 'v1', kind }, dryRun }) as AdmissionRequest;
const decisionOf = (rest: object = {}): Decision => ({ result: 'allow', ...rest }) as unknown as Decision;

describe('a request is counted', () => {
  it.each<[string, AdmissionRequest]>([
    ['CREATE Pod allow allow false', requestOf()],
    ['UPDATE Deployment allow allow false', requestOf('UPDATE', 'Deployment')],
    ['DELETE ProbePolicy allow allow false', requestOf('DELETE', 'ProbePolicy')],
    ['CONNECT ClusterProbePolicy allow allow true', requestOf('CONNECT', 'ClusterProbePolicy', true)],
    ['other other allow allow false', requestOf('INVENTED', 'Invented')],
  ])('as %s', async (labels, request) => {
    const metrics = metricsWith();
    metrics.decided('mutate', request, decisionOf());
    expect(await counted(metrics, 'admission_requests_total')).toEqual({ [`mutate ${labels}`]: 1 });
  });

  it('by what the result would be with enforcement Deny', async () => {
    const metrics = metricsWith();
    metrics.decided('validate', requestOf(), decisionOf({ result: 'warn', wouldBe: { result: 'deny' } }));
    expect(await counted(metrics, 'admission_requests_total')).toEqual({ 'validate CREATE Pod warn deny false': 1 });
  });

  it('as an error without a decision', async () => {
    const metrics = metricsWith();
    metrics.failed('mutate');
    expect(await counted(metrics, 'admission_requests_total')).toEqual({ 'mutate other other error error false': 1 });
  });

  it('while it is in progress, and by its seconds', async () => {
    const metrics = metricsWith();
    metrics.started();
    metrics.started();
    expect(await samples(metrics, 'admission_in_flight')).toEqual({ '': 2 });
    metrics.finished('validate', 0.003);
    expect(await samples(metrics, 'admission_in_flight')).toEqual({ '': 1 });
    const found = await counted(metrics, 'admission_duration_seconds');
    expect(found['validate']).toBeGreaterThan(0);
    expect(Object.keys(found).filter((labels) => labels.includes('0.0025'))).toEqual([]);
    expect(await metrics.registry.getSingleMetricAsString('probewright_admission_duration_seconds')).toContain(
      'probewright_admission_duration_seconds_bucket{le="0.005",webhook="validate"} 1',
    );
  });
});

describe('what was decided is counted', () => {
  it('by the probe and the source of each injection; a policy has no name there', async () => {
    const metrics = metricsWith();
    const sources = ['annotation', 'safety', 'ProbePolicy/apps/web', 'ClusterProbePolicy/base'];
    const injections = sources.map((source) => ({ kind: 'startupProbe', source }));
    metrics.decided('mutate', requestOf(), decisionOf({ defaulting: { injections, notInjected: [] } }));
    expect(await counted(metrics, 'patch_operations_total')).toEqual({
      'annotation startupProbe': 1,
      'safety startupProbe': 1,
      'policy startupProbe': 2,
    });
  });

  it('by the reason of each probe that is missing', async () => {
    const metrics = metricsWith();
    const notInjected = [{ code: 'no-port' }, { code: 'no-port' }, { code: 'no-endpoint' }];
    metrics.decided('mutate', requestOf(), decisionOf({ defaulting: { injections: [], notInjected } }));
    expect(await counted(metrics, 'not_injected_total')).toEqual({ 'no-port': 2, 'no-endpoint': 1 });
  });

  it('by the check and the action of each violation, also as they would be', async () => {
    const metrics = metricsWith();
    const violations = [{ check: 'named-port', action: 'Warn' }];
    metrics.decided('validate', requestOf(), decisionOf({ violations }));
    const denied = { result: 'deny', violations: [{ check: 'named-port', action: 'Deny' }] };
    metrics.decided('validate', requestOf(), decisionOf({ violations, wouldBe: denied }));
    expect(await counted(metrics, 'findings_total')).toEqual({ 'named-port Warn': 2 });
    expect(await counted(metrics, 'would_be_findings_total')).toEqual({ 'named-port Warn': 1, 'named-port Deny': 1 });
  });
});

describe('the series at the start', () => {
  it.each<[string, readonly string[]]>([
    ['reviews_not_judged_total', ['mutate', 'validate', 'review-policies']],
    ['policy_effects_total', ['complete', 'incomplete', 'busy', 'not-loaded', 'abandoned']],
    ['not_injected_total', REASON_CODES],
    ['connections_dropped_total', ['webhook', 'health']],
    [
      'namespace_waits_skipped_total',
      ['mutate', 'validate', 'review-policies'].flatMap((webhook) =>
        ['no-room', 'timeout', 'no-contact'].map((reason) => `${webhook} ${reason}`),
      ),
    ],
    [
      'admission_requests_total',
      ['mutate CREATE Pod', 'validate CREATE Pod', 'review-policies CREATE ProbePolicy'].flatMap((webhook) =>
        ['allow allow', 'error error'].map((result) => `${webhook} ${result} false`),
      ),
    ],
    [
      'patch_operations_total',
      ['policy', 'annotation', 'safety'].flatMap((rule) =>
        ['livenessProbe', 'readinessProbe', 'startupProbe'].map((probe) => `${rule} ${probe}`),
      ),
    ],
    ...['findings_total', 'would_be_findings_total'].map((name): [string, readonly string[]] => [
      name,
      CHECKS.filter(({ action }) => action !== 'Off').map(({ id, action }) => `${id} ${action}`),
    ]),
  ])('of %s are 0', async (name, labels) => {
    const found = await samples(metricsWith(), name);
    expect(Object.keys(found).toSorted()).toEqual([...labels].toSorted());
    expect(new Set(Object.values(found))).toEqual(new Set([0]));
  });

  it('of durations are 0 for each webhook, from 1 ms to 5 s', async () => {
    const found = await samples(metricsWith(), 'admission_duration_seconds');
    const bounds = ['0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '1', '5', '+Inf'];
    const webhooks = ['mutate', 'validate', 'review-policies'];
    const buckets = bounds.flatMap((bound) => webhooks.map((webhook) => `${bound} ${webhook}`));
    expect(Object.keys(found).toSorted()).toEqual([...webhooks, ...buckets].toSorted());
    expect(new Set(Object.values(found))).toEqual(new Set([0]));
  });
});

it('a dropped connection is counted by its port', async () => {
  const metrics = metricsWith();
  metrics.connectionDropped('health');
  expect(await samples(metrics, 'connections_dropped_total')).toEqual({ webhook: 0, health: 1 });
});

it('the metrics of Node and of the process are among those of the webhook', async () => {
  const text = await metricsWith({ leader: () => true }).registry.metrics();
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).toContain('probewright_leader 1');
  expect(text).toContain(
    '# HELP probewright_leader Whether this replica leads: the leader writes statuses, the CA and',
  );
});

describe('the gauges of the webhook', () => {
  it('show the certificates, with times in seconds', async () => {
    const metrics = metricsWith({
      certificates: () => ({
        leafNotAfter: 5000,
        caNotAfter: 7500,
        bundleSynced: { mutating: true, validating: false },
        problem: 'expired',
      }),
    });
    expect(await samples(metrics, 'cert_expiry_timestamp_seconds')).toEqual({ leaf: 5, ca: 7.5 });
    expect(await samples(metrics, 'ca_bundle_synced')).toEqual({ mutating: 1, validating: 0 });
    expect(await samples(metrics, 'cert_problem')).toEqual({ '': 1 });
  });

  it('show a next CA, and no problem, where there is one and none', async () => {
    const metrics = metricsWith({ certificates: () => ({ leafNotAfter: undefined, nextNotAfter: 9000 }) });
    expect(await samples(metrics, 'cert_expiry_timestamp_seconds')).toEqual({ next: 9 });
    expect(await samples(metrics, 'ca_bundle_synced')).toEqual({});
    expect(await samples(metrics, 'cert_problem')).toEqual({ '': 0 });
  });

  it('show exceptions by state, and statuses that cannot be written by reason', async () => {
    const metrics = metricsWith({
      exceptions: () => ({ Active: 2, Expired: 0 }),
      statusesSetAside: () => ({ refused: 3 }),
    });
    expect(await samples(metrics, 'exceptions')).toEqual({ active: 2, expired: 0 });
    expect(await samples(metrics, 'policy_statuses_set_aside')).toEqual({ refused: 3 });
  });

  it('have no series without a source', async () => {
    const metrics = metricsWith();
    for (const name of ['cert_expiry_timestamp_seconds', 'ca_bundle_synced', 'exceptions', 'policy_statuses_set_aside'])
      expect(await samples(metrics, name)).toEqual({});
    expect(await samples(metrics, 'cert_problem')).toEqual({ '': 0 });
  });
});
