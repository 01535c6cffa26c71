import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDefinite } from '../../../src/observer/failing/causes.ts';
import { diagnose } from '../../../src/observer/failing/diagnosis.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { http, TROUBLES } from './probe-troubles.ts';
import { readProbeEvent } from '../../../src/observer/failing/probe-events.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed } from '../../kubelet/watch-events.ts';
import { runs } from '../../support/runs.ts';
import type { StartTruth } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');
/** The texts of kubelets: 1.36, before 1.33, Go before 1.14, Go before 1.9, and a combined event. */
const KUBELETS: readonly ((message: string) => string)[] = [
  (message) => message,
  (message) => message.replace(' probe errored and resulted in unknown state: ', ' probe errored: '),
  (message) =>
    message
      .replace(/Get "([^"]+)"/, 'Get $1')
      .replace('context deadline exceeded (Client.Timeout', 'net/http: request canceled (Client.Timeout')
      .replace(' probe errored and resulted in unknown state: ', ' probe errored: '),
  (message) => message.replace('connect: connection refused', 'getsockopt: connection refused'),
  (message) => (message.startsWith('Container ') ? message : `(combined from similar events): ${message}`),
];

const story = fc.record({
  trouble: fc.option(fc.constantFrom(...TROUBLES)),
  kind: fc.constantFrom('readinessProbe', 'startupProbe'),
});
const scene = fc.record({
  stories: fc.array(story, { minLength: 1, maxLength: 3 }),
  kubelet: fc.constantFrom(...KUBELETS),
  seconds: fc.integer({ min: 130, max: 260 }),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  /** The share of events that are lost, beside one for each container. */
  lost: fc.double({ min: 0, max: 1, noNaN: true }),
});
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

const nameOf = (index: number): string => `app${index}`;

/** What is told of the scene. The containers recover after `starts` bad starts, or after 60 s without a start. */
function told({ stories, kubelet, seconds, seed, lost }: Scene, recovers: boolean): string[] {
  const containers = stories.map(({ trouble, kind }, index) => ({
    name: nameOf(index),
    [kind]: trouble?.probe ?? http,
  }));
  const truths = stories.map(({ trouble, kind }, index): [string, { starts: StartTruth[] }] => {
    if (trouble === null) return [nameOf(index), { starts: [{}] }];
    const { answer } = trouble;
    const ends = kind === 'readinessProbe' || trouble.isVoid === true;
    const bad: StartTruth =
      recovers && ends
        ? { faults: [{ from: 0, until: 60, answer }] }
        : { answersFrom: Infinity, readyFrom: Infinity, before: answer };
    return [nameOf(index), { starts: recovers ? [bad, {}] : [bad] }];
  });
  const random = seededRandom(seed);
  const pod = podOf(containers);
  const history = simulatePod({ pod, createdAt, until: seconds, containers: Object.fromEntries(truths) }, random);
  const now = createdAt + seconds * 1000;
  const kept = new Set<unknown>();
  const hints = history.events.toReversed().flatMap(({ event }) => {
    const message = typeof event['message'] === 'string' ? kubelet(event['message']) : '';
    const hint = readProbeEvent({ ...event, message });
    if (hint === undefined) return [];
    const isFirst = hint.cause !== 'killed' && !kept.has(hint.container);
    if (!isFirst && random() < lost) return [];
    if (hint.cause !== 'killed') kept.add(hint.container);
    return [hint];
  });
  const health = podHealth(podAsListed(history, now) ?? {});
  if (health === undefined) return [];
  return diagnose(health, hints, now)
    .map(({ container, probe, cause }) => `${container} ${probe} ${cause}`)
    .sort();
}

describe('random Pods with random troubles, under kubelets of several versions that lose events', () => {
  it('are each told by their true cause, and by no other', () => {
    fc.assert(
      fc.property(scene, (each) => {
        const expected = each.stories.flatMap(({ trouble, kind }, index) => {
          if (trouble === null) return [];
          const { cause, isVoid } = trouble;
          const isKilled = kind === 'startupProbe' && isVoid !== true && !isDefinite(cause);
          const causes = isKilled ? [cause, 'killed-while-starting'] : [cause];
          return causes.map((one) => `${nameOf(index)} ${kind} ${one}`);
        });
        expect(told(each, false)).toStrictEqual(expected.sort());
      }),
      { numRuns: runs(400) },
    );
  });

  it('lose the finding when they recover', () => {
    fc.assert(
      fc.property(scene, (each) => {
        expect(told(each, true)).toStrictEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });
});
