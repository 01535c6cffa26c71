import { describe, expect, it } from 'vitest';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { at, ms, podSaid, uidsOf, type Said } from './pod-events.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { KilledStart, MeasuredStart } from '../../../src/observer/starts/measured-start.ts';

const httpGet = { path: '/healthz', port: 8080 };
const STARTUP = { name: 'app', image: 'r/app:1', startupProbe: { httpGet, periodSeconds: 5, failureThreshold: 5 } };
const READINESS = { name: 'app', image: 'r/app:1', readinessProbe: { httpGet, periodSeconds: 5 } };
const NEITHER = { name: 'app', image: 'r/app:1', livenessProbe: { httpGet } };

type Event = readonly [second: number, pod: JsonObject];

function after(
  events: readonly Event[],
  before?: (inference: StartInference, second: number) => void,
): { measured: MeasuredStart[]; killed: KilledStart[]; size: number } {
  const measured: MeasuredStart[] = [];
  const killed: KilledStart[] = [];
  const inference = new StartInference({ measured: (one) => measured.push(one), killed: (one) => killed.push(one) });
  for (const [second, pod] of events) {
    before?.(inference, second);
    inference.seen(pod, ms(second));
  }
  inference.reportDue(Infinity);
  return { measured, killed, size: inference.size };
}

const seconds = (events: readonly Event[]): number[] => after(events).measured.map(({ sample }) => sample.seconds);

/** The events of one start: waiting, running, and what ends it. */
function story(
  spec: JsonObject,
  end: Said,
  since: number,
  others: { readonly specs?: JsonObject[]; readonly said?: Said[] } = {},
): Event[] {
  const { specs = [], said = [] } = others;
  const running = { id: 'c1', startedAt: 10 };
  return [
    [0.2, podSaid([spec, ...specs], [{}, ...said], { isTrue: false, since: 1 })],
    [11.2, podSaid([spec, ...specs], [running, ...said], { isTrue: false, since: 1 })],
    [since + 0.3, podSaid([spec, ...specs], [{ ...running, ...end }, ...said], { isTrue: true, since })],
  ];
}

describe('a start with a startup probe', () => {
  it('is measured up to the condition ContainersReady', () => {
    expect(after(story(STARTUP, { started: true, ready: true }, 42))).toEqual({
      measured: [
        {
          namespace: 'apps',
          workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          container: 'app',
          image: 'r/app:1',
          sample: {
            seconds: 33,
            within: 7,
            basis: 'startup',
            restart: false,
            node: 'ecc2207879c3',
            at: at(10),
            id: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
          },
        },
      ],
      killed: [],
      size: 0,
    });
  });

  it('is measured up to the event, where the Pod is not ready yet', () => {
    const events = story(STARTUP, { started: true }, 42);
    const last = podSaid([STARTUP], [{ id: 'c1', startedAt: 10, started: true }], { isTrue: false, since: 1 });
    expect(after([...events.slice(0, 2), [42.3, last]]).measured.map(({ sample }) => sample)).toMatchObject([
      { seconds: 35, within: 11 },
    ]);
  });

  it('is measured up to the condition that the next event brings', () => {
    const said = { id: 'c1', startedAt: 10, started: true };
    const [waiting, running] = story(STARTUP, {}, 42);
    const events: Event[] = [
      waiting as Event,
      running as Event,
      [42.3, podSaid([STARTUP], [said], { isTrue: false, since: 1 })],
      [42.4, podSaid([STARTUP], [{ ...said, ready: true }], { isTrue: true, since: 42 })],
    ];
    expect(after(events).measured.map(({ sample }) => sample)).toMatchObject([{ seconds: 33, within: 9 }]);
  });

  it('does not wait for readiness gates', () => {
    // The condition Ready of these Pods is False throughout.
    expect(seconds(story(STARTUP, { started: true, ready: true }, 42))).toEqual([33]);
  });

  it('is independent of the clock of the node', () => {
    const late = story(STARTUP, { started: true, ready: true }, 42).map(([second, pod]): Event => [second + 3600, pod]);
    expect(seconds(late)).toEqual([33]);
  });
});

describe('a start without a startup probe', () => {
  it('is measured up to readiness', () => {
    expect(after(story(READINESS, { started: true, ready: true }, 42)).measured).toMatchObject([
      { sample: { seconds: 33, basis: 'readiness' } },
    ]);
  });

  it('teaches nothing without a readiness probe: the container is ready at once', () => {
    expect(after(story(NEITHER, { started: true, ready: true }, 10))).toEqual({ measured: [], killed: [], size: 0 });
  });

  it('is measured once: later changes of readiness count for nothing', () => {
    const said = { id: 'c1', startedAt: 10, started: true };
    const events: Event[] = [
      ...story(READINESS, { started: true, ready: true }, 42),
      [90, podSaid([READINESS], [said], { isTrue: false, since: 90 })],
      [120, podSaid([READINESS], [{ ...said, ready: true }], { isTrue: true, since: 120 })],
    ];
    expect(after(events)).toMatchObject({ measured: [{ sample: { seconds: 33 } }], size: 0 });
  });
});

describe('several containers', () => {
  it('give the instant of the condition to the last one that becomes ready', () => {
    const other = { ...READINESS, name: 'other' };
    const specs = [STARTUP, other];
    const app = { id: 'c1', startedAt: 10 };
    const second = { name: 'other', id: 'c2', startedAt: 12 };
    const notReady = { isTrue: false, since: 1 };
    const events: Event[] = [
      [0.2, podSaid(specs, [{}, { name: 'other' }], notReady)],
      [11.2, podSaid(specs, [app, { name: 'other' }], notReady)],
      [13, podSaid(specs, [app, second], notReady)],
      [30, podSaid(specs, [{ ...app, started: true, ready: true }, second], notReady)],
      [
        61,
        podSaid(
          specs,
          [
            { ...app, started: true, ready: true },
            { ...second, started: true, ready: true },
          ],
          { isTrue: true, since: 60 },
        ),
      ],
    ];
    expect(after(events).measured.map(({ container, sample }) => [container, sample.seconds])).toEqual([
      ['app', 22],
      ['other', 49],
    ]);
  });

  it('include native sidecars, and leave out init containers and mesh proxies', () => {
    const pod = (said: Said[], init: Said[], isTrue: boolean): JsonObject => {
      const made = podSaid(
        [
          { name: 'app', image: 'a' },
          { ...READINESS, name: 'istio-proxy' },
        ],
        said,
        { isTrue, since: isTrue ? 42 : 1 },
      );
      const [sidecar, setup] = podSaid([], init)['status']
        ? ((podSaid([], init)['status'] as JsonObject)['containerStatuses'] as JsonObject[])
        : [];
      return {
        ...made,
        spec: {
          ...(made['spec'] as JsonObject),
          initContainers: [
            { ...READINESS, name: 'sidecar', restartPolicy: 'Always' },
            { ...READINESS, name: 'setup' },
          ],
        },
        status: { ...(made['status'] as JsonObject), initContainerStatuses: [sidecar, setup] },
      };
    };
    const sidecar = { name: 'sidecar', id: 's', startedAt: 10 };
    const ready = { started: true, ready: true };
    const all = [
      { id: 'c1', startedAt: 11, ...ready },
      { name: 'istio-proxy', id: 'i', startedAt: 11, ...ready },
    ];
    const { measured } = after([
      [0.2, pod([{}, { name: 'istio-proxy' }], [{ name: 'sidecar' }, { name: 'setup' }], false)],
      [11, pod(all, [sidecar, { name: 'setup', id: 'x', startedAt: 9 }], false)],
      [
        42.2,
        pod(
          all,
          [
            { ...sidecar, ...ready },
            { name: 'setup', id: 'x', startedAt: 9 },
          ],
          true,
        ),
      ],
    ]);
    expect(measured.map(({ container, sample }) => [container, sample.seconds])).toEqual([['sidecar', 33]]);
  });
});

describe('a container that is killed while it starts', () => {
  const ended = { id: 'c1', from: 10, until: 31 };
  const killedStory = (spec: JsonObject, end: NonNullable<Said['ended']> = ended): Event[] => [
    ...story(spec, {}, 42).slice(0, 2),
    [
      32,
      podSaid([spec], [{ id: 'c2', startedAt: 31, restarts: 1, ended: end }], {
        isTrue: false,
        since: 1,
      }),
    ],
  ];

  it('gives the time that its startup probe grants as a bound', () => {
    expect(after(killedStory(STARTUP)).killed).toMatchObject([
      { namespace: 'apps', workload: { kind: 'Deployment', name: 'web' }, container: 'app', boundSeconds: 20 },
    ]);
  });

  it('gives the time that its liveness probe grants, without a startup probe', () => {
    const spec = { ...READINESS, livenessProbe: { httpGet, periodSeconds: 10 } };
    expect(after(killedStory(spec)).killed).toMatchObject([{ boundSeconds: 20 }]);
  });

  it('gives nothing when it ran out of memory, ended earlier, or lived longer than its probe allows', () => {
    for (const end of [
      { ...ended, reason: 'OOMKilled' },
      { ...ended, until: 28 },
      { ...ended, until: 99 },
    ])
      expect(after(killedStory(STARTUP, end)).killed).toEqual([]);
  });

  it('gives nothing when failures of a run that crashed may have counted', () => {
    const spec = { ...READINESS, livenessProbe: { httpGet, periodSeconds: 3, failureThreshold: 3 } };
    const notReady = { isTrue: false, since: 1 };
    const second = { id: 'c2', startedAt: 16, restarts: 1 };
    const crashed = { id: 'c1', from: 10, until: 14 };
    const killed = { id: 'c2', from: 16, until: 23 };
    const events = (first: NonNullable<Said['ended']>): Event[] => [
      ...story(spec, {}, 42).slice(0, 2),
      [17, podSaid([spec], [{ ...second, ended: first }], notReady)],
      [24, podSaid([spec], [{ id: 'c3', startedAt: 23, restarts: 2, ended: killed }], notReady)],
    ];
    expect(after(events(crashed)).killed).toEqual([]);
    expect(after(events({ ...crashed, until: 16 })).killed).toMatchObject([{ boundSeconds: 6 }, { boundSeconds: 6 }]);
  });

  it('gives nothing when its Pod is deleted, or when all containers are restarted', () => {
    const [waiting, running, end] = killedStory(STARTUP) as [Event, Event, Event];
    const deleted = podSaid([STARTUP], [{ id: 'c2', startedAt: 31, ended }], undefined, { deletionTimestamp: at(30) });
    expect(after([waiting, running, [32, deleted]])).toEqual({ measured: [], killed: [], size: 0 });
    const condition = { type: 'AllContainersRestarting', status: 'True', lastTransitionTime: at(31) };
    const all = { ...end[1], status: { ...(end[1]['status'] as JsonObject), conditions: [condition] } };
    expect(after([waiting, running, [32, all]]).killed).toEqual([]);
  });

  it('is followed by a restart, which is measured as such', () => {
    const last = podSaid([STARTUP], [{ id: 'c2', startedAt: 31, restarts: 1, started: true, ready: true, ended }], {
      isTrue: true,
      since: 50,
    });
    const { measured, killed } = after([...killedStory(STARTUP), [50.2, last]]);
    expect(killed).toHaveLength(1);
    expect(measured).toMatchObject([{ sample: { seconds: 20, restart: true } }]);
  });
});

describe('a start of which a part was not seen', () => {
  const [waiting, running, passed] = story(STARTUP, { started: true, ready: true }, 42) as [Event, Event, Event];

  it('gives no sample when the container was seen only after its start', () => {
    expect(after([passed])).toEqual({ measured: [], killed: [], size: 0 });
  });

  it('gives no sample when the kubelet was restarted: the probes begin again', () => {
    const again = podSaid([STARTUP], [{ id: 'c1', startedAt: 10 }], { isTrue: false, since: 300 });
    const up = podSaid([STARTUP], [{ id: 'c1', startedAt: 10, started: true, ready: true }], {
      isTrue: true,
      since: 310,
    });
    expect(seconds([waiting, running, passed, [300, again], [310, up]])).toEqual([33]);
  });

  it('gives a sample when the states in between were skipped, and the condition tells the instant', () => {
    expect(seconds([waiting, passed])).toEqual([33]);
  });

  it('gives no sample when the container ran for longer than a minute before anybody saw it run', () => {
    const [, , late] = story(STARTUP, { started: true, ready: true }, 75) as [Event, Event, Event];
    expect(seconds([waiting, late])).toEqual([]);
    expect(seconds([waiting, running, late])).toEqual([66]);
  });

  it('gives no sample when the container was ready meanwhile, and lost it', () => {
    const lost = podSaid([STARTUP], [{ id: 'c1', startedAt: 10 }], { isTrue: false, since: 25 });
    expect(after([waiting, running, [26, lost], passed])).toEqual({ measured: [], killed: [], size: 0 });
  });

  it('states a larger error when readiness came with the startup probe, maybe long after it', () => {
    const both = { ...STARTUP, ...READINESS };
    const [first, second, last] = story(both, { started: true, ready: true }, 42) as [Event, Event, Event];
    const within = (events: readonly Event[]): unknown[] =>
      after(events).measured.map(({ sample }) => [sample.seconds, sample.within]);
    expect(within([first, second, last])).toEqual([[33, 33]]);
    expect(within([first, last])).toEqual([[33, 33]]);
    const still = podSaid([both], [{ id: 'c1', startedAt: 10 }], { isTrue: false, since: 1 });
    expect(within([first, second, [40, still], last])).toEqual([[33, 16]]);
  });

  it('is not measured too short when the start before ended in the same event, or in the same list', () => {
    const passedOnce = podSaid([STARTUP], [{ id: 'c1', startedAt: 10, started: true }], { isTrue: false, since: 1 });
    const again = { id: 'c2', startedAt: 20, restarts: 1, ended: { id: 'c1', from: 10, until: 19 } };
    const next = podSaid([STARTUP], [again], { isTrue: false, since: 1 });
    const more = podSaid([STARTUP], [again, { name: 'other' }], { isTrue: false, since: 1 });
    const last = podSaid([STARTUP], [{ ...again, started: true }], { isTrue: false, since: 1 });
    const events: Event[] = [waiting, running, [18, passedOnce], [20.5, next], [40, more], [50, last]];
    const first = expect.objectContaining({ seconds: 10, restart: false }) as unknown;
    expect(after(events).measured.map(({ sample }) => sample)).toEqual([
      first,
      expect.objectContaining({ seconds: 33, restart: true }),
    ]);
    const list = (inference: StartInference, second: number): void => {
      if (second === 20.5) inference.listing();
      if (second === 40) inference.listed(uidsOf(more));
    };
    expect(after(events, list).measured.map(({ sample }) => sample)).toEqual([first]);
  });

  it('gives a sample in the middle of which this process began, if the Pod was never ready before', () => {
    const list = (inference: StartInference, second: number): void => {
      if (second === 30) inference.listing();
      if (second === 42.3) inference.listed(uidsOf(passed[1]));
    };
    const { measured } = after([[30, running[1]], passed], list);
    expect(measured).toMatchObject([{ sample: { seconds: 33 } }]);
    const later = podSaid([STARTUP], [{ id: 'c1', startedAt: 10 }], { isTrue: false, since: 25 });
    expect(after([[30, later], passed], list).measured).toEqual([]);
  });

  it('gives no sample when it ended while the watch was broken', () => {
    const list = (inference: StartInference, second: number): void => {
      if (second === 42.3) inference.listing();
    };
    expect(after([waiting, running, passed], list)).toEqual({ measured: [], killed: [], size: 0 });
  });
});

describe('what is kept', () => {
  const [waiting, running, passed] = story(STARTUP, { started: true, ready: true }, 42) as [Event, Event, Event];

  it('is one record for each Pod that starts, and nothing of Pods that have started, are gone, or were not listed', () => {
    const inference = new StartInference({ measured: () => undefined, killed: () => undefined });
    inference.seen(waiting[1], ms(0));
    inference.seen(running[1], ms(11));
    expect(inference.size).toBe(1);
    inference.seen(passed[1], ms(42));
    expect(inference.size).toBe(0);
    inference.seen(waiting[1], ms(50));
    inference.gone(waiting[1]);
    expect(inference.size).toBe(0);
    inference.seen(waiting[1], ms(60));
    inference.listing();
    inference.listed(new Set());
    expect(inference.size).toBe(0);
  });

  it('is nothing of Pods whose containers run to completion', () => {
    const job = { ...waiting[1], spec: { ...(waiting[1]['spec'] as JsonObject), restartPolicy: 'OnFailure' } };
    expect(after([[0, job]]).size).toBe(0);
  });

  it('is bounded, and Pods of one namespace push out none of another', () => {
    const inference = new StartInference({ measured: () => undefined, killed: () => undefined });
    const condition = { isTrue: false, since: 1 };
    const pod = (namespace: string, uid: string): JsonObject => podSaid([STARTUP], [{}], condition, { namespace, uid });
    inference.seen(pod('apps', 'first'), ms(0));
    for (let index = 0; index < 50_100; index++) inference.seen(pod('tenant', `u-${index}`), ms(1));
    inference.seen(pod('late', 'last'), ms(2));
    expect(inference.size).toBe(50_000);
    inference.gone(pod('apps', 'first'));
    inference.gone(pod('late', 'last'));
    expect(inference.size).toBe(49_998);
  });

  it('survives Pods of any shape', () => {
    const inference = new StartInference({ measured: () => undefined, killed: () => undefined });
    const odd: unknown[] = [
      null,
      1,
      'x',
      [],
      {},
      [null],
      [{ name: 'app' }],
      { containers: [{ name: 'app', startupProbe: 1 }] },
    ];
    for (const metadata of odd)
      for (const spec of odd)
        for (const status of odd)
          expect(() => {
            const pod = {
              metadata: { uid: 'x', ...(metadata as object) },
              spec,
              status: { containerStatuses: status, conditions: status },
            };
            inference.seen(pod, 0);
            inference.gone(pod);
          }).not.toThrow();
  });
});
