import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import {
  faultSpan,
  guaranteedStartSeconds,
  longestStartSeconds,
  neverHealthySpan,
  probeTiming,
} from '../../src/engine/time/timing.ts';
import { podOf, seededRandom } from './pods.ts';
import { simulatePod } from './simulated-pod.ts';
import { runs } from '../support/runs.ts';
import type { PodHistory, StatusWrite } from './status-history.ts';
import type { ContainerTruth, PodTruth, StartTruth } from './truth.ts';

const createdAt = Date.parse('2026-11-20T10:00:00.400Z');
/** From the start of a container until the kubelet knows that it runs: the longest delay of the simulation. */
const relist = 1.05;
/** Slack for what one probe takes that is answered at once. */
const slack = 0.02;

const httpGet = { path: '/healthz', port: 8080 };

function simulate(
  container: JsonObject,
  truth: Partial<PodTruth> & { starts?: readonly StartTruth[] } = {},
  seed = 1,
): PodHistory {
  const { starts = [{}], ...rest } = truth;
  const app: ContainerTruth = { starts };
  const pod = podOf([{ name: 'app', ...container }]);
  return simulatePod({ pod, createdAt, until: 300, containers: { app }, ...rest }, seededRandom(seed));
}

function statusOf(write: StatusWrite | undefined, name = 'app'): JsonObject {
  const lists = ['containerStatuses', 'initContainerStatuses'].flatMap(
    (list) => (write?.status[list] ?? []) as JsonObject[],
  );
  return lists.find((one) => one['name'] === name) ?? {};
}

function condition(write: StatusWrite | undefined, type: string): JsonObject {
  return ((write?.status['conditions'] ?? []) as JsonObject[]).find((one) => one['type'] === type) ?? {};
}

function firstWrite(history: PodHistory, matches: (write: StatusWrite) => boolean): StatusWrite | undefined {
  return history.writes.find(matches);
}

const timing = fc.record({
  initialDelaySeconds: fc.integer({ min: 0, max: 12 }),
  periodSeconds: fc.integer({ min: 1, max: 8 }),
  timeoutSeconds: fc.integer({ min: 1, max: 10 }),
  failureThreshold: fc.integer({ min: 1, max: 5 }),
});

describe('the timing of the simulated kubelet', () => {
  it.each(['startupProbe', 'livenessProbe'])(
    'gives up on a container that never answers within the formulas (%s)',
    (field) =>
      fc.assert(
        fc.property(timing, fc.boolean(), fc.integer(), (numbers, hangs, seed) => {
          const before = hangs ? ({ kind: 'hang' } as const) : ({ kind: 'refused' } as const);
          const probe = { httpGet, ...numbers };
          const { starts } = simulate(
            { [field]: probe },
            { starts: [{ answersFrom: Infinity, before, stopSeconds: 0 }] },
            seed,
          );
          const ended = ((starts[0]?.endedAt ?? NaN) - (starts[0]?.startedAt ?? 0)) / 1000;
          const tau = hangs ? numbers.timeoutSeconds : 0;
          const { earliest, latest } = neverHealthySpan(probeTiming(probe), tau);
          expect(starts[0]?.endedBy).toBe(field === 'startupProbe' ? 'startup' : 'liveness');
          expect(ended).toBeGreaterThanOrEqual(earliest);
          expect(ended).toBeLessThanOrEqual(latest + relist + numbers.failureThreshold * slack + 1);
        }),
        { numRuns: runs(200) },
      ),
  );

  it('never kills a start within the guaranteed budget, and always one beyond the longest', () =>
    fc.assert(
      fc.property(timing, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer(), (numbers, part, seed) => {
        const probe = { httpGet, ...numbers };
        const short = simulate(
          { startupProbe: probe },
          { starts: [{ answersFrom: guaranteedStartSeconds(probeTiming(probe)) * part }] },
          seed,
        );
        expect(short.starts.map(({ endedBy }) => endedBy)).toStrictEqual([undefined]);
        const beyond = longestStartSeconds(probeTiming(probe)) + relist + 1 + part * 20;
        const long = simulate({ startupProbe: probe }, { starts: [{ answersFrom: beyond }], until: 120 }, seed);
        expect(long.starts[0]?.endedBy).toBe('startup');
      }),
      { numRuns: runs(200) },
    ));

  it('finds a deadlock within the formulas', () =>
    fc.assert(
      fc.property(timing, fc.integer({ min: 60, max: 90 }), fc.integer(), (numbers, from, seed) => {
        const probe = { httpGet, ...numbers };
        const faults = [{ from, until: Infinity, answer: { kind: 'hang' } as const }];
        const { starts } = simulate({ livenessProbe: probe }, { starts: [{ faults, stopSeconds: 0 }] }, seed);
        const after = ((starts[0]?.endedAt ?? NaN) - (starts[0]?.startedAt ?? 0)) / 1000 - from;
        const { earliest, latest } = faultSpan(probeTiming(probe), numbers.timeoutSeconds);
        expect(after).toBeGreaterThanOrEqual(earliest - slack);
        expect(after).toBeLessThanOrEqual(latest + numbers.failureThreshold * slack);
      }),
      { numRuns: runs(200) },
    ));

  it('asks for readiness at once when the startup probe has passed, whatever the period', () => {
    const probes = {
      startupProbe: { httpGet, periodSeconds: 1, failureThreshold: 60 },
      readinessProbe: { httpGet, periodSeconds: 30 },
    };
    const { starts } = simulate(probes, { starts: [{ answersFrom: 10 }] });
    expect((starts[0]?.readyAt ?? NaN) - (starts[0]?.passedAt ?? 0)).toBeLessThan(30);
  });

  it('keeps the run of failures over a crash: one failure more kills the next start', () => {
    const livenessProbe = { httpGet, periodSeconds: 10, failureThreshold: 3 };
    const faults = [{ from: 0, until: Infinity, answer: { kind: 'status', status: 500 } as const }];
    const starts = [
      { faults, endsAt: 19.5, reason: 'Error' as const },
      { faults, stopSeconds: 0 },
    ];
    const history = simulate({ livenessProbe }, { starts });
    const [first, second] = history.starts;
    expect([first?.endedBy, second?.endedBy]).toStrictEqual(['itself', 'liveness']);
    expect(((second?.endedAt ?? NaN) - (second?.startedAt ?? 0)) / 1000).toBeLessThanOrEqual(10 + relist + slack);
  });
});

describe('the statuses of the simulated kubelet', () => {
  it('cuts startedAt and the time of conditions to whole seconds of the clock of the node', () =>
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 5 }), fc.integer(), (nodeClockAhead, seed) => {
        const history = simulate(
          { readinessProbe: { httpGet, periodSeconds: 3 } },
          { nodeClockAhead, starts: [{ answersFrom: 20.3 }] },
          seed,
        );
        const ready = firstWrite(history, (write) => statusOf(write)['ready'] === true);
        const [start] = history.starts;
        const floor = (at: number | undefined): number => Math.floor(((at ?? 0) + nodeClockAhead * 1000) / 1000) * 1000;
        const running = objectMember(objectMember(statusOf(ready), 'state') ?? {}, 'running');
        expect(Date.parse(String(running?.['startedAt']))).toBe(floor(start?.startedAt));
        for (const type of ['ContainersReady', 'Ready'])
          expect(Date.parse(String(condition(ready, type)['lastTransitionTime']))).toBe(floor(start?.readyAt));
        expect((start?.readyAt ?? 0) - (start?.startedAt ?? 0)).toBeGreaterThanOrEqual(20_300);
      }),
      { numRuns: runs(50) },
    ));

  it('writes the newest status only: states that pass during a write are never seen', () => {
    const probes = {
      startupProbe: { httpGet, periodSeconds: 1, failureThreshold: 60 },
      readinessProbe: { httpGet, periodSeconds: 1 },
    };
    const slow = simulate(probes, { writeSeconds: 6, starts: [{ answersFrom: 2 }] });
    const fast = simulate(probes, { writeSeconds: 0.001, starts: [{ answersFrom: 2, readyFrom: 4 }] });
    const states = ({ writes }: PodHistory): string[] =>
      writes.map((write) => `${String(statusOf(write)['started'])}/${String(statusOf(write)['ready'])}`);
    expect(states(slow)).not.toContain('true/false');
    expect(states(fast)).toContain('true/false');
  });

  it('starts what follows a sidecar only when the sidecar is started', () => {
    const sidecar = {
      name: 'proxy',
      restartPolicy: 'Always',
      startupProbe: { httpGet, periodSeconds: 1, failureThreshold: 60 },
    };
    const pod = podOf([{ name: 'app' }], { initContainers: [{ name: 'migrate' }, sidecar] });
    const containers = { proxy: { starts: [{ answersFrom: 7 }] }, migrate: { starts: [{}], runsSeconds: 3 } };
    const { starts, writes } = simulatePod({ pod, createdAt, until: 60, containers }, seededRandom(3));
    const [migrate, proxy, app] = starts;
    expect(starts.map(({ container }) => container)).toStrictEqual(['migrate', 'proxy', 'app']);
    expect((proxy?.startedAt ?? 0) - (migrate?.startedAt ?? 0)).toBeGreaterThan(3000);
    expect(app?.startedAt ?? 0).toBeGreaterThanOrEqual(proxy?.passedAt ?? Infinity);
    expect(condition(writes.at(-1), 'Ready')['status']).toBe('True');
  });

  it('holds Ready back for a readiness gate, and ContainersReady not', () => {
    const pod = podOf([{ name: 'app' }], { readinessGates: [{ conditionType: 'example.com/lb' }] });
    const { writes } = simulatePod({ pod, createdAt, until: 60, gates: { 'example.com/lb': 20 } }, seededRandom(4));
    const at = (type: string): number => writes.find((write) => condition(write, type)['status'] === 'True')?.at ?? 0;
    expect(at('Ready') - at('ContainersReady')).toBeGreaterThan(15_000);
  });

  it.each([
    { keepsReady: true, flips: [] },
    { keepsReady: false, flips: ['False', 'True'] },
  ])('after a restart of the kubelet, Ready flips unless it is kept (%o)', ({ keepsReady, flips }) => {
    const history = simulate({ readinessProbe: { httpGet } }, { kubeletRestarts: [{ at: 60, keepsReady }] });
    const after = history.writes
      .filter(({ at }) => at > createdAt + 59_000)
      .map((write) => condition(write, 'Ready')['status']);
    expect(after).toStrictEqual(flips);
  });

  it('restarts all containers in place with new container ids', () => {
    const history = simulate({}, { restartsAllAt: [50] });
    expect(history.starts.map(({ containerID, endedBy }) => ({ containerID, endedBy }))).toStrictEqual([
      { containerID: 'containerd://app-0', endedBy: 'restart of all' },
      { containerID: 'containerd://app-1', endedBy: undefined },
    ]);
  });
});

describe('the events of the simulated kubelet', () => {
  it('counts equal events, and drops events after a burst of 25', () => {
    const history = simulate(
      { readinessProbe: { httpGet, periodSeconds: 1 } },
      { starts: [{ answersFrom: Infinity }], until: 200 },
    );
    const unhealthy = history.events.filter(({ event }) => event['reason'] === 'Unhealthy');
    expect(unhealthy.map(({ verb }) => verb).slice(0, 3)).toStrictEqual(['create', 'update', 'update']);
    expect(unhealthy.length).toBeLessThanOrEqual(25);
    expect(history.droppedEvents).toBeGreaterThan(100);
  });

  it('is the same for the same seed', () => {
    const pod = podOf([{ name: 'app', readinessProbe: { httpGet } }]);
    const once = simulate({}, { pod, starts: [{ answersFrom: 9, endsAt: 80 }] }, 7);
    const twice = simulate({}, { pod, starts: [{ answersFrom: 9, endsAt: 80 }] }, 7);
    expect(twice.writes).toStrictEqual(once.writes);
  });

  it('may come after the status that it explains', () => {
    const history = simulate(
      { livenessProbe: liveness },
      { starts: [{ answersFrom: Infinity }, {}], until: 60, eventLagSeconds: 9 },
    );
    const killing = history.events.find(({ event }) => event['reason'] === 'Killing');
    const restarted = history.writes.find(({ status }) =>
      (status['containerStatuses'] as readonly JsonObject[] | undefined)?.some((one) => one['restartCount'] === 1),
    );
    expect(killing?.at).toBeGreaterThan(restarted?.at ?? Infinity);
    const times = history.events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });
});

const liveness = { httpGet, periodSeconds: 1, failureThreshold: 2 };

/** Seconds from each end to the next start, without the second until the kubelet finds the end. */
function waits({ starts }: PodHistory): number[] {
  return starts.slice(1).map((start, index) => {
    const gap = (start.startedAt - (starts[index]?.endedAt ?? NaN)) / 1000;
    return gap < 2 ? 0 : Math.floor(gap);
  });
}

describe('the back-off', () =>
  it('after kills begins later than after crashes, and leaves out every restart after 300 s', () => {
    const fails = (from: number): StartTruth => ({
      faults: [{ from, until: Infinity, answer: { kind: 'status', status: 503 } }],
      stopSeconds: 0,
    });
    const short = waits(simulate({ livenessProbe: liveness }, { starts: [fails(13)], until: 1500 }));
    expect(short.slice(0, 9)).toEqual([0, 0, 0, 20, 40, 80, 160, 300, 0]);
    const long = waits(simulate({ livenessProbe: liveness }, { starts: [fails(46)], until: 1500 }));
    expect(long.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 80]);
    expect(waits(simulate({}, { starts: [{ endsAt: 1 }], until: 1500 })).slice(0, 7)).toEqual([
      0, 10, 20, 40, 80, 160, 300,
    ]);
  }));

describe('a preStop hook', () => {
  const kill = (preStopSeconds: number, stopSeconds: number): { hook: string[]; code: unknown; seconds: number } => {
    const lifecycle = { preStop: { exec: { command: ['/drain'] } } };
    const livenessProbe = { ...liveness, terminationGracePeriodSeconds: 6 };
    const starts = [{ answersFrom: Infinity, preStopSeconds, stopSeconds }, {}];
    const { events, starts: runs, writes } = simulate({ lifecycle, livenessProbe }, { starts, until: 60 });
    const killing = events.find(({ event }) => event['reason'] === 'Killing')?.at ?? NaN;
    const [status] = writes.at(-1)?.status['containerStatuses'] as readonly JsonObject[];
    const last = ((status?.['lastState'] as JsonObject)['terminated'] as JsonObject)['exitCode'];
    return {
      hook: events.flatMap(({ event }) => (event['reason'] === 'FailedPreStopHook' ? [String(event['message'])] : [])),
      code: last,
      seconds: Math.round(((runs[0]?.endedAt ?? NaN) - killing) / 1000),
    };
  };

  it('runs before SIGTERM, in the grace period, of which 2 s are left at the least', () => {
    expect(kill(4, 1)).toEqual({ hook: [], code: 143, seconds: 5 });
    expect(kill(4, 60)).toEqual({ hook: [], code: 137, seconds: 6 });
    expect(kill(60, 60)).toEqual({ hook: ['PreStopHook failed'], code: 137, seconds: 8 });
  });
});

describe('a probe while a container stops', () => {
  const readinessProbe = { httpGet, periodSeconds: 1 };
  const dies: StartTruth = {
    faults: [{ from: 20, until: Infinity, answer: { kind: 'status', status: 503 }, probes: ['liveness'] }],
    stopSeconds: 4,
  };

  it.each([
    ['refused', 'dial tcp 10.244.1.7:8080: connect: connection refused'],
    ['closed', 'EOF'],
    ['reset', 'read tcp 10.244.1.1:40000->10.244.1.7:8080: read: connection reset by peer'],
  ] as const)('gets no answer: %s', (kind, text) => {
    const starts = [{ ...dies, whileStopping: { kind } }, {}];
    const { events } = simulate({ livenessProbe: liveness, readinessProbe }, { starts, until: 60 });
    const killing = events.findIndex(({ event }) => event['reason'] === 'Killing');
    expect(events.slice(killing + 1).map(({ event }) => event['message'])).toContain(
      `Readiness probe failed: Get "http://10.244.1.7:8080/healthz": ${text}`,
    );
  });

  it('finds a container that has ended, until the kubelet knows of the end', () => {
    const texts = Array.from({ length: 30 }, (_, seed) => {
      const command = ['/ready'];
      const pod = podOf([{ name: 'app', readinessProbe: { exec: { command }, periodSeconds: 1 } }]);
      const containers = { app: { starts: [{ endsAt: 10.3 }, {}] } };
      return simulatePod({ pod, createdAt, until: 30, containers }, seededRandom(seed)).events.map(({ event }) =>
        String(event['message']),
      );
    }).flat();
    expect(new Set(texts)).toContain(
      'Readiness probe errored and resulted in unknown state: rpc error: code = Unknown desc = container is in CONTAINER_EXITED state',
    );
  });
});
