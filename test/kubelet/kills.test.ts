import { describe, expect, it } from 'vitest';
import { podOf, seededRandom } from './pods.ts';
import { simulatePod } from './simulated-pod.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { PodHistory } from './status-history.ts';
import type { PodTruth, StartTruth } from './truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');
const httpGet = { path: '/healthz', port: 8080 };
const liveness = { httpGet, periodSeconds: 1, failureThreshold: 2 };

function simulate(container: JsonObject, starts: readonly StartTruth[], more: Partial<PodTruth> = {}): PodHistory {
  const pod = podOf([{ name: 'app', ...container }]);
  return simulatePod({ pod, createdAt, until: 1500, containers: { app: { starts } }, ...more }, seededRandom(7));
}

/** Seconds from each end to the next start, without the second until the kubelet finds the end. */
function waits({ starts }: PodHistory): number[] {
  return starts.slice(1).map((start, index) => {
    const gap = (start.startedAt - (starts[index]?.endedAt ?? NaN)) / 1000;
    return gap < 2 ? 0 : Math.floor(gap);
  });
}

describe('the back-off', () =>
  it('after kills begins later than after crashes, and leaves out every restart after 300 s', () => {
    const fails = (from: number): StartTruth => ({
      faults: [{ from, until: Infinity, answer: { kind: 'status', status: 503 } }],
      stopSeconds: 0,
    });
    const short = waits(simulate({ livenessProbe: liveness }, [fails(13)]));
    expect(short.slice(0, 9)).toEqual([0, 0, 0, 20, 40, 80, 160, 300, 0]);
    const long = waits(simulate({ livenessProbe: liveness }, [fails(46)]));
    expect(long.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 80]);
    expect(waits(simulate({}, [{ endsAt: 1 }])).slice(0, 7)).toEqual([0, 10, 20, 40, 80, 160, 300]);
  }));

describe('a preStop hook', () => {
  const kill = (preStopSeconds: number, stopSeconds: number): { hook: string[]; code: unknown; seconds: number } => {
    const lifecycle = { preStop: { exec: { command: ['/drain'] } } };
    const livenessProbe = { ...liveness, terminationGracePeriodSeconds: 6 };
    const starts = [{ answersFrom: Infinity, preStopSeconds, stopSeconds }, {}];
    const { events, starts: runs, writes } = simulate({ lifecycle, livenessProbe }, starts, { until: 60 });
    const killing = events.find(({ event }) => event['reason'] === 'Killing')?.at ?? NaN;
    const [status] = writes.at(-1)?.status['containerStatuses'] as readonly JsonObject[];
    const last = ((status?.['lastState'] as JsonObject)['terminated'] as JsonObject)['exitCode'];
    return {
      hook: events.flatMap(({ event }) => (event['reason'] === 'FailedPreStopHook' ? [String(event['message'])] : [])),
      code: last,
      seconds: Math.round(((runs[0]?.endedAt ?? NaN) - killing) / 1000),
    };
  };

  it('runs before SIGTERM, in the grace period, of which 2 s are left at the least', () => {
    expect(kill(4, 1)).toEqual({ hook: [], code: 143, seconds: 5 });
    expect(kill(4, 60)).toEqual({ hook: [], code: 137, seconds: 6 });
    expect(kill(60, 60)).toEqual({ hook: ['PreStopHook failed'], code: 137, seconds: 8 });
  });
});

describe('a probe while a container stops', () => {
  const readinessProbe = { httpGet, periodSeconds: 1 };
  const dies: StartTruth = {
    faults: [{ from: 20, until: Infinity, answer: { kind: 'status', status: 503 }, probes: ['liveness'] }],
    stopSeconds: 4,
  };

  it.each([
    ['refused', 'dial tcp 10.244.1.7:8080: connect: connection refused'],
    ['closed', 'EOF'],
    ['reset', 'read tcp 10.244.1.1:40000->10.244.1.7:8080: read: connection reset by peer'],
  ] as const)('gets no answer: %s', (kind, text) => {
    const starts = [{ ...dies, whileStopping: { kind } }, {}];
    const { events } = simulate({ livenessProbe: liveness, readinessProbe }, starts, { until: 60 });
    const killing = events.findIndex(({ event }) => event['reason'] === 'Killing');
    expect(events.slice(killing + 1).map(({ event }) => event['message'])).toContain(
      `Readiness probe failed: Get "http://10.244.1.7:8080/healthz": ${text}`,
    );
  });

  it('finds a container that has ended, until the kubelet knows of the end', () => {
    const texts = Array.from({ length: 30 }, (_, seed) => {
      const command = ['/ready'];
      const pod = podOf([{ name: 'app', readinessProbe: { exec: { command }, periodSeconds: 1 } }]);
      const containers = { app: { starts: [{ endsAt: 10.3 }, {}] } };
      return simulatePod({ pod, createdAt, until: 30, containers }, seededRandom(seed)).events.map(({ event }) =>
        String(event['message']),
      );
    }).flat();
    expect(new Set(texts)).toContain(
      'Readiness probe errored and resulted in unknown state: rpc error: code = Unknown desc = container is in CONTAINER_EXITED state',
    );
  });
});

describe('an event', () =>
  it('may come after the status that it explains', () => {
    const history = simulate({ livenessProbe: liveness }, [{ answersFrom: Infinity }, {}], {
      until: 60,
      eventLagSeconds: 9,
    });
    const killing = history.events.find(({ event }) => event['reason'] === 'Killing');
    const restarted = history.writes.find(({ status }) =>
      (status['containerStatuses'] as readonly JsonObject[] | undefined)?.some((one) => one['restartCount'] === 1),
    );
    expect(killing?.at).toBeGreaterThan(restarted?.at ?? Infinity);
    const times = history.events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  }));
