import { describe, expect, it } from 'vitest';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { watchEventsOf } from '../../kubelet/watch-events.ts';
import { BEGIN, ms, podSaid, type Said } from './pod-events.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const httpGet = { path: '/healthz', port: 8080 };
const startupProbe = { httpGet, periodSeconds: 5, failureThreshold: 5 };
const STARTUP = { name: 'app', image: 'r/app:1', startupProbe };
const BOTH = { ...STARTUP, readinessProbe: { httpGet, periodSeconds: 5 } };
const READINESS = { name: 'app', image: 'r/app:1', readinessProbe: { httpGet, periodSeconds: 5 } };

const OWNER = {
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'o', controller: true }],
};
const APP_OF_20_S = { app: { starts: [{ answersFrom: 20 }] } };

type Event = readonly [
  second: number,
  uid: string,
  said: Said,
  spec?: JsonObject | undefined,
  ready?: number | undefined,
];

/** The Pods whose starts are learned from these events, and the seconds; below 0: the bound of a start that a probe ended. */
function learned(events: readonly Event[]): [string, number][] {
  const found: [string, number][] = [];
  const inference = new StartInference({
    measured: ({ image, sample }) => found.push([image, sample.seconds]),
    killed: ({ image, boundSeconds }) => found.push([image, -boundSeconds]),
  });
  for (const [second, uid, said, spec = STARTUP, ready] of events) {
    const condition = { isTrue: ready !== undefined, since: ready ?? 1 };
    const pod = podSaid([{ ...spec, image: uid }], [said], condition, { uid, name: uid });
    const nodeName = uid.startsWith('far') ? 'node-2' : 'node-1';
    inference.seen({ ...pod, spec: { ...(pod['spec'] as JsonObject), nodeName } }, ms(second));
  }
  inference.reportDue(Infinity);
  return found.sort(([one], [other]) => (one < other ? -1 : 1));
}

const waiting = (uid: string, spec?: JsonObject): Event => [1, uid, {}, spec];
const begun = (uid: string, spec?: JsonObject, second = 10): Event => [
  second + 0.5,
  uid,
  { id: uid, startedAt: second },
  spec,
];
const open = (second: number, uid: string, isReady = true, spec?: JsonObject): Event => [
  second,
  uid,
  { id: uid, startedAt: 10, started: true, ready: isReady },
  spec,
  isReady ? Math.floor(second) : undefined,
];
const TWO = [waiting('a'), waiting('b'), begun('a'), begun('b')];

describe('gates of two Pods on one node that open within a second', () => {
  it('are a restart of the kubelet: neither start is learned', () => {
    expect(learned([...TWO, open(40.1, 'a'), open(40.4, 'b')])).toEqual([]);
  });

  it('are no restart if a third gate stays closed', () => {
    const three = [waiting('c'), begun('c')];
    expect(learned([...TWO, ...three, open(40.1, 'a'), open(40.4, 'b')])).toEqual([
      ['a', 31],
      ['b', 31],
    ]);
    expect(learned([...TWO, ...three, open(40.1, 'a'), open(40.4, 'b'), open(43, 'c')])).toEqual([
      ['a', 31],
      ['b', 31],
      ['c', 34],
    ]);
  });

  it('are no restart if the kubelet wrote statuses meanwhile, without a pause', () => {
    const steady = Array.from({ length: 31 }, (_, index): Event => [11 + index, 'other', { name: 'x' }, READINESS]);
    const events = [...TWO, ...steady, open(40.1, 'a'), open(40.4, 'b')].toSorted(([one], [two]) => one - two);
    expect(learned(events)).toEqual([
      ['a', 31],
      ['b', 31],
    ]);
  });

  it('are no restart if a container without a readiness probe is started before it is ready', () => {
    expect(learned([...TWO, open(40.1, 'a', false), open(40.2, 'a'), open(40.4, 'b')])).toEqual([
      ['a', 31],
      ['b', 31],
    ]);
    const both = [waiting('a', BOTH), waiting('b', BOTH), begun('a', BOTH), begun('b', BOTH)];
    expect(learned([...both, open(40.1, 'a', false, BOTH), open(40.4, 'b', false, BOTH)])).toEqual([]);
  });

  it('spoil each start of the node that lasts on, whatever its probe, and no start after the restart', () => {
    const other = [waiting('c', READINESS), begun('c', READINESS)];
    const restart = [open(40.1, 'a'), open(40.4, 'b')];
    expect(learned([...TWO, ...other, ...restart, open(70.2, 'c', true, READINESS)])).toEqual([]);
    const next: Event[] = [
      [41, 'd', {}],
      [45.2, 'd', { id: 'd', startedAt: 45 }],
      [70.2, 'd', { id: 'd', startedAt: 45, started: true, ready: true }, STARTUP, 70],
    ];
    expect(learned([...TWO, ...restart, ...next])).toEqual([['d', 26]]);
  });

  it('count as two successes when they open two seconds apart', () => {
    expect(learned([...TWO, open(40.1, 'a'), open(42.2, 'b')])).toEqual([
      ['a', 31],
      ['b', 33],
    ]);
  });

  it('say nothing about another node', () => {
    const far = [waiting('far'), begun('far')];
    expect(learned([...TWO, ...far, open(40.1, 'a'), open(40.2, 'far'), open(40.4, 'b')])).toEqual([['far', 31]]);
    expect(learned([waiting('a'), begun('a'), ...far, open(40.1, 'a'), open(40.2, 'far')])).toEqual([
      ['a', 31],
      ['far', 31],
    ]);
  });
});

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
      const inference = new StartInference({
        measured: ({ sample }) => found.push(sample.seconds),
        killed: () => undefined,
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

describe('a container that a liveness probe has killed', () => {
  const ended = { id: 'c1', from: 2, until: 9 };
  const again = { id: 'c2', startedAt: 10, restarts: 1, ended };
  const LIVENESS = { ...STARTUP, livenessProbe: { httpGet, periodSeconds: 2, failureThreshold: 3 } };
  const passed: Event = [1, 'a', { id: 'c1', startedAt: 1, started: true, ready: true }, LIVENESS, 1];
  const stopped: Event = [9.5, 'a', { id: 'c1', restarts: 0, ended }, LIVENESS];
  const opened: Event = [10.3, 'a', { ...again, started: true, ready: true }, LIVENESS, 10];

  it('is not measured from the gate that the next container inherits', () => {
    expect(learned([passed, stopped, opened])).toEqual([]);
    expect(learned([passed, opened])).toEqual([]);
  });

  it('is measured from the success after the tick that closes the gate', () => {
    const closed: Event = [12.1, 'a', again, LIVENESS];
    const success: Event = [30.2, 'a', { ...again, started: true, ready: true }, LIVENESS, 30];
    expect(learned([passed, stopped, opened, closed, success])).toEqual([['a', 21]]);
  });

  it('is no start that a probe ended, because failures of the open gate count on', () => {
    const closed: Event = [12.1, 'a', again, LIVENESS];
    const killed = { id: 'c3', startedAt: 36, restarts: 2, ended: { id: 'c2', from: 10, until: 36 } };
    expect(learned([passed, stopped, opened, closed, [36.5, 'a', { ...killed, started: true }, LIVENESS]])).toEqual([]);
    const crashed: Event[] = [stopped, [10.3, 'a', again, LIVENESS]];
    expect(learned([...crashed, [36.5, 'a', killed, LIVENESS]])).toEqual([['a', -20]]);
  });
});
