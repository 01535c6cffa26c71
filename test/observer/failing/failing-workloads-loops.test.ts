import { describe, expect, it } from 'vitest';
import { failingResults } from '../../../src/observer/failing/failing-results.ts';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { watchEventsOf } from '../../kubelet/watch-events.ts';
import type { Answer } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');
const httpGet = { path: '/healthz', port: 8080 };
const SOURCE = 'learned: 5 starts up to 12 s, 24 s to start; ClusterProbePolicy/app';

/**
 * The causes that are told in an hour, one line for each change. The container boots for 12 s in each run, then answers
 * so until a learned startup probe ends it. The kubelet drops nine of ten events.
 */
function toldInAnHour(answer: Answer): string[] {
  const annotations = { 'probewright.dev/injected': JSON.stringify({ app: { startupProbe: SOURCE } }) };
  const startupProbe = { httpGet, periodSeconds: 5, failureThreshold: 6 };
  const pod = podOf([{ name: 'app', startupProbe, readinessProbe: { httpGet } }], {}, { annotations });
  const boot = { from: 0, until: 12, answer: { kind: 'refused' } } as const;
  const start = { answersFrom: Infinity, readyFrom: Infinity, before: answer, faults: [boot] };
  const truth = { pod, createdAt, until: 3600, eventLagSeconds: 9, containers: { app: { starts: [start] } } };
  const history = simulatePod(truth, seededRandom(7));
  const failing = new FailingWorkloads();
  const workload = { namespace: 'apps', group: 'apps', kind: 'Deployment', name: 'web' };
  const told: string[] = [];
  const look = (now: number): void => {
    const found = failing.findings(now).flatMap(failingResults);
    const causes = found.map(({ properties }) => `${properties.cause}${properties.learnedSeconds ? ' too short' : ''}`);
    if (told.at(-1) !== causes.join(', ')) told.push(causes.join(', '));
  };
  const steps = [
    ...watchEventsOf(history).map(({ at, object }) => ({
      at,
      run: () => failing.seen('uid', workload, podHealth(object)),
    })),
    ...history.events.map(({ at, event }) => ({ at, run: () => failing.event(event, at) })),
    ...Array.from({ length: 360 }, (_, index) => createdAt + index * 10_000).map((at) => ({
      at,
      run: () => look(at),
    })),
  ];
  for (const { run } of steps.toSorted((one, other) => one.at - other.at)) run();
  expect(history.droppedEvents).toBeGreaterThan(150);
  return told;
}

describe('a container that a learned startup probe ends again and again', () => {
  it('is told by its wrong answer alone, although most events are of its boot or lost', () =>
    expect(toldInAnHour({ kind: 'status', status: 404 })).toEqual(['', 'http-404']));

  it('has learned too short a time, where it answers that it is not ready', () =>
    expect(toldInAnHour({ kind: 'status', status: 503 }).at(-1)).toContain('killed-while-starting too short'));
});
