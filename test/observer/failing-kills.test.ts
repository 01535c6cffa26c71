import { describe, expect, it } from 'vitest';
import { failureMessage, failureRemedy } from '../../src/observer/failing/failing-results.ts';
import { CAUSE_TEXTS } from '../../src/observer/failing/causes.ts';
import { diagnose, type Failure } from '../../src/observer/failing/diagnosis.ts';
import { FailingWorkloads } from '../../src/observer/failing/failing-workloads.ts';
import { podHealth } from '../../src/observer/failing/pod-health.ts';
import { readProbeEvent } from '../../src/observer/failing/probe-events.ts';
import {
  both,
  events,
  fails,
  httpGet,
  kills,
  livenessProbe,
  observedPod,
  REFUSED,
  status,
  told,
} from './observed-pod.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

describe('a Pod of a Job that its liveness probe stops (O7)', () => {
  const job = (name: string) => ({ namespace: 'apps', group: 'batch', kind: 'Job', name });
  const never = { restartPolicy: 'Never' };
  const running = observedPod({ livenessProbe }, { runsFrom: 0, ready: true }, never);
  const given = [...fails('Liveness', status(503), 35, 40, 45), ...events('Killing', 'Stopping container app', [45])];
  const now = (seconds: number): number => Date.parse('2026-11-20T10:00:00Z') + seconds * 1000;
  const causes = (workloads: FailingWorkloads, seconds: number): string[] =>
    workloads
      .findings(now(seconds))
      .flatMap(({ workload, failures }) => failures.map(({ cause }) => `${workload.name} ${cause}`));
  const hint = (workloads: FailingWorkloads, list: readonly JsonObject[]): void => {
    for (const event of list) {
      const one = readProbeEvent(event);
      if (one !== undefined) workloads.hint(one, now(50));
    }
  };

  it.each(['before', 'after'])('is told for its Job when the events come %s the end', (order) => {
    const workloads = new FailingWorkloads();
    workloads.seen('u', job('import'), podHealth(running));
    if (order === 'before') hint(workloads, given);
    workloads.gone('apps', 'u');
    if (order === 'after') hint(workloads, given);
    expect(causes(workloads, 60)).toStrictEqual(['import http-5xx', 'import killed-while-serving']);
    expect(causes(workloads, 60 + 700)).toStrictEqual([]);
  });

  it('is told by the status of the failed Pod, too', () => {
    const failed = observedPod({ livenessProbe }, { last: [0, 47], phase: 'Failed', changedAt: 47 }, never);
    expect(told(failed, given, 60)).toStrictEqual(['livenessProbe http-5xx', 'livenessProbe killed-while-serving']);
  });

  it('is not told when something else stopped the Pod, or the Pod was deleted', () => {
    const workloads = new FailingWorkloads();
    workloads.seen('u', job('import'), podHealth(running));
    hint(workloads, [...fails('Liveness', status(503), 20), ...events('Killing', 'Stopping container app', [45])]);
    workloads.gone('apps', 'u');
    expect(causes(workloads, 60)).toStrictEqual([]);
    const deleted = new FailingWorkloads();
    const metadata = { ...(running['metadata'] as JsonObject), deletionTimestamp: '2026-11-20T10:00:45Z' };
    deleted.seen('u', job('import'), podHealth(running));
    hint(deleted, given);
    deleted.seen('u', job('import'), podHealth({ ...running, metadata }));
    deleted.gone('apps', 'u');
    expect(causes(deleted, 60)).toStrictEqual([]);
  });
});

it('a sidecar that its liveness probe stops is told by the event, whatever its exit code is (O8)', () => {
  const sidecar = { livenessProbe };
  const pod = observedPod(sidecar, { runsFrom: 48, last: [0, 47, 0], ready: true, changedAt: 48 });
  const spec = {
    initContainers: [{ name: 'app', restartPolicy: 'Always', ...sidecar }],
    containers: [{ name: 'web' }],
  };
  const { containerStatuses, ...status_ } = pod['status'] as JsonObject;
  const object = { ...pod, spec, status: { ...status_, initContainerStatuses: containerStatuses } };
  const given = [
    ...events('Unhealthy', `Liveness probe failed: ${status(503)}`, [35, 40, 45], 'initContainers'),
    ...events('Killing', 'Init container app failed liveness probe', [45], 'initContainers'),
  ];
  expect(told(object, given, 60)).toStrictEqual(['livenessProbe http-5xx', 'livenessProbe killed-while-serving']);
});

it('a gRPC probe without connection may also meet a port that speaks no gRPC: the texts are the same (O9)', () => {
  const failure = (asks: string): Failure => ({
    container: 'app',
    probe: 'livenessProbe',
    cause: 'connection-refused',
    described: { asks, injectedBy: undefined },
  });
  expect(failureMessage(failure('grpc on port 8080'))).toBe(
    'container "app": its livenessProbe (grpc on port 8080) gets no connection, or the port speaks no gRPC',
  );
  expect(failureRemedy(failure('grpc on port 8080'))).toContain('httpGet');
  expect(failureMessage(failure('httpGet / on port 80'))).not.toContain('gRPC');
});

describe('refused connections of a start (O10)', () => {
  const startupProbe = { httpGet, periodSeconds: 5, failureThreshold: 20 };
  const seconds = Array.from({ length: 30 }, (_, index) => 5 * index);

  it('are no failure within the budget of the startup probe, of no probe', () => {
    const pod = observedPod({ startupProbe, ...both }, { runsFrom: 0 });
    const opened = observedPod({ startupProbe, ...both }, { runsFrom: 0, started: true });
    for (const now of [31, 60, 94]) {
      const until = seconds.filter((second) => second <= now);
      expect(told(pod, fails('Startup', REFUSED, ...until), now)).toStrictEqual([]);
      // After a restart of the kubelet, readiness runs before the start.
      const given = [...fails('Startup', REFUSED, 5, 10, 15), ...fails('Readiness', REFUSED, ...until)];
      expect(told(opened, given, now)).toStrictEqual([]);
    }
  });

  it('are a failure of readiness after 30 s, when the startup probe has passed without them', () => {
    const pod = observedPod({ startupProbe, ...both }, { runsFrom: 0, started: true });
    const given = [...fails('Startup', status(503), 5, 10), ...fails('Readiness', REFUSED, 15, 17, 19)];
    expect(told(pod, given, 29)).toStrictEqual([]);
    expect(told(pod, given, 31)).toStrictEqual(['readinessProbe connection-refused']);
  });

  it('are a failure after the budget', () => {
    const pod = observedPod({ startupProbe }, { runsFrom: 0 });
    expect(told(pod, fails('Startup', REFUSED, ...seconds), 120)).toStrictEqual(['startupProbe connection-refused']);
  });
});

describe('a liveness probe that gets one and the same status from the start (O13)', () => {
  const pod = observedPod({ livenessProbe }, { runsFrom: 16, last: [0, 16], ready: true, changedAt: 16 });

  it('is no slow start', () => {
    expect(told(pod, [...fails('Liveness', status(503), 5, 10, 15), ...kills(15)], 20)).toStrictEqual([
      'livenessProbe http-5xx',
    ]);
  });

  it('may be a slow start when nothing listened first', () => {
    const given = [...fails('Liveness', REFUSED, 5), ...fails('Liveness', status(503), 10, 15), ...kills(15)];
    expect(told(pod, given, 20)).toContain('livenessProbe killed-while-starting');
  });
});

it('the remedy for a slow start names the time that a startup probe guarantees (B5)', () => {
  expect(CAUSE_TEXTS['killed-while-starting'].remedy).toContain('(failureThreshold - 1) x periodSeconds');
});

it('a liveness probe that stops a start before its startup probe ran is told as such (B1, B2)', () => {
  const startupProbe = { httpGet, periodSeconds: 10, failureThreshold: 5 };
  const container = { startupProbe, livenessProbe: { ...livenessProbe, periodSeconds: 1, failureThreshold: 2 } };
  const given = [...fails('Liveness', REFUSED, 101, 102), ...kills(102)];
  const health = podHealth(observedPod(container, { runsFrom: 103, last: [100, 103], started: true, changedAt: 103 }));
  const hints = given.flatMap((event) => readProbeEvent(event) ?? []);
  const failures = health === undefined ? [] : diagnose(health, hints, Date.parse('2026-11-20T10:01:50Z'));
  expect(failures.map(({ cause }) => cause)).toStrictEqual(['connection-refused', 'killed-while-starting']);
  expect(failures.map(failureRemedy)[1]).toContain('at least periodSeconds of startupProbe');
});

describe('events of kills (table 3 of the reference)', () => {
  it.each([
    ['Container app failed liveness probe, will be restarted', 'livenessProbe'],
    ['Container app failed startup probe, will be restarted', 'startupProbe'],
    ['Container app failed liveness probe', 'livenessProbe'],
    ['Init container app failed liveness probe', 'livenessProbe'],
    ['Stopping container app', undefined],
  ])('%s', (message, probe) => {
    const [event = {}] = events('Killing', message, [5]);
    expect(readProbeEvent(event)).toMatchObject({ container: 'app', cause: 'killed', probe });
  });

  it('may come 9 s after the status of the next run, without a gap', () => {
    const earlier = [...fails('Liveness', REFUSED, 5, 10, 15), ...kills(15)];
    const pod = observedPod({ livenessProbe }, { runsFrom: 40, last: [20, 39], ready: true, changedAt: 40 });
    const expected = ['livenessProbe connection-refused', 'livenessProbe killed-while-starting'];
    expect(told(pod, earlier, 41)).toStrictEqual(expected);
    expect(told(pod, [...earlier, ...fails('Liveness', REFUSED, 25, 30, 35), ...kills(35)], 50)).toStrictEqual(
      expected,
    );
  });
});
