import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerOf, readProbeEvent, type ProbeHint } from '../../../src/observer/failing/probe-events.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describe('texts of the kubelet', () => {
  const texts = JSON.parse(readFileSync('test/fixtures/kubelet-texts.json', 'utf8')) as [text: string, cause: string][];

  it.each(texts)('%s is %s', (text, cause) => {
    const answer = answerOf(text);
    expect(answer === 'connection-lost' ? 'other-protocol' : answer).toBe(cause);
  });

  const ofApp = { kind: 'Pod', uid: 'u', fieldPath: 'spec.containers{app}' };
  it.each([
    [{}],
    [{ reason: 'Unhealthy', message: 7, involvedObject: ofApp }],
    [{ reason: 'Unhealthy', message: 'Readiness probe failed: x', involvedObject: { kind: 'Node', uid: 'u' } }],
    [{ reason: 'Unhealthy', message: 'constructor probe failed: ', involvedObject: ofApp }],
  ])('an event that is about no probe is none: %o', (event) => {
    expect(readProbeEvent({ metadata: { namespace: 'apps' }, ...event })).toBeUndefined();
  });

  it('combined events and events of newer recorders are read too', () => {
    const event = {
      metadata: { namespace: 'apps' },
      reason: 'Unhealthy',
      message: '(combined from similar events): Liveness probe errored: rpc error: executable file not found in $PATH',
      involvedObject: { kind: 'Pod', uid: 'u', fieldPath: 'spec.initContainers{proxy}' },
      lastTimestamp: null,
      eventTime: '2026-11-20T10:00:00.123456Z',
    };
    expect(readProbeEvent(event)).toStrictEqual({
      namespace: 'apps',
      podUid: 'u',
      container: 'proxy',
      probe: 'livenessProbe',
      cause: 'executable-not-found',
      isVoid: true,
      times: [Date.parse('2026-11-20T10:00:00.123Z')],
      told: new Map([['', 1]]),
    });
  });

  it.each([
    ['HTTP probe failed with statuscode: 200', 'unclear'],
    ['HTTP probe failed with statuscode: 299', 'unclear'],
    ['HTTP probe failed with statuscode: 300', 'http-3xx'],
    ['HTTP probe failed with statuscode: 399', 'http-3xx'],
    ['HTTP probe failed with statuscode: 400', 'http-400'],
    ['HTTP probe failed with statuscode: 401', 'http-401'],
    ['HTTP probe failed with statuscode: 402', 'http-4xx'],
    ['HTTP probe failed with statuscode: 403', 'http-403'],
    ['HTTP probe failed with statuscode: 404', 'http-404'],
    ['HTTP probe failed with statuscode: 499', 'http-4xx'],
    ['HTTP probe failed with statuscode: 500', 'http-5xx'],
    ['HTTP probe failed with statuscode: 999', 'http-5xx'],
    ['strconv.Atoi: parsing "http": invalid syntax', 'port-name-undeclared'],
    ["couldn't find port: http", 'port-name-undeclared'],
    ['sh: 1: curl: not found', 'executable-not-found'],
    ['first line\n/bin/sh: curl: command not found', 'executable-not-found'],
    ['error: health rpc probe failed: rpc error: code = Unavailable desc = x', 'connection-refused'],
    ['error: health rpc probe failed: rpc error: code = Internal desc = x', 'grpc-error'],
    ['error: health rpc probe failed: rpc error: code = ResourceExhausted desc = too many', 'rate-limit'],
    ['error: health rpc probe failed: rpc error: code = NotFound desc = unknown service', 'grpc-service-unknown'],
    ['service unhealthy (responded with "SERVICE_UNKNOWN")', 'grpc-service-unknown'],
    ['HTTP probe failed with statuscode: 429', 'rate-limit'],
    ['dial tcp 10.0.0.1:80: connect: connection timed out', 'connection-timeout'],
    ['read tcp 10.0.0.9:4711->10.0.0.1:80: i/o timeout', 'timeout'],
    ['error: this server does not implement the grpc health protocol (x)', 'grpc-unimplemented'],
    ['service unhealthy (responded with "NOT_SERVING")', 'grpc-unhealthy'],
    ['timeout: health rpc did not complete within 1s', 'timeout'],
    ['timeout: failed to connect service "10.0.0.1:1" within 1s', 'connection-refused'],
    ['command timed out: "sleep 9" timed out after 1s', 'timeout'],
    ['Get "https://x/": http: server gave HTTP response to HTTPS client', 'tls-mismatch'],
    ['Get "http://x/": malformed HTTP response "\\x15\\x03\\x01"', 'tls-mismatch'],
    ['Get "https://x/": tls: failed to verify certificate', 'tls-handshake'],
    ['dial tcp 10.0.0.1:80: i/o timeout', 'connection-timeout'],
    ['Get "http://x/": EOF', 'connection-lost'],
    ['read tcp 10.0.0.9:1->10.0.0.1:80: read: connection reset by peer', 'connection-lost'],
    ['curl: (56) Recv failure: connection reset by peer', 'other-protocol'],
    ['dial tcp: something new', 'unclear'],
    ['something new', 'command-failed'],
  ])('%j is %s', (text, cause) => {
    expect(answerOf(text)).toBe(cause);
  });

  it('count in their first 2000 characters only: what follows may be the output of a command', () => {
    const refused = 'connection refused';
    expect(answerOf(refused.padStart(2000, 'x'))).toBe('connection-refused');
    expect(answerOf(refused.padStart(2001, 'x'))).toBe('command-failed');
  });
});

describe('an event', () => {
  const event = (more: JsonObject = {}): JsonObject => ({
    metadata: { namespace: 'apps', uid: 'e' },
    reason: 'Unhealthy',
    message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
    involvedObject: { kind: 'Pod', uid: 'u', fieldPath: 'spec.containers{app}' },
    lastTimestamp: '2026-11-20T10:00:00Z',
    ...more,
  });
  const read = (more: JsonObject = {}): Partial<ProbeHint> | undefined => readProbeEvent(event(more));
  const at = (second: number): number => Date.parse(`2026-11-20T10:00:0${second}Z`);
  const time = (second: number): string => `2026-11-20T10:00:0${second}Z`;

  it('names the Pod, the container, the probe, its answer, the time and the count', () => {
    expect(read()).toStrictEqual({
      namespace: 'apps',
      podUid: 'u',
      container: 'app',
      probe: 'readinessProbe',
      cause: 'http-5xx',
      status: 503,
      isVoid: false,
      times: [at(0)],
      told: new Map([['e', 1]]),
    });
  });

  it.each<[string, JsonObject]>([
    ['no Pod', { involvedObject: { kind: 'Node', uid: 'u', fieldPath: 'spec.containers{app}' } }],
    ['no UID', { involvedObject: { kind: 'Pod', fieldPath: 'spec.containers{app}' } }],
    ['no namespace', { metadata: {} }],
    ['no message', { message: undefined }],
    ['no container', { involvedObject: { kind: 'Pod', uid: 'u' } }],
    ['a path that no kubelet writes', { involvedObject: { kind: 'Pod', uid: 'u', fieldPath: 'spec.containers{App}' } }],
    ['another reason', { reason: 'Scheduled' }],
    ['no probe', { message: 'failed: x' }],
    ['no probe in a warning', { reason: 'ProbeWarning', message: 'something new' }],
  ])('with %s is not read', (_, more) => {
    expect(read(more)).toBeUndefined();
  });

  it('is read with a UID of 64 characters and a text of 12,000, and not with longer ones', () => {
    const uid = (length: number): unknown =>
      read({ involvedObject: { kind: 'Pod', uid: 'u'.repeat(length), fieldPath: 'spec.containers{app}' } });
    const text = (length: number): unknown => read({ message: 'Readiness probe failed: '.padEnd(length, 'x') });
    expect([uid(64), uid(65), text(12_000), text(12_001)].map((one) => one !== undefined)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it.each([
    ['Startup probe failed: x', 'startupProbe', false],
    ['Liveness probe failed:', 'livenessProbe', false],
    ['Readiness probe errored: x', 'readinessProbe', true],
    ['Readiness probe errored and resulted in unknown state: x', 'readinessProbe', true],
    ['(combined from similar events): Startup probe errored: x', 'startupProbe', true],
  ])('%j is about the %s, without a result: %s', (message, probe, isVoid) => {
    expect(read({ message })).toMatchObject({ probe, isVoid, cause: 'command-failed' });
    expect(read({ message })).not.toHaveProperty('status');
  });

  it('of a kill names the container in its path or in its text, and the probe where the text names it', () => {
    const kill = (message: string, fieldPath?: string): unknown =>
      read({ reason: 'Killing', message, involvedObject: { kind: 'Pod', uid: 'u', fieldPath } });
    const killed = { cause: 'killed', isVoid: false };
    expect(kill('Container app failed liveness probe, will be restarted')).toMatchObject({
      ...killed,
      container: 'app',
      probe: 'livenessProbe',
    });
    expect(kill('Init container proxy failed startup probe', 'spec.initContainers{proxy}')).toMatchObject({
      ...killed,
      container: 'proxy',
      probe: 'startupProbe',
    });
    expect(kill('Stopping container app', 'spec.containers{app}')).toMatchObject({
      ...killed,
      container: 'app',
      probe: undefined,
    });
    expect(kill('Stopping container app')).toBeUndefined();
  });

  it('of a redirect to another host is about a success', () => {
    const message = 'Liveness probe warning: Probe terminated redirects, Response body: x';
    expect(read({ reason: 'ProbeWarning', message })).toMatchObject({
      probe: 'livenessProbe',
      cause: 'redirect-other-host',
      isVoid: false,
    });
  });

  it.each<[string, JsonObject, number[]]>([
    ['its last time', { firstTimestamp: time(1), lastTimestamp: time(3) }, [at(1), at(3)]],
    ['one time, when both are the same', { firstTimestamp: time(3), lastTimestamp: time(3) }, [at(3)]],
    ['one time, when the first is later', { firstTimestamp: time(4), lastTimestamp: time(3) }, [at(3)]],
    [
      'the last time of its series',
      { series: { lastObservedTime: time(5) }, eventTime: time(2), firstTimestamp: time(1), lastTimestamp: time(3) },
      [at(2), at(5)],
    ],
    ['its only time', { lastTimestamp: null, eventTime: time(2) }, [at(2)]],
    ['its first time, when it has no other', { lastTimestamp: '', eventTime: 7, firstTimestamp: time(1) }, [at(1)]],
    ['an unknown time', { lastTimestamp: null }, [0]],
    ['an unknown time, when it is no instant', { lastTimestamp: 'yesterday' }, [0]],
  ])('has %s', (_, more, times) => {
    expect(read(more)?.times).toEqual(times);
  });

  it.each<[JsonObject, number]>([
    [{ count: 7 }, 7],
    [{ count: 7, series: { count: 9 } }, 9],
    [{ count: 1 }, 1],
    [{ count: 0 }, 1],
    [{ count: -1 }, 1],
    [{ count: 1.5 }, 1],
    [{ count: '7' }, 1],
    [{}, 1],
  ])('with %j was seen %d times', (more, count) => {
    expect(read(more)?.told).toEqual(new Map([['e', count]]));
  });
});
