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

const RUNNING = { id: 'c1', startedAt: 10 };
const READY = { started: true, ready: true };
const NEVER_READY = { isTrue: false, since: 1 };

/** What the status of a Pod with one container says at a second. */
function says(second: number, said: Said, ready = NEVER_READY, spec: JsonObject = STARTUP): Event {
  return [second, podSaid([spec], [said], ready)];
}

/** The events of one start: waiting, running, and what ends it. */
function story(spec: JsonObject, end: Said, since: number): [Event, Event, Event] {
  return [
    says(0.2, {}, NEVER_READY, spec),
    says(11.2, RUNNING, NEVER_READY, spec),
    says(since + 0.3, { ...RUNNING, ...end }, { isTrue: true, since }, spec),
  ];
}

describe('a start with a startup probe', () => {
  it('is measured up to the condition ContainersReady', () => {
    expect(after(story(STARTUP, READY, 42))).toEqual({
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
    const events = story(STARTUP, {}, 42).slice(0, 2);
    expect(
      after([...events, says(42.3, { ...RUNNING, started: true })]).measured.map(({ sample }) => sample),
    ).toMatchObject([{ seconds: 35, within: 11 }]);
  });

  it('is measured up to the condition that the next event brings', () => {
    const events = [
      ...story(STARTUP, {}, 42).slice(0, 2),
      says(42.3, { ...RUNNING, started: true }),
      says(42.4, { ...RUNNING, ...READY }, { isTrue: true, since: 42 }),
    ];
    expect(after(events).measured.map(({ sample }) => sample)).toMatchObject([{ seconds: 33, within: 9 }]);
  });

  it('does not wait for readiness gates', () => {
    // The condition Ready of these Pods is False throughout.
    expect(seconds(story(STARTUP, READY, 42))).toEqual([33]);
  });

  it('is independent of the clock of the node', () => {
    const late = story(STARTUP, READY, 42).map(([second, pod]): Event => [second + 3600, pod]);
    expect(seconds(late)).toEqual([33]);
  });
});

describe('a start without a startup probe', () => {
  it('is measured up to readiness', () => {
    expect(after(story(READINESS, READY, 42)).measured).toMatchObject([
      { sample: { seconds: 33, basis: 'readiness' } },
    ]);
  });

  it('teaches nothing without a readiness probe: the container is ready at once', () => {
    expect(after(story(NEITHER, READY, 10))).toEqual({ measured: [], killed: [], size: 0 });
  });

  it('is measured once: later changes of readiness count for nothing', () => {
    const events = [
      ...story(READINESS, READY, 42),
      says(90, { ...RUNNING, started: true }, { isTrue: false, since: 90 }, READINESS),
      says(120, { ...RUNNING, ...READY }, { isTrue: true, since: 120 }, READINESS),
    ];
    expect(after(events)).toMatchObject({ measured: [{ sample: { seconds: 33 } }], size: 0 });
  });
});

describe('several containers', () => {
  it('give the instant of the condition to the last one that becomes ready', () => {
    const other = { ...READINESS, name: 'other' };
    const specs = [STARTUP, other];
    const second = { name: 'other', id: 'c2', startedAt: 12 };
    const both = [RUNNING, second].map((one) => ({ ...one, ...READY }));
    const events: Event[] = [
      [0.2, podSaid(specs, [{}, { name: 'other' }], NEVER_READY)],
      [11.2, podSaid(specs, [RUNNING, { name: 'other' }], NEVER_READY)],
      [13, podSaid(specs, [RUNNING, second], NEVER_READY)],
      [30, podSaid(specs, [{ ...RUNNING, ...READY }, second], NEVER_READY)],
      [61, podSaid(specs, both, { isTrue: true, since: 60 })],
    ];
    expect(after(events).measured.map(({ container, sample }) => [container, sample.seconds])).toEqual([
      ['app', 22],
      ['other', 49],
    ]);
  });

  it('include native sidecars, and leave out init containers and mesh proxies', () => {
    const pod = (said: Said[], init: Said[], isTrue: boolean): JsonObject => {
      const containers = [{ name: 'app' }, { ...READINESS, name: 'istio-proxy' }];
      const made = podSaid(containers, said, { isTrue, since: isTrue ? 42 : 1 });
      const { containerStatuses } = podSaid([], init)['status'] as JsonObject;
      const initContainers = [
        { ...READINESS, name: 'sidecar', restartPolicy: 'Always' },
        { ...READINESS, name: 'setup' },
      ];
      return {
        ...made,
        spec: { ...(made['spec'] as JsonObject), initContainers },
        status: { ...(made['status'] as JsonObject), initContainerStatuses: containerStatuses },
      };
    };
    const sidecar = { name: 'sidecar', id: 's', startedAt: 10 };
    const setup = { name: 'setup', id: 'x', startedAt: 9 };
    const all = [
      { ...RUNNING, ...READY },
      { name: 'istio-proxy', id: 'i', startedAt: 11, ...READY },
    ];
    const { measured } = after([
      [0.2, pod([{}, { name: 'istio-proxy' }], [{ name: 'sidecar' }, { name: 'setup' }], false)],
      [11, pod(all, [sidecar, setup], false)],
      [42.2, pod(all, [{ ...sidecar, ...READY }, setup], true)],
    ]);
    expect(measured.map(({ container, sample }) => [container, sample.seconds])).toEqual([['sidecar', 33]]);
  });
});

describe('a container that is killed while it starts', () => {
  const ended = { id: 'c1', from: 10, until: 31 };
  const killedStory = (spec: JsonObject, end: NonNullable<Said['ended']> = ended): [Event, Event, Event] => {
    const [waiting, running] = story(spec, {}, 42);
    return [waiting, running, says(32, { id: 'c2', startedAt: 31, restarts: 1, ended: end }, NEVER_READY, spec)];
  };

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
    const second = { id: 'c2', startedAt: 16, restarts: 1 };
    const crashed = { id: 'c1', from: 10, until: 14 };
    const killed = { id: 'c2', from: 16, until: 23 };
    const events = (first: NonNullable<Said['ended']>): Event[] => [
      ...story(spec, {}, 42).slice(0, 2),
      says(17, { ...second, ended: first }, NEVER_READY, spec),
      says(24, { id: 'c3', startedAt: 23, restarts: 2, ended: killed }, NEVER_READY, spec),
    ];
    expect(after(events(crashed)).killed).toEqual([]);
    expect(after(events({ ...crashed, until: 16 })).killed).toMatchObject([{ boundSeconds: 6 }, { boundSeconds: 6 }]);
  });

  it('gives nothing when its Pod is deleted, or when all containers are restarted', () => {
    const [waiting, running, end] = killedStory(STARTUP);
    const deleted = podSaid([STARTUP], [{ id: 'c2', startedAt: 31, ended }], undefined, { deletionTimestamp: at(30) });
    expect(after([waiting, running, [32, deleted]])).toEqual({ measured: [], killed: [], size: 0 });
    const condition = { type: 'AllContainersRestarting', status: 'True', lastTransitionTime: at(31) };
    const all = { ...end[1], status: { ...(end[1]['status'] as JsonObject), conditions: [condition] } };
    expect(after([waiting, running, [32, all]]).killed).toEqual([]);
  });

  it('is followed by a restart, which is measured as such', () => {
    const second = { id: 'c2', startedAt: 31, restarts: 1, ...READY, ended };
    const { measured, killed } = after([...killedStory(STARTUP), says(50.2, second, { isTrue: true, since: 50 })]);
    expect(killed).toHaveLength(1);
    expect(measured).toMatchObject([{ sample: { seconds: 20, restart: true } }]);
  });
});

describe('a start of which a part was not seen', () => {
  const [waiting, running, passed] = story(STARTUP, READY, 42);

  it('gives no sample when the container was seen only after its start', () => {
    expect(after([passed])).toEqual({ measured: [], killed: [], size: 0 });
  });

  it('gives no sample when the kubelet was restarted: the probes begin again', () => {
    const again = says(300, RUNNING, { isTrue: false, since: 300 });
    const up = says(310, { ...RUNNING, ...READY }, { isTrue: true, since: 310 });
    expect(seconds([waiting, running, passed, again, up])).toEqual([33]);
  });

  it('gives a sample when the states in between were skipped, and the condition tells the instant', () => {
    expect(seconds([waiting, passed])).toEqual([33]);
  });

  it('gives no sample when the container ran for longer than a minute before anybody saw it run', () => {
    const [, , late] = story(STARTUP, READY, 75);
    expect(seconds([waiting, late])).toEqual([]);
    expect(seconds([waiting, running, late])).toEqual([66]);
  });

  it('gives no sample when the container was ready meanwhile, and lost it', () => {
    const lost = says(26, RUNNING, { isTrue: false, since: 25 });
    expect(after([waiting, running, lost, passed])).toEqual({ measured: [], killed: [], size: 0 });
  });

  it('states a larger error when readiness came with the startup probe, maybe long after it', () => {
    const both = { ...STARTUP, ...READINESS };
    const [first, second, last] = story(both, READY, 42);
    const within = (events: readonly Event[]): unknown[] =>
      after(events).measured.map(({ sample }) => [sample.seconds, sample.within]);
    expect(within([first, second, last])).toEqual([[33, 33]]);
    expect(within([first, last])).toEqual([[33, 33]]);
    expect(within([first, second, says(40, RUNNING, NEVER_READY, both), last])).toEqual([[33, 16]]);
  });

  it('is not measured too short when the start before ended in the same event, or in the same list', () => {
    const again = { id: 'c2', startedAt: 20, restarts: 1, ended: { id: 'c1', from: 10, until: 19 } };
    const more = podSaid([STARTUP], [again, { name: 'other' }], NEVER_READY);
    const last = says(50, { ...again, started: true });
    const passedOnce = says(18, { ...RUNNING, started: true });
    const events: Event[] = [waiting, running, passedOnce, says(20.5, again), [40, more], last];
    const first = expect.objectContaining({ seconds: 10, restart: false }) as unknown;
    const second = expect.objectContaining({ seconds: 33, restart: true }) as unknown;
    expect(after(events).measured.map(({ sample }) => sample)).toEqual([first, second]);
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
    const later = says(30, RUNNING, { isTrue: false, since: 25 });
    expect(after([later, passed], list).measured).toEqual([]);
  });

  it('gives no sample when it ended while the watch was broken', () => {
    const list = (inference: StartInference, second: number): void => {
      if (second === 42.3) inference.listing();
    };
    expect(after([waiting, running, passed], list)).toEqual({ measured: [], killed: [], size: 0 });
  });
});

describe('what is kept', () => {
  const [waiting, running, passed] = story(STARTUP, READY, 42);

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
    const containers = [{ name: 'app', startupProbe: 1 }];
    const odd: unknown[] = [null, 1, 'x', [], {}, [null], [{ name: 'app' }], { containers }];
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
