import { describe, expect, it } from 'vitest';
import {
  better,
  containersReady,
  hasLaterProbe,
  nodeOf,
  observedContainers,
  placeOf,
  secondsUntilReady,
  startId,
  startInSnapshot,
  startOf,
  type MeasuredStart,
} from '../../../src/observer/starts/measured-start.ts';
import { startProbeOf, type StartProbe } from '../../../src/observer/start-limits.ts';
import { at, CONTAINERS, ms, podSaid, type Said } from './pod-events.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { LiveContainer } from '../../../src/observer/live-pod.ts';

const { startup, readiness, neither, both } = CONTAINERS;
const RUNNING: Said = { id: 'c1', startedAt: 10, started: true, ready: true };
const SIDE = { ...neither, name: 'side' };
const PASSED = podSaid([startup], [RUNNING], { isTrue: true, since: 42 });

const observed = (pod: JsonObject): LiveContainer => {
  const [one] = observedContainers(pod) ?? [];
  if (one === undefined) throw new Error('no container');
  return one;
};
const PROBE = startProbeOf(observed(PASSED)) as StartProbe;

describe('the start of a Pod from one look', () => {
  /** Seconds, the error, and the probe that showed the end. */
  const seen = (pod: JsonObject, now = ms(100)): unknown => {
    const sample = startInSnapshot(pod, now)?.sample;
    return sample && [sample.seconds, sample.within, sample.basis];
  };
  const STARTED = [33, 7, 'startup'];

  it('is the time from the run of the container to the condition ContainersReady', () => {
    expect(seen(PASSED)).toEqual(STARTED);
    expect(seen(podSaid([readiness], [RUNNING], { isTrue: true, since: 42 }))).toEqual([33, 7, 'readiness']);
    expect(seen(podSaid([startup], [RUNNING], { isTrue: true, since: 10 }))).toEqual([1, 1, 'startup']);
  });

  it('has readiness as its end where that comes after the startup probe', () =>
    expect(seen(podSaid([both], [RUNNING], { isTrue: true, since: 42 }))).toEqual([33, 7, 'readiness']));

  it('counts within an hour after the creation of the Pod, and for 30 days', () => {
    const readyAt = (since: number): unknown => seen(podSaid([startup], [RUNNING], { isTrue: true, since }), ms(9999));
    expect([readyAt(3599), readyAt(3600)]).toEqual([[3590, 7, 'startup'], undefined]);
    expect([seen(PASSED, ms(30 * 86_400) - 1), seen(PASSED, ms(30 * 86_400))]).toEqual([STARTED, undefined]);
  });

  it.each<[string, JsonObject]>([
    ['that is not ready', podSaid([startup], [RUNNING], { isTrue: false, since: 42 })],
    ['without the condition', podSaid([startup], [RUNNING])],
    ['whose container is not ready', podSaid([startup], [{ ...RUNNING, ready: false }], { isTrue: true, since: 42 })],
    ['that was ready before its container', podSaid([startup], [RUNNING], { isTrue: true, since: 9 })],
    ['that is being deleted', podSaid([startup], [RUNNING], { isTrue: true, since: 42 }, { deletionTimestamp: at(1) })],
    ['without a creation', podSaid([startup], [RUNNING], { isTrue: true, since: 42 }, { creationTimestamp: 'x' })],
    ['without a controller', podSaid([startup], [RUNNING], { isTrue: true, since: 42 }, { ownerReferences: [] })],
    ['that restarted', podSaid([startup], [{ ...RUNNING, restarts: 1 }], { isTrue: true, since: 42 })],
    ['that does not run', podSaid([startup], [{ id: 'c1', ready: true }], { isTrue: true, since: 42 })],
    ['without a probe that shows a start', podSaid([neither], [RUNNING], { isTrue: true, since: 42 })],
    [
      'with two slow containers',
      podSaid([startup, { ...readiness, name: 'side' }], [RUNNING, { ...RUNNING, name: 'side' }], {
        isTrue: true,
        since: 42,
      }),
    ],
    [
      'with another container that restarted',
      podSaid([startup, SIDE], [RUNNING, { ...RUNNING, name: 'side', restarts: 1 }], { isTrue: true, since: 42 }),
    ],
    [
      'with another container that does not run',
      podSaid([startup, SIDE], [RUNNING, { name: 'side' }], { isTrue: true, since: 42 }),
    ],
  ])('is unknown for a Pod %s', (_, pod) => expect(seen(pod)).toBeUndefined());

  it.each([
    [5, 42, STARTED],
    [10, 12, [3, 3, 'startup']],
    [38, 42, STARTED],
    [39, 42, undefined],
    [11, 14, undefined],
    [11, 15, [6, 6, 'startup']],
  ])('is unknown where a container that started at %i may have been the last at %i', (startedAt, since, expected) => {
    const side = { ...RUNNING, name: 'side', startedAt };
    expect(seen(podSaid([startup, SIDE], [RUNNING, side], { isTrue: true, since }))).toEqual(expected);
    expect(seen(podSaid([SIDE, startup], [side, RUNNING], { isTrue: true, since }))).toEqual(expected);
  });
});

describe('the start of a container', () => {
  it('has its place, and what identifies it', () => {
    const start = startOf(PASSED, observed(PASSED), PROBE, 33, 0.5);
    expect(start).toEqual({
      ...placeOf(PASSED, observed(PASSED), { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }),
      sample: {
        seconds: 33,
        within: 6,
        basis: 'startup',
        restart: false,
        node: 'ecc2207879c3',
        at: at(10),
        id: startId(PASSED, 'containerd://c1'),
        image: 'r/app:1',
      },
    });
    expect(start).toMatchObject({ namespace: 'apps', container: 'app', image: 'r/app:1' });
  });

  it('is a restart where the container ran before', () => {
    const again = podSaid([startup], [{ ...RUNNING, restarts: 1 }]);
    expect(startOf(again, observed(again), PROBE, 33, 0)?.sample.restart).toBe(true);
  });

  it('takes a day at most', () => {
    const start = (seconds: number): unknown => startOf(PASSED, observed(PASSED), PROBE, seconds, 0);
    expect([start(86_400) !== undefined, start(86_401)]).toEqual([true, undefined]);
  });

  it('is unknown without a run and without a controller', () => {
    const waiting = podSaid([startup], [{}]);
    expect(startOf(waiting, observed(waiting), PROBE, 1, 0)).toBeUndefined();
    const alone = podSaid([startup], [RUNNING], undefined, { ownerReferences: [] });
    expect(startOf(alone, observed(alone), PROBE, 1, 0)).toBeUndefined();
  });

  it('is another one in another Pod, and in another run', () => {
    const other = podSaid([startup], [RUNNING], undefined, { uid: 'pod-2' });
    const ids = [startId(PASSED, 'a'), startId(PASSED, 'b'), startId(other, 'a')];
    expect(new Set(ids).size).toBe(3);
    expect(startId(PASSED, 'a')).toBe(startId(podSaid([], []), 'a'));
  });

  it('was on the node of the Pod', () => {
    expect(nodeOf(PASSED)).toBe('node-1');
    expect(nodeOf({ spec: {} })).toBe('');
  });
});

describe('the seconds until a container was ready', () => {
  const one = observed(PASSED);
  const seconds = (isTrue: boolean, since: number, ready = true): number | undefined =>
    secondsUntilReady({ isTrue, since }, { ...one, ready }, 10_000);

  it('are rounded up, as instants are cut to seconds', () => {
    expect(seconds(true, 42_000)).toBe(33);
    expect(seconds(true, 42_001)).toBe(34);
    expect(seconds(true, 10_000)).toBe(1);
  });

  it('are unknown where the condition does not tell', () => {
    expect(seconds(false, 42_000)).toBeUndefined();
    expect(seconds(true, 42_000, false)).toBeUndefined();
    expect(seconds(true, 9999)).toBeUndefined();
    expect(secondsUntilReady(undefined, one, 10_000)).toBeUndefined();
  });

  it('replace those of a later event, and its error shrinks as much', () => {
    const start = (length: number): MeasuredStart => startOf(PASSED, one, PROBE, length, 2) as MeasuredStart;
    const told = (length: number, since = ms(42)): unknown => {
      const { sample } = better(start(length), one, { isTrue: true, since }, ms(10));
      return [sample.seconds, sample.within];
    };
    expect([told(35), told(40), told(60), told(34)]).toEqual([
      [33, 5],
      [33, 0],
      [33, 0],
      [33, 6],
    ]);
    expect([told(33), told(20)]).toEqual([
      [33, 7],
      [20, 7],
    ]);
    const same = start(40);
    expect(better(same, one, undefined, ms(10))).toBe(same);
    const first = start(33);
    expect(better(first, one, { isTrue: true, since: ms(42) }, ms(10))).toBe(first);
    expect(better(same, one, { isTrue: true, since: ms(42) }, ms(10))).toMatchObject({
      container: 'app',
      image: 'r/app:1',
    });
  });

  it('may count the readiness probe behind a startup probe', () => {
    const later = (container: JsonObject): boolean => {
      const live = observed(podSaid([container], [RUNNING]));
      return hasLaterProbe(live, startProbeOf(live) as StartProbe);
    };
    expect([later(startup), later(readiness), later(both)]).toEqual([false, false, true]);
  });
});

describe('the containers of a Pod that are observed', () => {
  const names = (spec: JsonObject): string[] | undefined => observedContainers({ spec })?.map(({ name }) => name);

  it('are those that may have probes', () =>
    expect(
      names({
        containers: [{ name: 'a' }, { name: '' }, {}, { name: 'istio-proxy' }],
        initContainers: [{ name: 'b' }, { name: 'c', restartPolicy: 'Always' }],
        ephemeralContainers: [{ name: 'd' }],
      }),
    ).toEqual(['a', 'c']));

  it('are none of a Pod that runs to completion, has too many, or has no spec', () => {
    const many = (length: number): JsonObject => ({
      containers: Array.from({ length }, (_, index) => ({ name: `c${index}` })),
    });
    expect(names(many(100))).toHaveLength(100);
    expect(names(many(101))).toBeUndefined();
    expect(names({ containers: [{ name: 'a' }], restartPolicy: 'OnFailure' })).toBeUndefined();
    expect(observedContainers({})).toBeUndefined();
  });

  it('run only with an identity', () => {
    expect(observed(PASSED).running).toEqual({ containerID: 'containerd://c1', startedAt: ms(10) });
    expect(observed(podSaid([startup], [{ startedAt: 10 }])).running).toBeUndefined();
    expect(observed(podSaid([startup], [{ id: 'c1' }])).running).toBeUndefined();
  });

  it('are ready by the condition that waits for no readiness gate', () => {
    expect(containersReady(PASSED)).toEqual({ isTrue: true, since: ms(42) });
    expect(containersReady(podSaid([startup], [RUNNING]))).toBeUndefined();
  });
});
