import { describe, expect, it } from 'vitest';
import { CAUSE_TEXTS, failureMessage, failureRemedy } from '../../src/observing/failing/cause-texts.ts';
import { diagnose } from '../../src/observing/failing/diagnosis.ts';
import { FailingWorkloads } from '../../src/observing/failing/failing-workloads.ts';
import { podHealth } from '../../src/observing/failing/pod-health.ts';
import { readProbeEvent } from '../../src/observing/failing/probe-event.ts';
import { events, observedPod, told } from './observed-pod.ts';
import type { JsonObject } from '../../src/json/json-value.ts';
import type { Failure } from '../../src/observing/failing/diagnosis.ts';

const httpGet = { path: '/healthz', port: 8080 };
const livenessProbe = { httpGet: { path: '/l', port: 8080 }, periodSeconds: 5, failureThreshold: 3 };
const readinessProbe = { httpGet: { path: '/r', port: 8080 }, periodSeconds: 2, failureThreshold: 3 };
const both = { livenessProbe, readinessProbe };

const REFUSED = 'Get "http://10.0.0.1:8080/r": dial tcp 10.0.0.1:8080: connect: connection refused';
const EOF = 'Get "http://10.0.0.1:8080/r": EOF';
const RESET = 'Get "http://10.0.0.1:8080/r": read tcp 10.0.0.9:4711->10.0.0.1:8080: read: connection reset by peer';
const status = (code: number): string => `HTTP probe failed with statuscode: ${code}`;
const MISSING =
  'rpc error: code = Unknown desc = failed to exec in container: failed to start exec "b3c2": OCI runtime exec failed: ' +
  'exec failed: unable to start container process: exec: "probe": executable file not found in $PATH';

const fails = (probe: string, text: string, ...seconds: number[]): JsonObject[] =>
  events('Unhealthy', `${probe} probe failed: ${text}`, seconds);
const errors = (probe: string, state: string, text: string, ...seconds: number[]): JsonObject[] =>
  events('Unhealthy', `${probe} probe errored and resulted in ${state} state: ${text}`, seconds);
const kills = (...seconds: number[]): JsonObject[] =>
  events('Killing', 'Container app failed liveness probe, will be restarted', seconds);

describe('a connection that breaks (O1)', () => {
  it.each([
    ['EOF', EOF],
    ['reset', RESET],
    ['refused', REFUSED],
  ])('tells nothing when the container crashed then: %s', (_, text) => {
    const given = fails('Readiness', text, 42);
    expect(told(observedPod(both, { last: [0, 42, 1], changedAt: 42 }), given, 45)).toStrictEqual([]);
    expect(told(observedPod(both, { runsFrom: 43, last: [0, 42, 1], changedAt: 42 }), given, 80)).toStrictEqual([]);
  });

  it('tells nothing while the end of the container may not be known yet', () => {
    const pod = observedPod(both, { runsFrom: 0, ready: false, started: true, changedAt: 42 });
    expect(told(pod, fails('Readiness', EOF, 42), 50)).toStrictEqual([]);
  });

  it('is another protocol when the run goes on', () => {
    const pod = observedPod(both, { runsFrom: 0, started: true });
    expect(told(pod, fails('Readiness', EOF, 10, 20, 30, 40), 60)).toStrictEqual(['readinessProbe other-protocol']);
  });

  it('is another protocol when it makes the liveness probe stop the container', () => {
    const given = [...fails('Liveness', EOF, 5, 10, 15), ...kills(15)];
    const pod = observedPod({ livenessProbe }, { runsFrom: 16, last: [0, 16], ready: true, changedAt: 16 });
    expect(told(pod, given, 20)).toStrictEqual(['livenessProbe other-protocol']);
  });
});

describe('a probe that meets a container that the kubelet stops (O2, O3)', () => {
  it.each([
    ['404', status(404), 'http-404'],
    ['a hang', 'Get "http://x/l": context deadline exceeded', 'timeout'],
  ])('explains nothing beside the kill: liveness gets %s', (_, text, cause) => {
    const given = [
      ...fails('Liveness', text, 35, 40, 45),
      ...kills(45),
      ...fails('Readiness', REFUSED, 46, 48),
      ...fails('Readiness', EOF, 45),
    ];
    const during = observedPod(both, { runsFrom: 0, started: true, changedAt: 48 });
    const after = observedPod(both, { runsFrom: 49, last: [0, 49], ready: true, changedAt: 49 });
    const back = observedPod(both, { runsFrom: 49, last: [0, 49], changedAt: 60 });
    for (const causes of [told(during, given, 59), told(after, given, 55), told(back, given, 100)]) {
      expect(causes.filter((one) => one.startsWith('readiness'))).toStrictEqual([]);
      expect(causes).toContain(`livenessProbe ${cause}`);
    }
  });

  it('counts failures before the kill', () => {
    const given = [
      ...fails('Readiness', REFUSED, 20, 22, 24, 40),
      ...fails('Liveness', REFUSED, 35, 40, 45),
      ...kills(45),
    ];
    const pod = observedPod(both, { runsFrom: 49, last: [0, 49], ready: true, changedAt: 49 });
    expect(told(pod, given, 55)).toStrictEqual([
      'livenessProbe connection-refused',
      'readinessProbe connection-refused',
      'livenessProbe killed-while-serving',
    ]);
  });
});

describe('a liveness probe with a wrong path (O4)', () => {
  it('is told at its second failure, and not at one failure', () => {
    const pod = observedPod(both, { runsFrom: 0, ready: true });
    expect(told(pod, fails('Liveness', status(404), 5), 6)).toStrictEqual([]);
    expect(told(pod, fails('Liveness', status(404), 5, 10), 11)).toStrictEqual(['livenessProbe http-404']);
  });

  it('is told without a gap in each second of five restarts', () => {
    const given: JsonObject[] = [];
    for (let second = 1; second <= 100; second++) {
      const [run, age] = [Math.floor(second / 20), second % 20];
      if (age === 5 || age === 10 || age === 15) given.push(...fails('Liveness', status(404), second));
      if (age === 15) given.push(...kills(second));
      if (age === 16 || age === 18) given.push(...fails('Readiness', REFUSED, second));
      const from = run * 20;
      const last = run === 0 ? {} : { last: [from - 20, from] as const };
      const pod = observedPod(both, {
        runsFrom: from,
        ready: age < 18 && age > 0,
        started: true,
        changedAt: from,
        ...last,
      });
      const expected = second < 10 ? [] : ['livenessProbe http-404'];
      expect(told(pod, given, second), `second ${second}`).toStrictEqual(expected);
    }
  });

  it('is lost when the container has run for longer than one that never answers', () => {
    const given = [...fails('Liveness', status(404), 5, 10, 15), ...kills(15)];
    const pod = observedPod(both, { runsFrom: 16, last: [0, 16], ready: true, changedAt: 16 });
    expect(told(pod, given, 30)).toStrictEqual(['livenessProbe http-404']);
    expect(told(pod, given, 90)).toStrictEqual([]);
  });
});

describe('a probe without a result (O5)', () => {
  const pod = (container: JsonObject): JsonObject => observedPod(container, { runsFrom: 0, ready: true });

  it.each<[string, JsonObject, JsonObject[], string]>([
    [
      'a missing program',
      { exec: { command: ['probe'] } },
      errors('Liveness', 'unknown', MISSING, 2),
      'executable-not-found',
    ],
    [
      'an undeclared port name',
      { httpGet: { path: '/', port: 'nope' } },
      errors('Liveness', 'unknown', 'strconv.Atoi: parsing "nope": invalid syntax', 2),
      'port-name-undeclared',
    ],
    [
      'a body without end',
      { httpGet },
      errors(
        'Liveness',
        'failure',
        'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
        7,
        12,
      ),
      'timeout',
    ],
  ])('is told although the Pod is Ready: %s', (_, probe, given, cause) => {
    expect(told(pod({ livenessProbe: probe }), given, 30)).toStrictEqual([`livenessProbe ${cause} (void)`]);
  });

  it('is told by combined events, after the first nine different texts', () => {
    const message = `(combined from similar events): Liveness probe errored and resulted in unknown state: ${MISSING}`;
    const given = events('Unhealthy', message, [40]);
    expect(told(pod({ livenessProbe: { exec: { command: ['probe'] } } }), given, 50)).toHaveLength(1);
  });

  it('is not told of one errored probe, nor of a container that ended then', () => {
    const text = 'rpc error: code = Unknown desc = container is in CONTAINER_EXITED state';
    expect(told(pod(both), errors('Liveness', 'unknown', text, 20), 40)).toStrictEqual([]);
    const restarted = observedPod(both, { runsFrom: 21, last: [0, 20, 1], ready: true, changedAt: 21 });
    expect(told(restarted, errors('Liveness', 'unknown', text, 20, 21), 40)).toStrictEqual([]);
  });

  it('says what that means', () => {
    const of = (probe: Failure['probe'], cause: Failure['cause']): string =>
      failureMessage({ container: 'app', probe, cause, described: undefined, isVoid: true });
    expect(of('livenessProbe', 'executable-not-found')).toBe(
      'container "app": its livenessProbe names a program that the image does not have: it never has a result, and protects nothing',
    );
    expect(of('startupProbe', 'timeout')).toBe(
      'container "app": its startupProbe gets an answer that does not end within timeoutSeconds: it never has a result, and the container never starts',
    );
  });
});

it('a redirect to another host is a false success, and told although the Pod is Ready (O6)', () => {
  const warning = (probe: string): JsonObject[] =>
    events('ProbeWarning', `${probe} probe warning: Probe terminated redirects, Response body: <a href="x">`, [3]);
  const pod = observedPod(both, { runsFrom: 0, ready: true });
  expect(told(pod, [...warning('Readiness'), ...warning('Liveness')], 10)).toStrictEqual([
    'livenessProbe redirect-other-host',
    'readinessProbe redirect-other-host',
  ]);
});

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
      expect(told(opened, fails('Readiness', REFUSED, ...until), now)).toStrictEqual([]);
    }
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
