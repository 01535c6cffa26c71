import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerOf, readProbeEvent } from '../../src/observer/failing/probe-events.ts';
import { failureMessage, failureRemedy } from '../../src/observer/failing/failing-results.ts';
import { CAUSE_TEXTS, type FailureCause } from '../../src/observer/failing/causes.ts';
import { diagnose } from '../../src/observer/failing/diagnosis.ts';
import { podHealth } from '../../src/observer/failing/pod-health.ts';
import { podOf, seededRandom } from '../kubelet/pods.ts';
import { simulatePod } from '../kubelet/simulated-pod.ts';
import { podAsListed } from '../kubelet/watch-events.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Answer, PodTruth, StartTruth } from '../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');
const httpGet = { path: '/healthz', port: 8080 };

/** What the observer tells of a Pod with this truth, so many seconds after the creation. */
function told(
  container: JsonObject,
  starts: readonly StartTruth[],
  seconds = 120,
  truth: Partial<PodTruth> = {},
): string[] {
  const pod = podOf([{ name: 'app', ...container }]);
  const history = simulatePod(
    { pod, createdAt, until: seconds, containers: { app: { starts } }, ...truth },
    seededRandom(5),
  );
  const now = createdAt + seconds * 1000;
  const health = podHealth(podAsListed(history, now) ?? {});
  const hints = history.events.flatMap(({ event }) => readProbeEvent(event) ?? []);
  return health === undefined ? [] : diagnose(health, hints, now).map(({ probe, cause }) => `${probe} ${cause}`);
}

const never = (before: Answer): StartTruth[] => [{ answersFrom: Infinity, before }];

describe('the diagnosis of a Pod that never gets Ready', () => {
  it('names an undeclared port name', () => {
    const readinessProbe = { httpGet: { path: '/', port: 'htpp' } };
    expect(told({ readinessProbe }, never({ kind: 'ok' }))).toStrictEqual(['readinessProbe port-name-undeclared']);
  });

  it('names a start that is too slow for the startup probe', () => {
    const startupProbe = { httpGet, periodSeconds: 2, failureThreshold: 5 };
    const causes = told({ startupProbe }, [{ answersFrom: 40 }]);
    expect(causes).toStrictEqual(['startupProbe connection-refused', 'startupProbe killed-while-starting']);
  });

  it('names a start that is too slow for the liveness probe, where there is no startup probe', () => {
    const causes = told({ livenessProbe: { httpGet, periodSeconds: 3 } }, [{ answersFrom: 60 }], 60, {});
    expect(causes.at(-1)).toBe('livenessProbe killed-while-starting');
  });

  it('tells the wrong path and not the kill that follows', () => {
    const startupProbe = { httpGet, periodSeconds: 2 };
    expect(told({ startupProbe }, never({ kind: 'status', status: 404 }))).toStrictEqual(['startupProbe http-404']);
  });

  it('tells one cause for two probes that ask the same', () => {
    const probes = { livenessProbe: { httpGet }, readinessProbe: { httpGet } };
    expect(told(probes, never({ kind: 'status', status: 401 }), 25)).toHaveLength(1);
  });

  it('tells nothing of a start that only takes its time', () => {
    expect(told({ readinessProbe: { httpGet, periodSeconds: 2 } }, [{ answersFrom: 40 }], 25)).toStrictEqual([]);
  });

  it('tells nothing of a crash of the application itself, nor of a container that ran out of memory', () => {
    expect(told({ livenessProbe: { httpGet } }, [{ endsAt: 3 }])).toStrictEqual([]);
    expect(told({ livenessProbe: { httpGet } }, [{ endsAt: 50, exitCode: 137, reason: 'OOMKilled' }])).toStrictEqual(
      [],
    );
  });
});

describe('the diagnosis of a Pod that is restarted', () => {
  const livenessProbe = { httpGet, periodSeconds: 3, failureThreshold: 3 };
  const deadlock = { faults: [{ from: 120, until: Infinity, answer: { kind: 'hang' } as const }] };

  it('names a kill while the container serves, also after it is Ready again', () => {
    const causes = told({ livenessProbe }, [deadlock, {}], 180);
    expect(causes).toContain('livenessProbe killed-while-serving');
  });

  it('does not need the Killing event: the kubelet drops events', () => {
    const pod = podOf([{ name: 'app', livenessProbe }]);
    const history = simulatePod(
      { pod, createdAt, until: 180, containers: { app: { starts: [deadlock, {}] } } },
      seededRandom(5),
    );
    const now = createdAt + 180_000;
    const health = podHealth(podAsListed(history, now) ?? {});
    const hints = history.events
      .flatMap(({ event }) => readProbeEvent(event) ?? [])
      .filter(({ cause }) => cause !== 'killed');
    expect(health && diagnose(health, hints, now).map(({ cause }) => cause)).toContain('killed-while-serving');
    expect(health && diagnose(health, [], now)).toStrictEqual([]);
  });

  it('forgets the kill when the container has run for 10 minutes', () => {
    expect(told({ livenessProbe }, [deadlock, {}], 800)).toStrictEqual([]);
  });
});

describe('the diagnosis of a Pod that has recovered', () => {
  it.each<[string, number, JsonObject, StartTruth[]]>([
    ['answers after 50 s', 45, { readinessProbe: { httpGet } }, [{ answersFrom: 50 }]],
    [
      'got its path back',
      45,
      { readinessProbe: { httpGet } },
      [{ faults: [{ from: 0, until: 60, answer: { kind: 'status', status: 404 } }] }],
    ],
    [
      'starts in time at the third start',
      11,
      { startupProbe: { httpGet, periodSeconds: 2 } },
      [{ answersFrom: 60 }, { answersFrom: 60 }, {}],
    ],
  ])('tells nothing of a container that %s', (_, during, container, starts) => {
    expect(told(container, starts, during)).not.toStrictEqual([]);
    expect(told(container, starts, 120)).toStrictEqual([]);
  });

  it('tells nothing of a Pod that is being deleted', () => {
    const pod = podOf(
      [{ name: 'app', readinessProbe: { httpGet } }],
      {},
      { deletionTimestamp: '2026-11-20T10:01:00Z' },
    );
    const history = simulatePod(
      { pod, createdAt, until: 60, containers: { app: { starts: never({ kind: 'refused' }) } } },
      seededRandom(1),
    );
    expect(podHealth(podAsListed(history, createdAt + 60_000) ?? {})).toBeUndefined();
  });
});

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

  it.each([
    [{}],
    [{ reason: 'Unhealthy', message: 7, involvedObject: { kind: 'Pod', uid: 'u', fieldPath: 'spec.containers{app}' } }],
    [{ reason: 'Unhealthy', message: 'Readiness probe failed: x', involvedObject: { kind: 'Node', uid: 'u' } }],
    [
      {
        reason: 'Unhealthy',
        message: 'constructor probe failed: ',
        involvedObject: { kind: 'Pod', uid: 'u', fieldPath: 'spec.containers{app}' },
      },
    ],
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
    });
  });
});

describe('texts of findings', () => {
  it('have at most 200 characters, without digits that drift', () => {
    for (const cause of Object.keys(CAUSE_TEXTS) as FailureCause[]) {
      const described = { asks: 'httpGet '.padEnd(80, 'x'), injectedBy: 'ProbePolicy/apps/static' };
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
});
