import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { startProbeOf } from '../../../src/observer/start-limits.ts';
import { liveContainer } from '../../support/live-container.ts';
import { shortHash } from '../../../src/base/text/utf8.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/time/timing.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed, watchEventsOf } from '../../kubelet/watch-events.ts';
import { runs } from '../../support/runs.ts';
import { uidsOf } from './pod-events.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { KilledStart, MeasuredStart } from '../../../src/observer/starts/measured-start.ts';
import type { PodHistory } from '../../kubelet/status-history.ts';
import type { ContainerTruth, StartTruth, TrueStart } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00.400Z');
const httpGet = { path: '/healthz', port: 8080 };
const OWNER = {
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9c', uid: 'rs', controller: true }],
  labels: { 'pod-template-hash': '5d9c' },
};

const timing = fc.record({
  initialDelaySeconds: fc.integer({ min: 0, max: 12 }),
  periodSeconds: fc.integer({ min: 1, max: 10 }),
  timeoutSeconds: fc.integer({ min: 1, max: 6 }),
  failureThreshold: fc.integer({ min: 1, max: 6 }),
});
const probe = timing.map((numbers) => ({ httpGet, ...numbers }));
const readiness = fc
  .tuple(probe, fc.integer({ min: 1, max: 3 }))
  .map(([one, successThreshold]) => ({ ...one, successThreshold }));

const start: fc.Arbitrary<StartTruth> = fc.record(
  {
    answersFrom: fc.oneof(fc.double({ min: 0, max: 60, noNaN: true }), fc.constant(Infinity)),
    readyFrom: fc.double({ min: 0, max: 80, noNaN: true }),
    before: fc.constantFrom({ kind: 'refused' } as const, { kind: 'hang' } as const),
    faults: fc.array(
      fc
        .tuple(fc.integer({ min: 100, max: 300 }), fc.integer({ min: 5, max: 40 }))
        .map(([from, length]) => ({ from, until: from + length, answer: { kind: 'status', status: 503 } as const })),
      { maxLength: 2 },
    ),
    endsAt: fc.double({ min: 1, max: 120, noNaN: true }),
    stopSeconds: fc.double({ min: 0, max: 5, noNaN: true }),
    exitCode: fc.constantFrom(0, 1),
    reason: fc.constantFrom('Error', 'OOMKilled'),
  },
  { requiredKeys: ['answersFrom', 'before'] },
);

/** A container with any of the probes, and what its starts do. */
const container = fc.record({
  startupProbe: fc.option(probe, { nil: undefined }),
  readinessProbe: fc.option(readiness, { nil: undefined }),
  livenessProbe: fc.option(probe, { nil: undefined }),
  starts: fc.array(start, { minLength: 1, maxLength: 3 }),
  pullSeconds: fc.double({ min: 0, max: 20, noNaN: true }),
  isSidecar: fc.boolean(),
});

const world = fc.record({
  containers: fc.array(container, { minLength: 1, maxLength: 3 }),
  seed: fc.integer(),
  nodeClockAhead: fc.constantFrom(0, 0, 0.4, -3, 45, -30),
  writeSeconds: fc.constantFrom(0.05, 0.3, 1.5, 4),
  inits: fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { maxLength: 2 }),
  /** The share of events that the next event replaces within a second, so that nobody sees them. */
  coalesced: fc.constantFrom(0, 0, 0.15, 0.4),

  latency: fc.constantFrom(0, 20, 400),
  gate: fc.option(fc.integer({ min: 5, max: 90 }), { nil: undefined }),
  restartsAllAt: fc.array(fc.integer({ min: 30, max: 300 }), { maxLength: 1 }),
  kubeletRestarts: fc.array(fc.record({ at: fc.integer({ min: 90, max: 300 }), keepsReady: fc.boolean() }), {
    maxLength: 1,
  }),
  /** The watch breaks at the first second, and the Pods are listed again at the second. */
  gaps: fc.array(fc.tuple(fc.double({ min: 0, max: 200, noNaN: true }), fc.double({ min: 0, max: 30, noNaN: true })), {
    maxLength: 2,
  }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

let serial = 0;

function history(of: World): PodHistory {
  const specs = of.containers.map(({ startupProbe, readinessProbe, livenessProbe, isSidecar }, index) => ({
    name: `c${index}`,
    ...(startupProbe && { startupProbe }),
    ...(readinessProbe && { readinessProbe }),
    ...(livenessProbe && { livenessProbe }),
    ...(isSidecar && index > 0 && { restartPolicy: 'Always' }),
  }));
  const pod = podOf(
    specs.filter((spec) => !('restartPolicy' in spec)),
    {
      initContainers: [
        ...of.inits.map((_, index) => ({ name: `i${index}` })),
        ...specs.filter((spec) => 'restartPolicy' in spec),
      ],
      ...(of.gate !== undefined && { readinessGates: [{ conditionType: 'example.test/gate' }] }),
    },
    { ...OWNER, uid: `uid-${(serial += 1)}` },
  );
  const truths: Record<string, ContainerTruth> = {};
  of.containers.forEach(({ starts, pullSeconds }, index) => {
    truths[`c${index}`] = { starts, pullSeconds };
  });
  of.inits.forEach((runsSeconds, index) => {
    truths[`i${index}`] = { starts: [{}], runsSeconds };
  });
  return simulatePod(
    {
      pod,
      createdAt,
      until: 400,
      containers: truths,
      nodeClockAhead: of.nodeClockAhead,
      writeSeconds: of.writeSeconds,
      kubeletRestarts: of.kubeletRestarts,
      restartsAllAt: of.restartsAllAt,
      ...(of.gate !== undefined && { gates: { 'example.test/gate': of.gate } }),
    },
    seededRandom(of.seed),
  );
}

interface Seen {
  readonly measured: MeasuredStart[];
  readonly killed: KilledStart[];
  readonly left: number;
}

/** What the inference makes of a Pod's events, with the gaps of the watch. */
function inferred(story: PodHistory, { latency, gaps, coalesced, seed }: World): Seen {
  const measured: MeasuredStart[] = [];
  const killed: KilledStart[] = [];
  const inference = new StartInference((one) => (one.sample === undefined ? killed.push(one) : measured.push(one)));
  const missed = gaps.map(([from, length]) => [createdAt + from * 1000, createdAt + (from + length) * 1000] as const);
  const random = seededRandom(seed);
  const steps = [
    ...watchEventsOf(story)
      .filter(({ at }, index, events) => (events[index + 1]?.at ?? Infinity) - at > 1000 || random() >= coalesced)
      .filter(({ at }) => !missed.some(([from, until]) => at >= from && at <= until))
      .map((event) => ({ at: event.at, run: () => inference.seen(event.object, event.at + latency) })),
    ...missed.map(([, at]) => ({
      at,
      run: () => {
        inference.listing();
        const pod = podAsListed(story, at);
        if (pod !== undefined) inference.seen(pod, at + latency);
        inference.listed(uidsOf(pod));
      },
    })),
  ].sort((one, other) => one.at - other.at);
  for (const { at, run } of steps) {
    inference.reportDue(at);
    run();
  }
  inference.reportDue(Infinity);
  return { measured, killed, left: inference.size };
}

/** True for a start in which the kubelet was restarted: its probes begin again, and nothing in the Pod tells so. */
function hasKubeletRestarted({ kubeletRestarts }: World, start: TrueStart | undefined): boolean {
  return kubeletRestarts.some(({ at }) => {
    const second = createdAt + at * 1000;
    return second > (start?.startedAt ?? 0) - 1000 && second < (start?.readyAt ?? Infinity) + 30_000;
  });
}

function specOf(story: PodHistory, name: string): JsonObject {
  const spec = story.truth.pod['spec'] as Readonly<Record<string, readonly JsonObject[] | undefined>>;
  return [...(spec['containers'] ?? []), ...(spec['initContainers'] ?? [])].find((one) => one['name'] === name) ?? {};
}

describe('what is inferred from the events of a Pod', () => {
  it('is within the stated error of the truth', () => {
    let samples = 0;
    let bounds = 0;
    fc.assert(
      fc.property(world, (of) => {
        const story = history(of);
        const uid = String((story.truth.pod['metadata'] as JsonObject)['uid']);
        const { measured, killed } = inferred(story, of);
        const truthOf = (id: string) =>
          story.starts.find(({ containerID }) => shortHash(`${uid}/${containerID}`) === id);
        for (const { container: name, sample, workload } of measured) {
          const truth = truthOf(sample.id);
          if (hasKubeletRestarted(of, truth)) continue;
          samples += 1;
          expect(workload).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' });
          // Nothing is learned of a container without a probe that shows the end of the start.
          expect(startProbeOf(liveContainer(specOf(story, name)))?.basis).toBe(sample.basis);
          expect(truth).toMatchObject({ container: name, restart: sample.restart });
          expect(sample.seconds).toBeGreaterThanOrEqual(truth?.needed ?? Infinity);
          expect(sample.seconds - sample.within).toBeLessThanOrEqual(truth?.needed ?? 0);
        }
        for (const { container: name, id, boundSeconds } of killed) {
          bounds += 1;
          const truth = truthOf(id);
          const spec = specOf(story, name);
          const gate = (spec['startupProbe'] ?? spec['livenessProbe']) as JsonObject;
          expect(boundSeconds).toBe(guaranteedStartSeconds(probeTiming(gate)));
          // A container that ends otherwise when its probe would kill it cannot be told from one that was killed: the
          // condition of a restart of all containers is there for a second only.
          if (truth?.endedBy === 'itself' || truth?.endedBy === 'restart of all')
            expect(((truth.endedAt ?? 0) - truth.startedAt) / 1000).toBeGreaterThan(boundSeconds - 2);
          else expect(truth?.needed ?? Infinity).toBeGreaterThan(boundSeconds);
        }
        const ids = [...measured.map(({ sample }) => sample.id), ...killed.map(({ id }) => id)];
        if (!story.starts.some((one) => hasKubeletRestarted(of, one))) expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: runs(1000) },
    );
    // A thousand Pods of up to three containers: far more samples than this, whatever the seed.
    expect(samples).toBeGreaterThan(runs(1000) / 2);
    expect(bounds).toBeGreaterThan(runs(1000) / 2);
  });
});
