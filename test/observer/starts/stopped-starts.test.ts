import { describe, expect, it } from 'vitest';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { StoppedStarts } from '../../../src/observer/starts/stopped-starts.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { watchEventsOf } from '../../kubelet/watch-events.ts';
import type { StoppedStart } from '../../../src/observer/starts/measured-start.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Answer, StartTruth } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');
const NEVER = { answersFrom: Infinity, readyFrom: Infinity };
const NOT_FOUND: Answer = { kind: 'status', status: 404 };
const UNAVAILABLE: Answer = { kind: 'status', status: 503 };
const REFUSED: Answer = { kind: 'refused' };
const httpGet = { path: '/healthz', port: 8080 };
const startupProbe = { httpGet, periodSeconds: 5, failureThreshold: 6 };
const livenessProbe = { httpGet, periodSeconds: 5, failureThreshold: 6 };

/** How many starts of a container count as too short, of those that a probe has ended until the end. */
function counted(
  probes: JsonObject,
  start: StartTruth,
  isRead: (event: JsonObject) => boolean = () => true,
  until = 200,
): string {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'o', controller: true }];
  const container = { name: 'app', readinessProbe: { httpGet, periodSeconds: 5 }, ...probes };
  const pod = podOf([container], {}, { ownerReferences });
  const truth = { pod, createdAt, until, eventLagSeconds: 9, containers: { app: { starts: [start] } } };
  const history = simulatePod(truth, seededRandom(7));
  const failing = new FailingWorkloads();
  const workload = { namespace: 'apps', group: 'apps', kind: 'StatefulSet', name: 'web' };
  const stopped = new StoppedStarts();
  const [told, kept]: [StoppedStart[], StoppedStart[]] = [[], []];
  let now = createdAt;
  const inference = new StartInference((one) => {
    if (one.sample !== undefined) return;
    told.push(one);
    stopped.add(one, now);
  });
  const uid = String((pod['metadata'] as JsonObject)['uid']);
  const steps = [
    ...watchEventsOf(history).map(({ at, object }) => ({
      at,
      run: () => {
        failing.seen(uid, workload, podHealth(object));
        inference.seen(object, at);
      },
    })),
    ...history.events.map(({ at, event }) => ({ at, run: () => isRead(event) && failing.event(event, at) })),
    ...Array.from({ length: until / 10 + 2 }, (_, index) => ({ at: createdAt + index * 10_000, run: () => undefined })),
  ].toSorted((one, other) => one.at - other.at);
  for (const step of steps) {
    now = step.at;
    step.run();
    for (const [one] of stopped.takeDue(now)) if (!failing.hasAnsweredWrongly(one)) kept.push(one);
  }
  return `${kept.length} of ${told.length}`;
}

describe('a start that a probe has ended', () => {
  it('does not count as too short when the application answered, and answered wrongly', () => {
    expect(counted({ startupProbe }, { ...NEVER, before: NOT_FOUND })).toBe('0 of 5');
    expect(counted({ livenessProbe }, { ...NEVER, before: NOT_FOUND })).toBe('0 of 5');
  });

  it('does not count when it booted first, and then answered wrongly', () => {
    const booting = { from: 0, until: 12, answer: REFUSED };
    expect(counted({ startupProbe }, { ...NEVER, before: NOT_FOUND, faults: [booting] })).toBe('0 of 5');
  });

  it('does not count in a loop of an hour, of which the kubelet tells few answers', () => {
    const booting = { from: 0, until: 12, answer: REFUSED };
    const all = counted({ startupProbe }, { ...NEVER, before: NOT_FOUND, faults: [booting] }, undefined, 3600);
    expect(all).toMatch(/^0 of 2\d$/);
  });

  it('counts when nothing listened yet, and when the application was not ready', () => {
    expect(counted({ startupProbe }, { ...NEVER, before: REFUSED })).toBe('5 of 5');
    expect(counted({ startupProbe }, { ...NEVER, before: UNAVAILABLE })).toBe('5 of 5');
    const routing = { from: 0, until: 12, answer: NOT_FOUND };
    expect(counted({ startupProbe }, { ...NEVER, before: UNAVAILABLE, faults: [routing] })).toBe('5 of 5');
  });

  it('counts when no event tells what the probe got', () => {
    expect(counted({ startupProbe }, { ...NEVER, before: NOT_FOUND }, () => false)).toBe('5 of 5');
    const isKill = ({ reason }: JsonObject): boolean => reason === 'Killing';
    expect(counted({ startupProbe }, { ...NEVER, before: NOT_FOUND }, isKill)).toBe('5 of 5');
  });

  it('waits 10 s for its events, and no longer when the clock is set back', () => {
    const stopped = new StoppedStarts();
    const start = { namespace: 'apps', id: 'a' } as StoppedStart;
    stopped.add(start, createdAt);
    expect([...stopped.takeDue(createdAt + 9_999)]).toEqual([]);
    expect([...stopped.takeDue(createdAt + 10_000)]).toEqual([[start, createdAt]]);
    expect([...stopped.takeDue(createdAt + 20_000)]).toEqual([]);
    stopped.add(start, createdAt);
    expect([...stopped.takeDue(createdAt - 60_000)]).toHaveLength(1);
  });
});
