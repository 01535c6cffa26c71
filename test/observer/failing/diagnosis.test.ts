import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerOf, readProbeEvent } from '../../../src/observer/failing/probe-events.ts';
import { injectedBy } from '../../../src/engine/defaulting/injected-by.ts';
import { failureMessage, failureRemedy } from '../../../src/observer/failing/failing-results.ts';
import { CAUSE_TEXTS, type FailureCause } from '../../../src/observer/failing/causes.ts';
import { diagnose } from '../../../src/observer/failing/diagnosis.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed } from '../../kubelet/watch-events.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { StartTruth } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');

interface Case {
  readonly container: JsonObject;
  readonly metadata?: JsonObject;
  readonly starts: readonly StartTruth[];
  /** How long after the creation the observer tells. */
  readonly seconds?: number;
  /** The events that the kubelet drops, by their causes. */
  readonly lost?: 'all' | readonly string[];
}

describe('a simulated Pod', () =>
  describeCases('test/fixtures/failing/diagnosis.yaml', ['told'], (given) => {
    const { container, metadata, starts, seconds = 120, lost = [] } = given as unknown as Case;
    const pod = podOf([{ name: 'app', ...container }], {}, metadata);
    const truth = { pod, createdAt, until: seconds, containers: { app: { starts } } };
    const history = simulatePod(truth, seededRandom(5));
    const now = createdAt + seconds * 1000;
    const health = podHealth(podAsListed(history, now) ?? {});
    const hints = history.events
      .flatMap(({ event }) => readProbeEvent(event) ?? [])
      .filter(({ cause }) => lost !== 'all' && !lost.includes(cause));
    const failures = health === undefined ? [] : diagnose(health, hints, now);
    return { told: failures.map(({ probe, cause }) => `${probe} ${cause}`) };
  }));

describe('texts of the kubelet', () => {
  const texts = JSON.parse(readFileSync('test/fixtures/kubelet-texts.json', 'utf8')) as [text: string, cause: string][];

  it.each(texts)('%s is %s', (text, cause) => {
    const answer = answerOf(text);
    expect(answer === 'connection-lost' ? 'other-protocol' : answer).toBe(cause);
  });

  it('are read in time that does not grow with what a command prints', () => {
    const start = process.cpuUsage().user;
    for (const piece of ['exec: "', 'exec: "a": stat ', '/sh: ', 'tls: ', 'malformed HTTP response "', 'sh: 1: x']) {
      answerOf(piece.repeat(2_000_000 / piece.length));
    }
    expect(process.cpuUsage().user - start).toBeLessThan(2_000_000);
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
});

describe('texts of findings', () => {
  it('have at most 200 characters, without digits that drift', () => {
    for (const cause of Object.keys(CAUSE_TEXTS) as FailureCause[]) {
      const described = { asks: 'httpGet '.padEnd(80, 'x'), injectedBy: { layer: 'ProbePolicy/apps/static' } };
      const failure = { container: 'c'.repeat(253), probe: 'readinessProbe', cause, described } as const;
      expect(failureMessage(failure).length).toBeLessThanOrEqual(200);
      expect(failureRemedy(failure)).toMatch(/\. ProbePolicy\/apps\/static injects the probe\.$/);
      expect(CAUSE_TEXTS[cause].remedy.length).toBeLessThanOrEqual(200);
    }
  });

  it('name the container, the probe, what it asks and what to write', () => {
    const described = { asks: 'httpGet /healthz on port http', injectedBy: undefined };
    const failure = { container: 'app', probe: 'readinessProbe', cause: 'http-404', described } as const;
    expect(failureMessage(failure)).toBe(
      'container "app": its readinessProbe (httpGet /healthz on port http) gets HTTP status 404',
    );
    expect(failureRemedy(failure)).toBe('Set httpGet.path to a path that the application serves on this port.');
  });

  it.each([
    [
      { livenessProbe: 'ProbePolicy/apps/static', startupProbe: 'safety' },
      'the startupProbe (httpGet /l on port http) that ProbePolicy/apps/static injected (safety)',
      'ProbePolicy/apps/static (safety) injects the probe.',
    ],
    [
      { startupProbe: 'safety' },
      'the startupProbe (httpGet /l on port http) that Probewright injected (safety)',
      'Probewright (safety) injects the probe.',
    ],
    [
      { startupProbe: 'annotation' },
      'the startupProbe (httpGet /l on port http) that an annotation of the workload injected',
      'An annotation of the workload injects the probe.',
    ],
    [
      { startupProbe: 'own livenessProbe; ProbePolicy/apps/static' },
      'the startupProbe (httpGet /l on port http) that ProbePolicy/apps/static injected (with the handler of the own livenessProbe)',
      'ProbePolicy/apps/static (with the handler of the own livenessProbe) injects the probe.',
    ],
    [{ startupProbe: 'x\u001b[2J' }, 'its startupProbe (httpGet /l on port http)', undefined],
  ])('name who injected the probe by the annotation of the Pod: %j', (sources, text, remedy) => {
    const by = injectedBy(new Map(Object.entries(sources)), 'startupProbe');
    const described = { asks: 'httpGet /l on port http', injectedBy: by };
    const failure = { container: 'app', probe: 'startupProbe', cause: 'http-404', described } as const;
    expect(failureMessage(failure)).toBe(`container "app": ${text} gets HTTP status 404`);
    const base = 'Set httpGet.path to a path that the application serves on this port.';
    expect(failureRemedy(failure)).toBe(remedy === undefined ? base : `${base} ${remedy}`);
  });
});
