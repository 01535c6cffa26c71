import { describe, expect, it } from 'vitest';
import {
  comesFromEnd,
  lastKnownKill,
  probeKillOf,
  runsOf,
  timesBefore,
  timesIn,
  type ContainerRunTimes,
  type Runs,
} from '../../../src/observer/failing/container-runs.ts';
import type { ContainerHealth, PodHealth } from '../../../src/observer/failing/pod-health.ts';
import type { ProbeHint } from '../../../src/observer/failing/probe-events.ts';
import type { EndedRun } from '../../../src/observer/live-pod.ts';
import type { StartLimits } from '../../../src/observer/start-limits.ts';

/** All times are in milliseconds. The run that ended went from 700 s to 800 s, and the present run began at 810 s. */
const [FROM, UNTIL, PRESENT] = [700_000, 800_000, 810_000];
const LATER = 900_000;

const limits: StartLimits = {
  hasStartupProbe: false,
  firstStartupSeconds: 0,
  earliestKillSeconds: 20,
  longestStartSeconds: 40,
  killSeconds: 30,
  liveness: undefined,
};

const endedRun = (more: Partial<EndedRun> = {}): EndedRun => ({
  from: FROM,
  until: UNTIL,
  bySignal: true,
  isForced: false,
  outOfMemory: false,
  exitCode: 143,
  ...more,
});

const container = (more: Partial<ContainerHealth> = {}, own: Partial<StartLimits> = {}): ContainerHealth => ({
  name: 'app',
  started: true,
  ready: true,
  restarts: 1,
  waiting: undefined,
  isLast: false,
  runningSince: undefined,
  wasReady: false,
  ended: undefined,
  probes: {},
  limits: { ...limits, ...own },
  ...more,
});

const hint = (
  probe: ProbeHint['probe'],
  cause: ProbeHint['cause'],
  times: readonly number[],
  isVoid = false,
): ProbeHint => ({ namespace: 'apps', podUid: 'u', container: 'app', probe, cause, isVoid, times });

const killed = (probe: ProbeHint['probe'], ...times: number[]): ProbeHint => hint(probe, 'killed', times);
const fails = (...times: number[]): ProbeHint => hint('livenessProbe', 'http-5xx', times);

const run = (more: Partial<ContainerRunTimes> = {}): ContainerRunTimes => ({
  from: FROM,
  until: UNTIL,
  killedAt: undefined,
  killer: undefined,
  endsForMilliseconds: 0,
  ...more,
});

describe('the runs of a container', () => {
  it('are none for a container that never ran', () => {
    expect(runsOf(container(), [], LATER)).toStrictEqual({ kills: [], present: undefined, ended: undefined });
  });

  it('have all kills that events tell, the oldest first, each with the grace period and 2 s', () => {
    const hints = [killed('livenessProbe', 300_000, 100_000), killed('startupProbe', 200_000), fails(150_000)];
    expect(runsOf(container(), hints, LATER).kills).toStrictEqual([
      { at: 100_000, until: 132_000 },
      { at: 200_000, until: 232_000 },
      { at: 300_000, until: 332_000 },
    ]);
  });

  it.each<[string, number, number[], number | undefined]>([
    ['from its first kill on', PRESENT + 5, [PRESENT + 2, PRESENT + 1], PRESENT + 1],
    ['by no kill of the instant of its start', PRESENT + 5, [PRESENT], undefined],
    ['by a kill 10 s after the grace period', LATER, [LATER - 40_000], LATER - 40_000],
    ['by no older kill, which a restart of the kubelet ended', LATER, [LATER - 40_001], undefined],
    ['by the first kill that is not too old', LATER, [LATER - 40_001, LATER - 5], LATER - 5],
    ['by nothing without an event', LATER, [], undefined],
  ])('the present run is stopped %s', (_, now, times, killedAt) => {
    const { present, ended } = runsOf(container({ runningSince: PRESENT }), [killed('livenessProbe', ...times)], now);
    const killer = killedAt && 'livenessProbe';
    expect(present).toStrictEqual({ from: PRESENT, until: undefined, endsForMilliseconds: 0, killedAt, killer });
    expect(ended).toBeUndefined();
  });

  it.each<[string, ProbeHint[], StartLimits['hasStartupProbe'], string | undefined]>([
    ['failed in the second before', [fails(UNTIL - 1001), fails(UNTIL - 1000)], false, 'livenessProbe'],
    ['failed in the same instant', [fails(UNTIL)], false, 'livenessProbe'],
    ['failed more than a second before', [fails(UNTIL - 1001)], false, undefined],
    ['failed later', [fails(UNTIL + 1)], false, undefined],
    ['may have no result', [hint('livenessProbe', 'http-5xx', [UNTIL], true)], false, undefined],
    ['counts as passed', [hint('livenessProbe', 'redirect-other-host', [UNTIL])], false, undefined],
    ['stops no container', [hint('readinessProbe', 'http-5xx', [UNTIL])], false, undefined],
    ['the container does not have', [hint('startupProbe', 'http-5xx', [UNTIL])], false, undefined],
    ['failed first of two', [hint('startupProbe', 'timeout', [UNTIL]), fails(UNTIL)], true, 'startupProbe'],
    ['failed last of two', [fails(UNTIL - 1), hint('startupProbe', 'timeout', [UNTIL])], true, 'startupProbe'],
  ])('a kill whose event names no probe is by the probe that %s', (_, hints, hasStartupProbe, killer) => {
    const { ended } = runsOf(
      container({ ended: endedRun() }, { hasStartupProbe }),
      [killed(undefined, UNTIL), ...hints],
      LATER,
    );
    expect(ended).toStrictEqual(run({ killedAt: UNTIL, killer: killer as ContainerRunTimes['killer'] }));
  });

  it('the run that ended has the kill that an event tells of it, up to its last instant', () => {
    const { ended } = runsOf(container({ ended: endedRun() }), [killed('livenessProbe', FROM, FROM + 1, UNTIL)], LATER);
    expect(ended).toStrictEqual(run({ killedAt: FROM + 1, killer: 'livenessProbe' }));
    const killedBetween = runsOf(container({ ended: endedRun() }), [killed('livenessProbe', FROM, UNTIL + 1)], LATER);
    expect(killedBetween.ended?.killedAt).toBeUndefined();
  });
});

describe('a run whose end no event tells', () => {
  const endOf = (
    ended: Partial<EndedRun>,
    hints: readonly ProbeHint[],
    now = LATER,
    own: Partial<StartLimits> = {},
  ): ContainerRunTimes | undefined => runsOf(container({ ended: endedRun(ended) }, own), hints, now).ended;

  it('is by no probe when the container ended by itself, or had no memory left', () => {
    expect(endOf({ bySignal: false }, [fails(UNTIL)])).toStrictEqual(run());
    expect(endOf({ outOfMemory: true }, [fails(UNTIL)])).toStrictEqual(run());
  });

  it.each<[string, number, number[], number, string | undefined]>([
    ['by the probe that stopped the run before', FROM - 5, [], UNTIL + 9999, 'livenessProbe'],
    ['by the probe whose kill ended the run before in the same instant', FROM, [], UNTIL, 'livenessProbe'],
    ['by the probe of a kill 10 minutes before the start', FROM - 600_000, [], UNTIL, 'livenessProbe'],
    ['by no probe after a longer time', FROM - 600_001, [], UNTIL, undefined],
    ['by the probe of the last kill before', FROM - 9, [FROM - 5], UNTIL, 'startupProbe'],
    ['by no probe 10 s after the end: the event would have come', FROM - 5, [], UNTIL + 10_000, undefined],
  ])('is taken for a kill %s', (_, at, ofStartup, now, killer) => {
    const hints = [killed('livenessProbe', at), killed('startupProbe', ...ofStartup)];
    expect(endOf({ bySignal: false }, hints, now)).toStrictEqual(
      run({ killer: killer as ContainerRunTimes['killer'] }),
    );
  });

  it('is by no probe when a signal ended it before a probe could give up', () => {
    const early = (earliestKillSeconds: number | undefined): unknown =>
      endOf({ until: FROM + 20_000 }, [fails(FROM + 20_000)], LATER, { earliestKillSeconds });
    expect(early(undefined)).toStrictEqual(run({ until: FROM + 20_000, endsForMilliseconds: 30_000 }));
    expect(early(20.001)).toMatchObject({ killer: undefined });
    expect(early(20)).toMatchObject({ killer: 'livenessProbe', killedAt: FROM + 20_000 });
  });

  it.each<[string, ProbeHint[], Partial<ContainerRunTimes>]>([
    ['the last failure, up to the end', [fails(UNTIL - 9, UNTIL)], { killedAt: UNTIL, killer: 'livenessProbe' }],
    [
      'a failure within the grace period and 2 s',
      [fails(UNTIL - 32_000)],
      { killedAt: UNTIL - 32_000, killer: 'livenessProbe' },
    ],
    ['no earlier failure of the run', [fails(UNTIL - 32_001)], {}],
    ['the failures before, when the run has none', [fails(FROM, UNTIL + 1)], { killer: 'livenessProbe' }],
    ['failures of an unknown time', [fails(0)], { killer: 'livenessProbe' }],
    ['no failure of its first millisecond when the time is over', [fails(FROM + 1)], {}],
    [
      'the kill before rather than failures before it',
      [killed('startupProbe', FROM), fails(FROM)],
      { killer: 'startupProbe' },
    ],
    ['no kill before, when the run has failures', [killed('startupProbe', FROM), fails(FROM + 1)], {}],
    ['nothing', [], {}],
  ])('has its killer from %s', (_, hints, told) => {
    expect(endOf({}, hints)).toStrictEqual(run({ endsForMilliseconds: 30_000, ...told }));
  });

  it('has an earlier failure of the run as its cause for 10 s, in which the event may come', () => {
    const hints = [fails(UNTIL - 50_000)];
    expect(endOf({}, hints, UNTIL + 9999)).toMatchObject({ killedAt: undefined, killer: 'livenessProbe' });
    expect(endOf({}, hints, UNTIL + 10_000)).toMatchObject({ killedAt: undefined, killer: undefined });
  });
});

describe('the answers of a run', () => {
  const present = run({ from: PRESENT, until: undefined });
  const within = (one: ContainerRunTimes | undefined, answer: ProbeHint): readonly number[] =>
    timesIn(one, answer, LATER);
  const refused = (...times: number[]): ProbeHint => hint('readinessProbe', 'connection-refused', times);
  const ready = (...times: number[]): ProbeHint => hint('readinessProbe', 'http-5xx', times);

  it('are none without a run', () => {
    expect(within(undefined, ready(0, 1, LATER))).toEqual([]);
  });

  it('have an answer of unknown time only while the run goes on', () => {
    expect(within(present, ready(0))).toEqual([0]);
    expect(within(run(), ready(0))).toEqual([]);
  });

  it.each<[string, ContainerRunTimes, ProbeHint, number[]]>([
    ['after the start', present, ready(PRESENT - 1, PRESENT, PRESENT + 1, LATER), [PRESENT + 1, LATER]],
    ['10 s ago, when each end gives it', present, refused(LATER - 10_000, LATER - 9999), [LATER - 10_000]],
    ['up to the end', run(), ready(FROM, FROM + 1, UNTIL, UNTIL + 1), [FROM + 1, UNTIL]],
    ['2 s before the end, when each end gives it', run(), refused(UNTIL - 2001, UNTIL - 2000), [UNTIL - 2001]],
    [
      'before the grace period of a signal, when each end gives it',
      run({ endsForMilliseconds: 30_000 }),
      refused(UNTIL - 32_001, UNTIL - 32_000),
      [UNTIL - 32_001],
    ],
    ['before the kill', run({ killedAt: UNTIL - 5 }), ready(UNTIL - 6, UNTIL - 5), [UNTIL - 6]],
    [
      'up to the kill, of the probe that stopped it',
      run({ killedAt: UNTIL - 5, killer: 'readinessProbe' }),
      ready(UNTIL - 6, UNTIL - 5, UNTIL - 4),
      [UNTIL - 6, UNTIL - 5],
    ],
    [
      'up to the kill, when the probe timed out',
      run({ killedAt: UNTIL - 5, killer: 'livenessProbe' }),
      hint('readinessProbe', 'timeout', [UNTIL - 5, UNTIL - 4]),
      [UNTIL - 5],
    ],
  ])('are those %s', (_, one, answer, times) => {
    expect(within(one, answer)).toEqual(times);
  });

  it('before both runs are those of no container that was being stopped', () => {
    const runs: Runs = { present, ended: run(), kills: [{ at: 100, until: 200 }] };
    expect(timesBefore(runs, ready(0, 99, 100, 200, 201, FROM, FROM + 1))).toEqual([99, 201, FROM]);
    expect(timesBefore({ ...runs, ended: undefined }, ready(FROM + 1, PRESENT, PRESENT + 1))).toEqual([
      FROM + 1,
      PRESENT,
    ]);
    expect(timesBefore({ ...runs, present: undefined }, ready(FROM, FROM + 1))).toEqual([FROM]);
    expect(timesBefore({ kills: [], present: undefined, ended: undefined }, ready(0, LATER))).toEqual([LATER]);
  });

  it.each<[ProbeHint['cause'], boolean, boolean]>([
    ['connection-refused', false, true],
    ['connection-lost', false, true],
    ['unclear', true, true],
    ['unclear', false, false],
    ['timeout', true, false],
    ['http-5xx', false, false],
  ])('%s (without a result: %s) comes from each container that ends: %s', (cause, isVoid, expected) => {
    expect(comesFromEnd(hint('readinessProbe', cause, [1], isVoid))).toBe(expected);
  });
});

describe('the last kill of which the answer is known', () => {
  const killed = (...times: number[]): ProbeHint => hint('livenessProbe', 'killed', times);

  it('has an answer up to 2 s before', () => {
    const answered = (time: number): unknown =>
      lastKnownKill([killed(LATER), hint('livenessProbe', 'timeout', [time])]);
    const known = { at: LATER, causes: ['timeout'] };
    expect([LATER, LATER - 2000].map(answered)).toEqual([known, known]);
    expect([LATER + 1, LATER - 2001].map(answered)).toEqual([undefined, undefined]);
  });

  it('is an earlier one where no event tells the answer of the last', () =>
    expect(lastKnownKill([killed(FROM, LATER), hint('livenessProbe', 'http-5xx', [FROM])])).toEqual({
      at: FROM,
      causes: ['http-5xx'],
    }));

  it('has both answers of its last second, and none before', () =>
    expect(
      lastKnownKill([
        killed(LATER),
        hint('livenessProbe', 'timeout', [LATER - 1000, LATER]),
        hint('livenessProbe', 'http-5xx', [LATER]),
        hint('livenessProbe', 'connection-lost', [LATER - 1000]),
      ]),
    ).toEqual({ at: LATER, causes: ['timeout', 'http-5xx'] }));

  it('counts no answer of another probe, without a result, or that lets the container live', () =>
    expect(
      lastKnownKill([
        killed(LATER),
        hint('readinessProbe', 'timeout', [LATER]),
        hint('livenessProbe', 'timeout', [LATER], true),
        hint('livenessProbe', 'redirect-other-host', [LATER]),
      ]),
    ).toBeUndefined());
});

describe('the kill by a probe', () => {
  const pod = (hasEnded = false): PodHealth => ({ hasEnded }) as PodHealth;
  const served = run({ killedAt: UNTIL, killer: 'livenessProbe' });
  const early = run({ killedAt: FROM + 30_000, killer: 'livenessProbe' });
  const presentRun = run({ from: PRESENT, until: undefined });
  const killOf = (
    runs: Partial<Runs>,
    { now = PRESENT, hasEnded = false, hints = [] as readonly ProbeHint[], of = container() } = {},
  ): string | undefined => {
    const kill = probeKillOf(
      pod(hasEnded),
      of,
      { kills: [], present: undefined, ended: undefined, ...runs },
      hints,
      now,
    );
    return kill && `${kill.probe} ${kill.cause} ${kill.run === runs.present ? 'now' : 'before'}`;
  };

  it('is none where no probe stopped a run', () => {
    expect([killOf({}), killOf({ present: presentRun }), killOf({ ended: run() })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(killOf({ present: { ...presentRun, killedAt: LATER } })).toBeUndefined();
  });

  it('is that of the present run, or else that of the run before', () => {
    const present = { ...presentRun, killedAt: LATER, killer: 'livenessProbe' } as const;
    expect(killOf({ present, ended: early })).toBe('livenessProbe killed-while-serving now');
    expect(killOf({ present: presentRun, ended: early })).toBe('livenessProbe killed-while-starting before');
    expect(killOf({ ended: served })).toBe('livenessProbe killed-while-serving before');
  });

  it('is a kill of the start by the startup probe always, by the liveness probe up to the longest start', () => {
    const at = (seconds: number, killer: ProbeHint['probe'] = 'livenessProbe'): unknown =>
      killOf({ ended: run({ killedAt: FROM + seconds * 1000, killer }) });
    expect(at(99, 'startupProbe')).toBe('startupProbe killed-while-starting before');
    expect(at(40)).toBe('livenessProbe killed-while-starting before');
    expect(at(40.001)).toBe('livenessProbe killed-while-serving before');
  });

  it('is a kill of a container that serves when no probe of the container stops it by now', () => {
    const of = container({ ended: endedRun() }, { longestStartSeconds: undefined });
    expect(killOf({ ended: run({ killedAt: FROM + 1, killer: 'livenessProbe' }) }, { of })).toContain('serving');
    // Such a kill at the start is over once the grace period has passed.
    const atStart = run({ killedAt: FROM, killer: 'livenessProbe' });
    expect(killOf({ ended: atStart, present: presentRun }, { of, now: PRESENT + 30_000 })).toContain('starting');
    expect(killOf({ ended: atStart, present: presentRun }, { of, now: PRESENT + 30_001 })).toBeUndefined();
  });

  it('without an event was at the end of the run, or a grace period before SIGKILL', () => {
    const untold = run({ until: FROM + 60_000, killer: 'livenessProbe', endsForMilliseconds: 30_000 });
    const of = (isForced: boolean): ContainerHealth => container({ ended: endedRun({ isForced }) });
    expect(killOf({ ended: untold }, { of: of(false) })).toContain('killed-while-serving');
    expect(killOf({ ended: untold }, { of: of(true) })).toContain('killed-while-starting');
    expect(killOf({ ended: { ...untold, killedAt: FROM + 60_000 } }, { of: of(true) })).toContain('serving');
  });

  it.each<[string, number, ProbeHint[], string]>([
    ['before the first startup probe', 5, [], 'starting'],
    ['later without any event', 5.001, [], 'serving'],
    [
      'later with the same answer to both probes in this run',
      20,
      [fails(FROM + 1), hint('startupProbe', 'http-5xx', [FROM + 1])],
      'starting',
    ],
    ['later with the same answer to both before', 20, [fails(1), hint('startupProbe', 'http-5xx', [1])], 'starting'],
    ['later with another answer', 20, [fails(FROM + 1), hint('startupProbe', 'timeout', [FROM + 1])], 'serving'],
    ['later with an answer to the startup probe alone', 20, [hint('startupProbe', 'timeout', [FROM + 1])], 'serving'],
    [
      'later with the same answer to the readiness probe',
      20,
      [fails(FROM + 1), hint('readinessProbe', 'http-5xx', [FROM + 1])],
      'serving',
    ],
    [
      'later with the same answer in a run before, and one answer in this run',
      20,
      [fails(FROM + 1), hint('startupProbe', 'http-5xx', [1])],
      'serving',
    ],
    [
      'later with the same answer that has no result',
      20,
      [hint('livenessProbe', 'timeout', [FROM + 1], true), hint('startupProbe', 'timeout', [FROM + 1], true)],
      'serving',
    ],
  ])('by a liveness probe beside a startup probe, %s', (_, seconds, hints, cause) => {
    const of = container({}, { hasStartupProbe: true, firstStartupSeconds: 5 });
    const ended = run({ killedAt: FROM + seconds * 1000, killer: 'livenessProbe' });
    expect(killOf({ ended }, { of, hints })).toBe(`livenessProbe killed-while-${cause} before`);
  });

  it('of a Pod that has ended counts for 10 minutes, where the container does not start again', () => {
    const kill = (isLast: boolean, now: number, ended = served): unknown =>
      killOf({ ended }, { hasEnded: true, now, of: container({ isLast }) });
    expect(kill(true, UNTIL + 600_000)).toBe('livenessProbe killed-while-serving before');
    expect(kill(true, UNTIL + 600_001)).toBeUndefined();
    expect(kill(false, UNTIL)).toBeUndefined();
    // Without an event, the time counts from the end of the run.
    const untold = run({ killer: 'livenessProbe', endsForMilliseconds: 30_000 });
    expect(kill(true, UNTIL + 600_000, untold)).toBe('livenessProbe killed-while-serving before');
  });

  it('is over when the container has started, or has run long enough', () => {
    const after = (ended: ContainerRunTimes, milliseconds: number, more: Partial<ContainerHealth> = {}): boolean =>
      killOf({ ended, present: presentRun }, { now: PRESENT + milliseconds, of: container(more) }) === undefined;
    const atStart = run({ killedAt: FROM + 1, killer: 'startupProbe' });
    expect([after(atStart, 0), after(atStart, LATER, { started: false })]).toEqual([true, false]);
    expect([after(served, 600_000), after(served, 599_999)]).toEqual([true, false]);
    expect(after(served, 600_000, { ready: false })).toBe(false);
    // The longest start and the grace period.
    expect([after(early, 70_001), after(early, 70_000)]).toEqual([true, false]);
  });
});
