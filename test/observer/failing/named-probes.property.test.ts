import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countedResults } from '../../../src/observer/failing/failing-results.ts';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed } from '../../kubelet/watch-events.ts';
import { OWN_LIVENESS } from '../../../src/engine/defaulting/patch.ts';
import { absentProbesIn } from '../../support/named-probes.ts';
import { runs } from '../../support/runs.ts';
import { TROUBLES } from './probe-troubles.ts';
import type { ContainerTruth, PodTruth, StartTruth } from '../../kubelet/truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00Z');
const LAYER = 'ClusterProbePolicy/app';
const SOURCES = [LAYER, 'safety', `learned: 5 starts up to 12 s, 31 s to start; ${LAYER}`];

/** A startup probe may have the handler of the author's liveness probe. */
function sourceOf(kind: string, probes: object, source: string): string {
  return kind === 'startupProbe' && 'livenessProbe' in probes && source === LAYER ? `${OWN_LIVENESS}${source}` : source;
}

const numbers = fc.record(
  {
    initialDelaySeconds: fc.constantFrom(5, 60),
    periodSeconds: fc.constantFrom(1, 5),
    timeoutSeconds: fc.constantFrom(2, 9),
    failureThreshold: fc.constantFrom(1, 30),
  },
  { requiredKeys: [] },
);
const story = fc.record({
  trouble: fc.constantFrom(...TROUBLES),
  probes: fc.record({ startupProbe: numbers, livenessProbe: numbers, readinessProbe: numbers }, { requiredKeys: [] }),
  /** Beside a trouble that lasts: it begins late, it ends, or the container ends by itself. */
  truth: fc.constantFrom<(bad: StartTruth) => StartTruth>(
    (bad) => bad,
    (bad) => ({ ...bad, answersFrom: 40, readyFrom: 70 }),
    (bad) => ({ ...bad, endsAt: 20, exitCode: 1 }),
    ({ before }) => ({ faults: before === undefined ? [] : [{ from: 50, until: Infinity, answer: before }] }),
  ),
  source: fc.option(fc.constantFrom(...SOURCES)),
});
const scene = fc.record({
  stories: fc.array(story, { minLength: 1, maxLength: 2 }),
  seconds: fc.integer({ min: 30, max: 500 }),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  restartPolicy: fc.constantFrom('Always', 'Always', 'OnFailure', 'Never'),
});

it('no cause and no remedy speaks of a probe that the container has not', () => {
  const check = fc.property(scene, ({ stories, seconds, seed, restartPolicy }) => {
    const named = stories.map((one, index) => ({ ...one, name: `app${index}` }));
    const containers = named.map(({ name, trouble, probes }) => ({
      name,
      ...Object.fromEntries(Object.entries(probes).map(([kind, own]) => [kind, { ...trouble.probe, ...own }])),
    }));
    const injected = named.map(({ name, source, probes }) => [
      name,
      Object.fromEntries(
        source === null ? [] : Object.keys(probes).map((kind) => [kind, sourceOf(kind, probes, source)]),
      ),
    ]);
    const annotations = { 'probewright.dev/injected': JSON.stringify(Object.fromEntries(injected)) };
    const truths = named.map(({ name, trouble, truth }): [string, ContainerTruth] => {
      const bad: StartTruth = { answersFrom: Infinity, readyFrom: Infinity, before: trouble.answer };
      return [name, { starts: [truth(bad)] }];
    });
    const pod = podOf(containers, { restartPolicy }, { annotations });
    const truth: PodTruth = { pod, createdAt, until: seconds, containers: Object.fromEntries(truths) };
    const history = simulatePod(truth, seededRandom(seed));
    const now = createdAt + seconds * 1000;
    const failing = new FailingWorkloads();
    const workload = { namespace: 'apps', group: 'apps', kind: 'Deployment', name: 'web' };
    failing.seen('uid', workload, podHealth(podAsListed(history, now) ?? {}));
    for (const { event } of history.events) failing.event(event, now);
    for (const { message, properties } of failing.findings(now).flatMap(countedResults)) {
      const own = containers.find(({ name }) => name === properties.container);
      const present = new Set(Object.keys(own ?? {}));
      for (const text of [message, properties.fix ?? '']) expect(absentProbesIn(text, present), text).toEqual([]);
    }
  });
  fc.assert(check, { numRuns: runs(400) });
});
