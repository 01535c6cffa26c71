import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failingCauses, failingResults } from '../../../src/observer/failing/failing-results.ts';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { readProbeEvent } from '../../../src/observer/failing/probe-events.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { workloadState } from '../../../src/observer/failing/workload-waits.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed } from '../../kubelet/watch-events.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { NamedObject } from '../../../src/observer/observed-workload.ts';
import type { StartTruth } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');
const readinessProbe = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 2 };
const named = (name: string): NamedObject => ({ namespace: 'apps', group: 'apps', kind: 'Deployment', name });

let workloads: FailingWorkloads;
beforeEach(() => {
  workloads = new FailingWorkloads();
});
afterEach(() => {
  expect(workloads.troubledPods).toBeLessThanOrEqual(10_000);
});

/** Lets the observer see a Pod of the workload as it is so many seconds after the creation, and all its events. */
function observe(
  name: string,
  starts: readonly StartTruth[],
  seconds: number,
  container: JsonObject = { readinessProbe },
  namespace = 'apps',
  annotations: JsonObject = {},
): string {
  const pod = podOf([{ name: 'app', ...container }], {}, { namespace, annotations });
  const history = simulatePod(
    { pod, createdAt, until: seconds, containers: { app: { starts } } },
    seededRandom(name.length),
  );
  const uid = (pod['metadata'] as JsonObject)['uid'] as string;
  workloads.seen(uid, { ...named(name), namespace }, podHealth(podAsListed(history, createdAt + seconds * 1000) ?? {}));
  for (const { event, at } of history.events) {
    const hint = readProbeEvent(event);
    if (hint !== undefined) workloads.hint(hint, at);
  }
  return uid;
}

const told = (seconds: number): string[] =>
  workloads
    .findings(createdAt + seconds * 1000)
    .map((one) => `${one.workload.name}: ${[...failingCauses(one)].join(', ')}`);

const fails = (from: number, status = 503): StartTruth[] => [
  { faults: [{ from, until: Infinity, answer: { kind: 'status', status } }] },
];

describe('workloads that fail', () => {
  it('have one finding for each cause, however many Pods fail', () => {
    for (let pod = 0; pod < 5; pod++) observe('web', fails(0, 404), 60);
    observe('slow', [{ answersFrom: Infinity }], 60);
    expect(told(60)).toStrictEqual(['slow: connection-refused', 'web: http-404']);
    expect(workloads.findings(createdAt + 60_000)[1]?.failures).toHaveLength(1);
  });

  it('lose the finding when all Pods have recovered or are gone', () => {
    const recovers = observe('web', fails(0, 404), 60);
    const goes = observe('web', fails(0, 404), 60);
    workloads.seen(recovers, named('web'), undefined);
    expect(told(60)).toStrictEqual(['web: http-404']);
    workloads.gone('apps', goes);
    expect(told(60)).toStrictEqual([]);
  });

  it('are forgotten when a list does not have them', () => {
    const [stays, goes] = [observe('stays', fails(0, 404), 60), observe('goes', fails(0, 404), 60)];
    expect([stays, goes]).toHaveLength(2);
    workloads.retain(new Set([stays]));
    expect(told(60)).toStrictEqual(['stays: http-404']);
  });

  it('have the same results whenever they are asked: messages do not drift', () => {
    observe('web', fails(0, 404), 60);
    const results = (seconds: number): unknown => workloads.findings(createdAt + seconds * 1000).map(failingResults);
    expect(results(61)).toStrictEqual(results(3000));
  });

  it('need no event that is older than an hour: the status tells that the probe fails, and no more', () => {
    observe('web', fails(0, 404), 60);
    expect(told(60 + 3700)).toStrictEqual(['web: unclear']);
  });

  it('have no unclear cause of one Pod where the events of another tell it', () => {
    observe('web', fails(0, 404), 60);
    observe('web', fails(0, 404), 3700);
    expect(told(3760)).toStrictEqual(['web: http-404']);
  });

  it('are told by the policy that injects the probe', () => {
    const annotations = { 'probewright.dev/injected': '{"app":{"readinessProbe":"ProbePolicy/apps/static"}}' };
    observe('web', fails(0, 401), 60, { readinessProbe }, 'apps', annotations);
    expect(workloads.findings(createdAt + 60_000).flatMap(failingResults)).toStrictEqual([
      {
        policy: 'ProbePolicy/apps/static',
        rule: 'probe-failing',
        category: 'Fails now',
        severity: 'high',
        result: 'warn',
        scored: false,
        message:
          'container "app": the readinessProbe (httpGet /ready on port 8080) that ProbePolicy/apps/static injected gets HTTP status 401',
        properties: {
          cause: 'http-401',
          container: 'app',
          probe: 'readinessProbe',
          sources: 'ProbePolicy/apps/static',
          since: '2026-11-20T10:00:00Z',
          fix: 'Exempt the path from authentication, or probe a path that needs none. ProbePolicy/apps/static injects the probe.',
        },
      },
    ]);
  });
});

it('a Job belongs to the CronJob in its name where the status of one is known', () => {
  const batch = (kind: string, name: string): NamedObject => ({ namespace: 'apps', group: 'batch', kind, name });
  const cronJob = workloadState(
    { metadata: { namespace: 'apps', name: 'nightly' }, spec: {}, status: {} },
    'batch',
    'CronJob',
  );
  workloads.workload(batch('CronJob', 'nightly'), cronJob);
  const jobs = ['nightly-29385600', 'weekly-29385600', 'nightly'].map((name) => batch('Job', name));
  expect(jobs.map((job) => workloads.above(job))).toEqual([batch('CronJob', 'nightly'), jobs[1], jobs[2]]);
  expect(workloads.above(batch('Deployment', 'nightly-1'))).toEqual(batch('Deployment', 'nightly-1'));
});

it('a StatefulSet waits for the first of its Pods that is not Ready', () => {
  const web: NamedObject = { namespace: 'apps', group: 'apps', kind: 'StatefulSet', name: 'web' };
  const template = { spec: { containers: [{ name: 'app' }] } };
  const status = { replicas: 3 };
  const set = { metadata: { namespace: 'apps', name: 'web' }, spec: { replicas: 4, template }, status };
  workloads.workload(web, workloadState(set, 'apps', 'StatefulSet'));
  const waiting = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "app:9"' } };
  const running = { running: { startedAt: '2026-11-20T10:00:01Z' } };
  for (const [ordinal, state] of [waiting, running, waiting].entries()) {
    // The first Pod has ended, and the second one runs.
    const phase = ordinal === 0 ? 'Failed' : 'Pending';
    const metadata = {
      namespace: 'apps',
      name: `web-${ordinal}`,
      uid: `u${ordinal}`,
      creationTimestamp: '2026-11-20T10:00:00Z',
    };
    const status = { phase, containerStatuses: [{ name: 'app', ready: state === running, state }] };
    const health = podHealth({ metadata, spec: template.spec, status });
    if (health !== undefined) workloads.seen(`u${ordinal}`, web, health);
  }
  const found = workloads.findings(createdAt + 3_600_000).flatMap(failingResults);
  const words = found.map(({ properties }) => `${properties['cause'] ?? ''}: ${properties['words'] ?? ''}`);
  expect(words).toContain('pods-in-order: it waits for the Pod web-2');
});

describe('a shared dependency', () => {
  it('is told as one when three workloads stop being ready within a minute while their containers run', () => {
    observe('a', fails(200), 300);
    observe('bb', fails(220), 300);
    observe('ccc', fails(240), 300);
    expect(told(300)).toStrictEqual([
      'a: shared-dependency, http-5xx',
      'bb: shared-dependency, http-5xx',
      'ccc: shared-dependency, http-5xx',
    ]);
    const [first] = workloads.findings(createdAt + 300_000).flatMap(failingResults);
    expect(first?.properties['workloads']).toBe('Deployment apps/a, Deployment apps/bb, Deployment apps/ccc');
    expect(first?.message).toBe(
      'readiness fails together with other workloads while the containers run: they share a dependency',
    );
  });

  it('is told when two workloads of two namespaces fail together', () => {
    observe('a', fails(200), 300);
    observe('bb', fails(220), 300, { readinessProbe }, 'shop');
    expect(told(300)).toStrictEqual(['a: shared-dependency, http-5xx', 'bb: shared-dependency, http-5xx']);
  });

  it('is not told of a workload before it has failed for 30 s: a flap in the same minute is chance', () => {
    for (const name of ['a', 'bb', 'ccc']) observe(name, fails(200), 290);
    observe('flap', fails(255), 290);
    expect(told(285).at(-1)).toBe('flap: http-5xx');
    expect(told(285)[0]).toBe('a: shared-dependency, http-5xx');
    expect(told(300).at(-1)).toBe('flap: shared-dependency, http-5xx');
  });

  it.each<[string, () => void]>([
    ['two workloads fail', () => void observe('ccc', [{}], 300)],
    ['the third fails later', () => void observe('ccc', fails(290), 400)],
    ['the third never was ready', () => void observe('ccc', fails(0), 300)],
    ['the third has a wrong path', () => void observe('ccc', fails(230, 404), 300)],
    [
      'the container of the third is restarted',
      () => void observe('ccc', fails(230), 300, { livenessProbe: readinessProbe }),
    ],
  ])('is not told when %s', (_, third) => {
    observe('a', fails(200), 300);
    observe('bb', fails(220), 300);
    third();
    expect(told(400).filter((one) => one.includes('shared'))).toStrictEqual([]);
  });

  it('leaves to each workload the causes of its own', () => {
    for (const name of ['a', 'bb', 'ccc']) observe(name, fails(200), 300);
    const wrong = { livenessProbe: { exec: { command: ['curl'] } }, readinessProbe };
    observe(
      'dddd',
      [
        {
          faults: [
            { from: 200, until: Infinity, answer: { kind: 'status', status: 503 }, probes: ['readiness'] },
            { from: 0, until: Infinity, answer: { kind: 'command-missing' }, probes: ['liveness'] },
          ],
        },
      ],
      300,
      wrong,
    );
    expect(told(300).at(-1)).toBe('dddd: shared-dependency, executable-not-found, http-5xx');
  });
});
