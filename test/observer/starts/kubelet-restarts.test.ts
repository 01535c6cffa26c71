import { expect, describe, it } from 'vitest';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { watchEventsOf } from '../../kubelet/watch-events.ts';
import { BEGIN, CONTAINERS } from './pod-events.ts';

const STARTUP = CONTAINERS.startup;
const { startupProbe } = STARTUP;
const OWNER = {
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'o', controller: true }],
};
const APP_OF_20_S = { app: { starts: [{ answersFrom: 20 }] } };

describe('a simulated node whose kubelet restarts', () => {
  it('lets no start be learned that lasted meanwhile, whatever the phases', () => {
    for (let seed = 0; seed < 40; seed++) {
      const random = seededRandom(seed);
      const histories = Array.from({ length: 4 }, (_, index) => {
        const answersFrom = 70 + index * 11;
        const pod = podOf([{ ...STARTUP, startupProbe: { ...startupProbe, failureThreshold: 40 } }], {}, OWNER);
        const truth = {
          createdAt: BEGIN + index * 1700,
          until: 200,
          containers: { app: { starts: [{ answersFrom }] } },
        };
        const at = 40 - index * 1.7;
        return simulatePod({ ...truth, pod, kubeletRestarts: [{ at, keepsReady: true }] }, random);
      });
      const after = simulatePod(
        { createdAt: BEGIN + 60_000, until: 200, pod: podOf([STARTUP], {}, OWNER), containers: APP_OF_20_S },
        random,
      );
      const found: number[] = [];
      const inference = new StartInference(({ sample }) => {
        if (sample !== undefined) found.push(sample.seconds);
      });
      const events = [...histories, after].flatMap((history) => watchEventsOf(history));
      for (const { at: receivedAt, object } of events.toSorted((one, other) => one.at - other.at)) {
        inference.reportDue(receivedAt);
        inference.seen(object, receivedAt);
      }
      inference.reportDue(Infinity);
      expect(found).toHaveLength(1);
      expect(found[0]).toBeGreaterThanOrEqual(20);
    }
  });
});
