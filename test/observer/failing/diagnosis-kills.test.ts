import { describe, expect, it } from 'vitest';
import { failureMessage, failureRemedy } from '../../../src/observer/failing/failing-results.ts';
import { CAUSE_TEXTS } from '../../../src/observer/failing/causes.ts';
import { diagnose, type Failure } from '../../../src/observer/failing/diagnosis.ts';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { readProbeEvent } from '../../../src/observer/failing/probe-events.ts';
import { events, fails, httpGet, kills, livenessProbe, observedPod, REFUSED, status, told } from '../observed-pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

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

  it.each<readonly [string, number[], string[]]>([
    ['is told when no restart rule covers its exit code', [42], ['import http-5xx', 'import killed-while-serving']],
    ['is not told when a restart rule has started the container again', [42, 137], []],
  ])('%s (KEP-5307)', (_, values, expected) => {
    const rule = { action: 'Restart', exitCodes: { operator: 'In', values } };
    const container = { livenessProbe, ...never, restartPolicyRules: [rule] };
    const workloads = new FailingWorkloads();
    workloads.seen('u', job('import'), podHealth(observedPod(container, { last: [0, 46, 137] }, never)));
    hint(workloads, given);
    workloads.gone('apps', 'u');
    expect(causes(workloads, 60)).toStrictEqual(expected);
  });
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

it.each([
  ['that waits for its next start', { last: [100, 117, 137] }, { waiting: { reason: 'CrashLoopBackOff' } }],
  ['that has just ended', { last: [100, 117, 143] }, undefined],
  ['that starts again', { last: [100, 117, 137], runsFrom: 140 }, undefined],
] as const)('a crash loop %s was stopped while it started, by the recorded states', (_what, scene, state) => {
  const pod = observedPod({ livenessProbe }, { ...scene, restarts: 5 });
  const [container = {}] = (pod['status'] as { containerStatuses: JsonObject[] }).containerStatuses;
  if (state !== undefined) Object.assign(container, { state, lastState: container['state'] });
  const given = [...fails('Liveness', REFUSED, 105, 110, 115), ...kills(15, 60, 115)];
  expect(told(pod, given, 150)).toStrictEqual([
    'livenessProbe connection-refused',
    'livenessProbe killed-while-starting',
  ]);
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
});
