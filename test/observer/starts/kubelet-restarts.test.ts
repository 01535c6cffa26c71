import { expect, describe, it } from 'vitest';
import { KubeletRestarts } from '../../../src/observer/starts/kubelet-restarts.ts';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { watchEventsOf } from '../../kubelet/watch-events.ts';
import { BEGIN, CONTAINERS } from './pod-events.ts';
import type { MeasuredStart } from '../../../src/observer/starts/measured-start.ts';

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

/** Milliseconds since the epoch: when the first of two gates opens. */
const OPENED = 1_000_000;

/** The reported starts of a node whose two gates open together, as far as they are passed on. */
function passedOn(between: number, since: readonly number[], decidedAfter: number): number {
  const passed: MeasuredStart[] = [];
  const restarts = new KubeletRestarts((start) => passed.push(start));
  restarts.wrote('node', 900);
  for (const pod of ['one', 'other']) restarts.closed('node', pod, 900);
  // A silence, as of a kubelet that restarts.
  restarts.wrote('node', 1000);
  for (const [pod, at] of [
    ['one', OPENED],
    ['other', OPENED + between],
  ] as const) {
    restarts.opened('node', pod, { since: 900, seenAt: 900 }, undefined, at);
    restarts.closed('node', pod, undefined);
  }
  for (const begin of since) restarts.report('node', { sample: {} } as MeasuredStart, begin);
  restarts.decideDue(OPENED + between + decidedAfter);
  return passed.length;
}

describe('a restart that opens two gates', () => {
  it('interrupts the starts that began more than a second before the first gate opened', () => {
    expect(passedOn(0, [OPENED - 1000], 5000)).toBe(1);
    expect(passedOn(0, [OPENED - 1001], 5000)).toBe(0);
  });

  it('opens them within a second: gates that open later count alone', () => {
    expect(passedOn(1000, [OPENED - 60_000], 5000)).toBe(0);
    expect(passedOn(1001, [OPENED - 60_000], 5000)).toBe(1);
  });

  it('is decided about five seconds after the last gate', () => {
    expect(passedOn(0, [OPENED], 4999)).toBe(0);
    expect(passedOn(0, [OPENED], 5000)).toBe(1);
  });
});
