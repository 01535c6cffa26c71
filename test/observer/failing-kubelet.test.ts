import { describe, expect, it } from 'vitest';
import { failureMessage } from '../../src/observer/failing/failing-results.ts';
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
import type { Failure } from '../../src/observer/failing/diagnosis.ts';

const EOF = 'Get "http://10.0.0.1:8080/r": EOF';
const RESET = 'Get "http://10.0.0.1:8080/r": read tcp 10.0.0.9:4711->10.0.0.1:8080: read: connection reset by peer';
const MISSING =
  'rpc error: code = Unknown desc = failed to exec in container: failed to start exec "b3c2": OCI runtime exec failed: ' +
  'exec failed: unable to start container process: exec: "probe": executable file not found in $PATH';

const errors = (probe: string, state: string, text: string, ...seconds: number[]): JsonObject[] =>
  events('Unhealthy', `${probe} probe errored and resulted in ${state} state: ${text}`, seconds);

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

  it('is forgotten when the container runs on after its grace period: a restart of the kubelet ends a kill', () => {
    const given = [...fails('Liveness', status(503), 35, 40, 45), ...kills(45)];
    const pod = observedPod(both, { runsFrom: 0, ready: true });
    expect(told(pod, given, 80)).toContain('livenessProbe killed-while-serving');
    expect(told(pod, given, 90)).toStrictEqual([]);
  });

  it('explains nothing when it drains with the status that led to the kill, also after two restarts', () => {
    const drains = fails('Readiness', status(503), 46, 47);
    const given = [...fails('Liveness', status(503), 35, 40, 45, 85, 90, 95), ...kills(45, 95), ...drains];
    for (const [now, from] of [
      [60, 0],
      [110, 50],
    ] as const) {
      const pod = observedPod(both, {
        runsFrom: from + 50,
        last: [from, from + 50],
        ready: true,
        changedAt: from + 51,
      });
      expect(told(pod, given, now)).not.toContain('readinessProbe http-5xx');
      expect(told(pod, given, now)).toContain('livenessProbe http-5xx');
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
        17,
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
