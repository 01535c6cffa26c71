import { describe, expect, it } from 'vitest';
import { faultyFrom, figure, gateOf, healthyAgainFrom, healthyFrom, PATHS, recordedRuns } from './recorded-runs.ts';
import type { FigureId } from '../../src/explain/timeline/figures.ts';
import type { ProbeKind } from '../../src/engine/probe/probe.ts';
import type { RecordedRun } from './recorded-runs.ts';

/*
 * What `explain` says, compared with what containers saw under a real kubelet 1.36.2. Each claim counts its runs, so
 * that no claim passes because nothing was compared.
 */

/** The kubelet learns of a start by its relist, up to 2 s later (docs/explain.md). */
const START_LAG = 2;
/** From a verdict to the kill, and from a status to the watch. */
const LAG = 0.6;
/** Starts are cut to whole seconds, and the clocks of the recording differ by milliseconds. */
const CLOCK = 0.05;

const RUNS = (['b1', 'g1', 'm3', 'same'] as const).flatMap(recordedRuns);
const WITH_GATE_FIXED = recordedRuns('g2gate');
const WITH_KUBELET_RESTART = recordedRuns('kr1');

/** Compares each run that a claim speaks of. A claim that speaks of fewer runs than expected fails. */
function expectOf(
  runs: readonly RecordedRun[],
  atLeast: number,
  broken: (run: RecordedRun) => string | undefined,
): void {
  expect(runs.length).toBeGreaterThanOrEqual(atLeast);
  expect(runs.flatMap((run) => (broken(run) === undefined ? [] : [`${run.name}: ${broken(run)}`]))).toEqual([]);
}

/** What is wrong when a moment lies outside a figure. */
function outside(run: RecordedRun, id: FigureId, seconds: number | undefined, late: number): string | undefined {
  const span = figure(run, id)?.span;
  if (seconds === undefined || span === undefined) return `no moment for ${id}`;
  const isInside = seconds >= span.earliest - CLOCK && seconds <= span.latest + late;
  return isInside ? undefined : `${id} at ${seconds} s is outside ${span.earliest} to ${span.latest} s`;
}

/** The first runs of containers whose start a probe limits. */
const firstRuns = RUNS.filter((run) => run.attempt === 0 && gateOf(run) !== undefined);

/** True when the run is healthy, for the probes that may kill it, from this second on, up to a fault. */
function isHealthyBy(run: RecordedRun, seconds: number): boolean {
  return killing(run).every((kind) => healthyFrom(run, kind) <= seconds);
}

function killing({ explained }: RecordedRun): ProbeKind[] {
  return explained.probes.map(({ kind }) => kind).filter((kind) => kind !== 'readinessProbe');
}

/** The first fault that a probe may kill for. A startup probe that has passed sees none. */
function firstFault(run: RecordedRun): number {
  return killing(run).includes('livenessProbe') ? faultyFrom(run, 'livenessProbe') : Infinity;
}

function killedTooSoon(run: RecordedRun): string | undefined {
  return (run.killedAfter ?? Infinity) < firstFault(run) ? `killed after ${run.killedAfter} s` : undefined;
}

describe('the first start', () => {
  it('is never killed when the container is healthy within the guaranteed time', () => {
    const runs = firstRuns.filter((run) => isHealthyBy(run, (figure(run, 'time-to-start')?.span.earliest ?? 0) - 0.1));
    expectOf(runs, 117, killedTooSoon);
  });

  it('is always killed when the container is not healthy by the longest start', () => {
    const runs = firstRuns
      .filter((run) => healthyFrom(run, gateOf(run) ?? 'livenessProbe') > latest(run))
      .filter(({ recorded }) => recorded.tag !== 'pre-sleep');
    expectOf(runs, 58, (run) => outside(run, 'never-healthy-stop', run.killedAfter, START_LAG + LAG));
  });

  it('sees its first probe in time', () => {
    const runs = firstRuns.filter(({ script, explained }) => !script.listenAt && explained.probes.length > 0);
    expectOf(runs, 170, (run) => {
      const gate = gateOf(run) ?? 'readinessProbe';
      return outside(run, 'first-probe', run.hits.find(({ path }) => path === PATHS[gate])?.age, START_LAG);
    });
  });

  it('sees the first probe of the others in time after its startup probe has passed', () => {
    const runs = firstRuns.filter((run) => passedAt(run) !== undefined && figure(run, 'time-to-restart'));
    expectOf(runs, 69, (run) => {
      const age = run.hits.find(({ path }) => path === '/l')?.age;
      return outside(run, 'first-probe-after-startup', age && age - (passedAt(run) ?? 0), LAG);
    });
  });
});

const latest = (run: RecordedRun): number => figure(run, 'time-to-start')?.span.latest ?? 0;

/** When the startup probe has passed, in seconds after the start. */
const passedAt = ({ hits }: RecordedRun): number | undefined =>
  hits.find((hit) => hit.path === '/s' && hit.do === '200')?.age;

describe('a container that is never healthy', () => {
  /** After a kill by the startup probe, or without a startup probe, each run is like the first. */
  const runs = RUNS.filter((run) => {
    const gate = gateOf(run);
    return gate !== undefined && healthyFrom(run, gate) === Infinity && run.restartedBy !== opposite(gate);
  }).filter(({ killedBy, sigterm }) => killedBy !== undefined || sigterm === undefined);

  it('is killed in the time that the figure says, in each run', () => {
    const seen = runs.filter(({ recorded }) => recorded.tag !== 'pre-sleep');
    expectOf(seen, 185, (run) => outside(run, 'never-healthy-stop', run.killedAfter, START_LAG + LAG));
  });

  it('is dead in the time that the figure says, in each run', () =>
    expectOf(runs, 199, (run) => outside(run, 'never-healthy-dead', run.exit?.age, START_LAG + LAG)));
});

const opposite = (gate: ProbeKind): ProbeKind => (gate === 'startupProbe' ? 'livenessProbe' : 'startupProbe');

describe('a restart after a liveness kill', () => {
  const restarts = RUNS.filter((run) => run.restartedBy === 'livenessProbe' && figure(run, 'time-to-restart'));
  const isOpen = (run: RecordedRun): boolean => guaranteed(run) < (figure(run, 'time-to-start')?.span.earliest ?? 0);

  it('is not killed when the container is healthy within the guaranteed time of a restart', () => {
    const runs = restarts.filter((run) => isHealthyBy(run, guaranteed(run) - 0.1));
    expectOf(runs, 7, killedTooSoon);
  });

  it('is never killed before the guaranteed time of a restart', () =>
    expectOf(restarts, 41, ({ killedAfter = Infinity, ...run }) =>
      killedAfter < guaranteed(run) - CLOCK ? `killed after ${killedAfter} s` : undefined,
    ));

  it('needs the figure: open gates did kill within the guaranteed time of the first start', () => {
    const killed = restarts.filter((run) => isOpen(run) && run.killedBy !== undefined);
    expect(killed.length).toBeGreaterThanOrEqual(8);
    for (const { killedAfter, explained } of killed)
      expect(killedAfter).toBeLessThan(explained.figures.find(({ id }) => id === 'time-to-start')?.span.earliest ?? 0);
  });

  it('is not killed where the gate is closed: after a crash, and with the fix of Kubernetes', () => {
    const crashed = RUNS.filter(({ recorded, attempt }) => recorded.tag === 'g2-crash' && attempt === 1);
    const fixed = WITH_GATE_FIXED.filter(({ restartedBy }) => restartedBy === 'livenessProbe');
    expect([crashed.length, fixed.length]).toEqual([6, 12]);
    for (const run of [...crashed, ...fixed]) expect([run.name, run.killedBy]).toEqual([run.name, undefined]);
  });
});

const guaranteed = (run: Pick<RecordedRun, 'explained'>): number => figure(run, 'time-to-restart')?.span.earliest ?? 0;

describe('a restart of the kubelet', () =>
  it('ends the guarantee of a start, as docs/explain.md says', () => {
    const starting = WITH_KUBELET_RESTART.filter(
      ({ recorded: { tag }, attempt }) => tag === 'starting-live' && attempt === 0,
    );
    expect(starting).toHaveLength(6);
    for (const run of starting) expect(run.killedAfter).toBeLessThan(figure(run, 'time-to-start')?.span.earliest ?? 0);
  }));

describe('a container that stops answering', () => {
  const faults = RUNS.filter((run) => {
    const fault = faultyFrom(run, 'livenessProbe');
    const hasStarted = run.attempt === 0 && fault !== Infinity && fault < (run.script.exitAt ?? Infinity);
    return hasStarted && figure(run, 'deadlock-stop') && run.exit?.by !== 'itself';
  });

  it('is killed in the time that the figure says', () =>
    expectOf(faults, 51, (run) => {
      const after = run.killedAfter === undefined ? undefined : run.killedAfter - faultyFrom(run, 'livenessProbe');
      return outside(run, 'deadlock-stop', after, LAG);
    }));

  it('is dead in the time that the figure says', () =>
    expectOf(faults, 51, (run) =>
      outside(run, 'deadlock-dead', (run.exit?.age ?? NaN) - faultyFrom(run, 'livenessProbe'), LAG),
    ));
});

describe('readiness', () => {
  const flaps = RUNS.filter((run) => run.attempt === 0 && faultyFrom(run, 'readinessProbe') !== Infinity);

  it('is lost in the time that the figure says', () => {
    const alone = flaps.filter((run) => firstFault(run) === Infinity);
    expectOf(alone, 18, (run) =>
      outside(run, 'not-ready', readyChange(run, faultyFrom(run, 'readinessProbe'), false), 1),
    );
  });

  it('comes back in the time that the figure says', () => {
    const again = flaps.filter((run) => healthyAgainFrom(run, 'readinessProbe') !== Infinity);
    expectOf(again, 18, (run) =>
      outside(run, 'ready-again', readyChange(run, healthyAgainFrom(run, 'readinessProbe'), true), 1),
    );
  });
});

/** Seconds from a moment of the run to the first status after it in which the container is ready, or not. */
function readyChange(
  { statuses, startedAt, explained }: RecordedRun,
  moment: number,
  ready: boolean,
): number | undefined {
  const change = statuses.find(({ t, status }) => {
    const containers = (status?.['containerStatuses'] ?? []) as { readonly name: string; readonly ready: boolean }[];
    return t >= startedAt + moment && containers.some((one) => one.name === explained.name && one.ready === ready);
  });
  return change && change.t - startedAt - moment;
}

describe('the grace period of a kill', () => {
  const kills = RUNS.filter(({ killedBy }) => killedBy !== undefined);

  it('is the one that explain shows: of the probe, or of the Pod where the kill ends the Pod', () => {
    const runs = kills.filter((run) => figure(run, 'deadlock-stop')?.preStopSeconds === undefined);
    expectOf(runs, 264, ({ explained, killedBy, sigterm }) => {
      const shown = explained.probes.find(({ kind }) => kind === killedBy)?.letters['G'];
      return sigterm?.timeout === Math.max(2, shown ?? NaN) ? undefined : `${sigterm?.timeout} s, shown ${shown} s`;
    });
  });

  it('was the one of the Pod in each Pod that ended, and the one of the probe beside a container that stays', () => {
    const never = kills.filter(({ recorded: { tag } }) => /^(?:never-(?:grace|long)|ctr-never)/.test(tag));
    const bySecond = Object.groupBy(never, ({ sigterm }) => String(sigterm?.timeout));
    expect(bySecond['12']?.map(({ recorded }) => recorded.tag).sort()).toEqual([
      ...Array<string>(3).fill('ctr-never'),
      ...Array<string>(3).fill('never-grace-l'),
      ...Array<string>(3).fill('never-grace-s'),
    ]);
    expect(bySecond['3']?.map(({ recorded }) => recorded.tag)).toEqual(Array<string>(3).fill('never-long-l'));
    expect(bySecond['2']?.map(({ recorded }) => recorded.tag)).toEqual(Array<string>(3).fill('never-grace-two'));
  });
});

describe('a preStop hook', () => {
  const hooked = RUNS.filter(
    (run) => run.killedBy !== undefined && figure(run, 'deadlock-stop')?.preStopSeconds !== undefined,
  );

  it('begins in the time of the figure, and SIGTERM follows within the grace period', () => {
    const runs = hooked.filter(({ recorded }) => recorded.tag !== 'pre-sleep');
    expectOf(runs, 41, (run) => {
      const { killedAfter = NaN, sigterm } = run;
      const seconds = (sigterm?.age ?? NaN) - killedAfter;
      const isInTime = seconds <= (figure(run, 'deadlock-stop')?.preStopSeconds ?? NaN) + LAG;
      return isInTime ? undefined : `SIGTERM ${seconds} s after the hook`;
    });
  });

  it('delays SIGTERM beyond the time of the figure, which is why explain does not call it SIGTERM', () => {
    const never = hooked.filter((run) => healthyFrom(run, 'livenessProbe') === Infinity);
    expect(never.length).toBeGreaterThanOrEqual(30);
    for (const { sigterm, explained } of never)
      expect(sigterm?.age).toBeGreaterThan(
        explained.figures.find(({ id }) => id === 'never-healthy-stop')?.span.latest ?? NaN,
      );
  });
});
