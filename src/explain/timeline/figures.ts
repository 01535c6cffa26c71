import { longestKillFormula, longestKillSeconds, type Kill } from '../../engine/probe/grace-period.ts';
import {
  firstProbeSpan,
  guaranteedRestartSeconds,
  guaranteedStartSeconds,
  longestRecoverySeconds,
  longestStartSeconds,
  verdictSpan,
} from '../../engine/probe/timing.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ProbeTiming, Span } from '../../engine/probe/timing.ts';
import type { ContainerTimings } from './container-timings.ts';

/** Every figure of a container, the probe that decides on its start first. `restarts`: a kill is no end. */
export function containerFigures(timings: ContainerTimings, restarts: boolean): Figure[] {
  const { startupProbe: startup, livenessProbe: liveness, readinessProbe: readiness } = timings;
  return [
    ...(startup ? [firstProbe('startupProbe', startup), started(startup)] : []),
    ...(startup ? startFigures('startupProbe', startup, startup.kill) : []),
    ...(liveness ? [firstProbe('livenessProbe', liveness, startup)] : []),
    ...(liveness && !startup ? startFigures('livenessProbe', liveness, liveness.kill) : []),
    ...(liveness
      ? killFigures(
          ['deadlock-stop', 'deadlock-dead'],
          'livenessProbe',
          liveness,
          ...verdictEnds(liveness),
          liveness.kill,
        )
      : []),
    ...(liveness && startup && restarts ? [restart(startup, liveness)] : []),
    ...(readiness ? readinessFigures(readiness, startup) : []),
  ];
}

/** The first probe, after the container's start; where a startup probe holds it back, after that probe's success. */
function firstProbe(kind: ProbeKind, timing: ProbeTiming, startup?: ProbeTiming): Figure {
  const { earliest, latest } = firstProbeSpan(timing);
  const letters = timingLetters(timing);
  if (startup === undefined)
    return newFigure('first-probe', kind, [earliest, 'max(0, D-1)'], [latest, 'D + P'], letters);
  // The delay counts from the container's start here too (pkg/kubelet/prober/worker.go, doProbe): what is left of it at
  // the earliest success of the startup probe still holds the first probe back. The kubelet triggers a readiness probe
  // at once, which is never later.
  const { initialDelaySeconds: D, periodSeconds: P } = timing;
  const left = Math.max(0, D - firstProbeSpan(startup).earliest);
  const inputs = { ...letters, Ds: startup.initialDelaySeconds };
  const end = [left + P, 'max(0, D - max(0, Ds-1)) + P'] as const;
  return newFigure('first-probe-after-startup', kind, [0, '0'], end, inputs);
}

/** When a container that is healthy from its first moment has passed its startup probe, which needs one success. */
function started(timing: ProbeTiming): Figure {
  const { earliest, latest } = firstProbeSpan(timing);
  const end = [latest + timing.timeoutSeconds, 'D + P + T'] as const;
  return newFigure('started', 'startupProbe', [earliest, 'max(0, D-1)'], end, timingLetters(timing));
}

function startFigures(kind: ProbeKind, timing: ProbeTiming, kill: Kill): Figure[] {
  const from = [guaranteedStartSeconds(timing), 'max(0, D-1) + (F-1)*P'] as const;
  const to = [longestStartSeconds(timing), 'D + P + (F-1)*max(P,T) + T'] as const;
  return [
    newFigure('time-to-start', kind, from, to, timingLetters(timing)),
    ...killFigures(['never-healthy-stop', 'never-healthy-dead'], kind, timing, from, to, kill),
  ];
}

/** The verdict that kills, and the end. A process may end at SIGTERM at once, or when its grace period is over. */
function killFigures(
  [stop, dead]: readonly [FigureId, FigureId],
  kind: ProbeKind,
  timing: ProbeTiming,
  from: End,
  to: End,
  kill: Kill,
): Figure[] {
  const inputs = { ...timingLetters(timing), G: kill.graceSeconds };
  const end = [to[0] + longestKillSeconds(kill), `${to[1]} + ${longestKillFormula(kill)}`] as const;
  return [
    newFigure(stop, kind, from, to, inputs, kill.hasPreStop ? kill.graceSeconds : undefined),
    newFigure(dead, kind, from, end, inputs),
  ];
}

/** The ends of verdictSpan. */
function verdictEnds(timing: ProbeTiming): readonly [End, End] {
  const { earliest, latest } = verdictSpan(timing);
  return [
    [earliest, '(F-1)*P'],
    [latest, 'P + (F-1)*max(P,T) + T'],
  ];
}

/** The start after a liveness kill. The liveness probe limits this start where it can give up in the open gate. */
function restart(startup: ProbeTiming, liveness: ProbeTiming): Figure {
  const { initialDelaySeconds: Ds, periodSeconds: Ps, timeoutSeconds: Ts, failureThreshold: Fs } = startup;
  const guaranteed = guaranteedRestartSeconds(startup, liveness);
  const isLimited = guaranteed < guaranteedStartSeconds(startup);
  return newFigure(
    'time-to-restart',
    'livenessProbe',
    [guaranteed, isLimited ? 'max(0, D-1) + (F-1)*P' : 'max(0, Ds-1) + (Fs-1)*Ps'],
    [longestStartSeconds(startup), 'Ds + Ps + (Fs-1)*max(Ps,Ts) + Ts'],
    { ...timingLetters(liveness), Ds, Ps, Ts, Fs },
  );
}

/**
 * The earliest moment from health to Ready counts one probe, whatever successThreshold is. While a started container is
 * not Ready, each status sync of its Pod triggers a readiness probe at once (pkg/kubelet/prober/prober_manager.go,
 * UpdatePodStatus; worker.go, run). A run of successes also outlives a restart of the container (worker.go, doProbe).
 */
function readinessFigures(timing: ProbeTiming, startup: ProbeTiming | undefined): Figure[] {
  const inputs = timingLetters(timing);
  const recovery = longestRecoverySeconds(timing, timing.timeoutSeconds);
  return [
    firstProbe('readinessProbe', timing, startup),
    readyAfterStart(timing, startup, recovery),
    newFigure('not-ready', 'readinessProbe', ...verdictEnds(timing), inputs),
    newFigure('ready-again', 'readinessProbe', [0, '0'], [recovery, 'S*P + T'], inputs),
  ];
}

function readyAfterStart(timing: ProbeTiming, startup: ProbeTiming | undefined, recovery: number): Figure {
  const [id, kind] = ['ready-after-start', 'readinessProbe'] as const;
  const first = firstProbeSpan(timing).earliest;
  const { initialDelaySeconds: D } = timing;
  const letters = timingLetters(timing);
  if (startup === undefined) return newFigure(id, kind, [first, 'max(0, D-1)'], [D + recovery, 'D + S*P + T'], letters);
  const { initialDelaySeconds: Ds, periodSeconds: Ps, timeoutSeconds: Ts } = startup;
  const from = [Math.max(firstProbeSpan(startup).earliest, first), 'max(0, Ds-1, D-1)'] as const;
  const to = [Math.max(Ds + Ps + Ts, D) + recovery, 'max(Ds+Ps+Ts, D) + S*P + T'] as const;
  return newFigure(id, kind, from, to, { ...letters, Ds, Ps, Ts });
}

/** Figures of the start count from the container's start, others from the fault or the recovery. */
export type FigureId =
  | 'first-probe'
  | 'first-probe-after-startup'
  | 'started'
  | 'time-to-start'
  | 'time-to-restart'
  | 'never-healthy-stop'
  | 'never-healthy-dead'
  | 'deadlock-stop'
  | 'deadlock-dead'
  | 'ready-after-start'
  | 'not-ready'
  | 'ready-again';

export type FigureRun = 'first start' | 'restart after a liveness kill' | 'any run';

/**
 * The run for which a figure holds. Figures of the start hold for the first start: failures of a run that crashed count
 * in the next run (pkg/kubelet/prober/worker.go, doProbe), and a liveness kill opens the startup gate
 * (OPEN_GATE_ISSUE).
 */
export function runOf({ id }: Figure): FigureRun {
  if (id === 'time-to-restart') return 'restart after a liveness kill';
  return FROM_FAULT.has(id) ? 'any run' : 'first start';
}

const FROM_FAULT: ReadonlySet<FigureId> = new Set(['deadlock-stop', 'deadlock-dead', 'not-ready', 'ready-again']);

/** The name of a figure, and the instant from which the figure counts. With a preStop hook, no figure is SIGTERM. */
export function figureTitle({ id, preStopSeconds }: Figure): string {
  const title = FIGURE_TITLES[id];
  return preStopSeconds === undefined ? title : title.replace('SIGTERM', 'preStop hook');
}

const FIGURE_TITLES: Readonly<Record<FigureId, string>> = {
  'first-probe': 'first probe',
  'first-probe-after-startup': 'first probe after startup passed',
  started: 'healthy at once: startup passed',
  'time-to-start': 'first start: guaranteed, longest',
  'time-to-restart': 'after its kill: guaranteed, longest',
  'never-healthy-stop': 'never healthy: SIGTERM',
  'never-healthy-dead': 'never healthy: dead',
  'deadlock-stop': 'from deadlock to SIGTERM',
  'deadlock-dead': 'from deadlock to dead',
  'ready-after-start': 'healthy at once: Ready',
  'not-ready': 'from unhealthy to NotReady',
  'ready-again': 'from healthy again to Ready',
};

/** D, P, T, F, S, G of the figure's own probe, Ds, Ps, Ts, Fs of the startup probe. All but F and S are seconds. */
export type FormulaInputs = Readonly<Record<string, number>>;

/** An earliest and a latest moment, in seconds. */
export interface Figure {
  readonly id: FigureId;
  readonly probe: ProbeKind;
  readonly span: Span;
  /** How the two ends are worked out: `max(0, D-1) + (F-1)*P`. */
  readonly formula: { readonly earliest: string; readonly latest: string };
  readonly inputs: FormulaInputs;
  /**
   * Set when a preStop hook follows the verdict: SIGTERM is sent at most this many seconds later
   * (pkg/kubelet/kuberuntime/kuberuntime_container.go, killContainer).
   */
  readonly preStopSeconds?: number;
}

export function figureOf(figures: readonly Figure[], id: FigureId): Figure | undefined {
  return figures.find((figure) => figure.id === id);
}

export function timingLetters(timing: ProbeTiming): FormulaInputs {
  const { initialDelaySeconds: D, periodSeconds: P, timeoutSeconds: T, failureThreshold: F } = timing;
  return { D, P, T, F, S: timing.successThreshold };
}

/** One end of a span: its seconds, and how they are worked out. */
type End = readonly [seconds: number, formula: string];

/** A figure with those of the available inputs that its formulas name. */
export function newFigure(
  id: FigureId,
  probe: ProbeKind,
  [earliest, from]: End,
  [latest, to]: End,
  available: FormulaInputs,
  preStopSeconds?: number,
): Figure {
  const named = new Set(`${from} ${to}`.match(/\b[A-Z]s?\b/g));
  const inputs = Object.fromEntries(Object.entries(available).filter(([letter]) => named.has(letter)));
  const [span, formula] = [
    { earliest, latest },
    { earliest: from, latest: to },
  ];
  return { id, probe, span, formula, inputs, ...(preStopSeconds !== undefined && { preStopSeconds }) };
}
