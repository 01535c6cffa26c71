import { longestKillSeconds, MINIMUM_KILL_SECONDS, type Kill } from '../../engine/time/kill.ts';
import {
  firstProbeSpan,
  guaranteedRestartSeconds,
  guaranteedStartSeconds,
  longestRecoverySeconds,
  longestStartSeconds,
  verdictSpan,
} from '../../engine/time/timing.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ProbeTiming, Span } from '../../engine/time/timing.ts';
import type { ContainerTimings } from './container-timings.ts';

/**
 * Each figure with its name, and the run for which the figure holds. Figures of the start hold for the first start:
 * failures of a run that crashed count in the next run (pkg/kubelet/prober/worker.go, doProbe), and a liveness kill
 * opens the startup gate (OPEN_GATE_ISSUE). They count from the container's start, others from the fault or recovery.
 */
const FIGURES = {
  'first-probe': { title: 'first probe', run: 'first start' },
  'first-probe-after-startup': { title: 'first probe after startup passed', run: 'first start' },
  started: { title: 'healthy at once: startup passed', run: 'first start' },
  'time-to-start': { title: 'first start: guaranteed, longest', run: 'first start' },
  'time-to-restart': { title: 'after its kill: guaranteed, longest', run: 'restart after a liveness kill' },
  'never-healthy-stop': { title: 'never healthy: SIGTERM', run: 'first start' },
  'never-healthy-dead': { title: 'never healthy: dead', run: 'first start' },
  'deadlock-stop': { title: 'from deadlock to SIGTERM', run: 'any run' },
  'deadlock-dead': { title: 'from deadlock to dead', run: 'any run' },
  'ready-after-start': { title: 'healthy at once: Ready', run: 'first start' },
  'not-ready': { title: 'from unhealthy to NotReady', run: 'any run' },
  'ready-again': { title: 'from healthy again to Ready', run: 'any run' },
} as const;

export type FigureId = keyof typeof FIGURES;

/** D, P, T, F, S, G of the figure's own probe, Ds, Ps, Ts, Fs of the startup probe. All but F and S are seconds. */
export type FormulaInputs = Readonly<Record<string, number>>;

/** An earliest and a latest moment, in seconds. */
export interface Figure {
  readonly id: FigureId;
  /** The name, and the instant from which the figure counts. With a preStop hook, no figure is SIGTERM. */
  readonly title: string;
  readonly run: (typeof FIGURES)[FigureId]['run'];
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

/** Every figure of a container, the probe that decides on its start first. `restarts`: a kill is no end. */
export function containerFigures(timings: ContainerTimings, restarts: boolean): Figure[] {
  const { startupProbe: startup, livenessProbe: liveness, readinessProbe: readiness } = timings;
  const figures = (kind: ProbeKind, timing: KilledTiming, known: readonly KnownFigure[]): Figure[] =>
    known.map((each) => newFigure(kind, timing, startup, each));
  return [
    ...(startup ? figures('startupProbe', startup, [firstProbe(startup), started(startup), ...starts(startup)]) : []),
    ...(liveness ? figures('livenessProbe', liveness, livenessFigures(liveness, startup, restarts)) : []),
    ...(readiness ? figures('readinessProbe', readiness, readinessFigures(readiness, startup)) : []),
  ];
}

type KilledTiming = NonNullable<ContainerTimings[ProbeKind]>;

/** A figure, and how its two ends are worked out. */
type KnownFigure = readonly [id: FigureId, span: Span, earliest: string, latest: string];

function livenessFigures(liveness: KilledTiming, startup: ProbeTiming | undefined, restarts: boolean): KnownFigure[] {
  return [
    firstProbe(liveness, startup),
    ...(startup ? [] : starts(liveness)),
    ...kills(['deadlock-stop', 'deadlock-dead'], liveness, verdictSpan(liveness), ...VERDICT),
    ...(startup && restarts ? [restart(startup, liveness)] : []),
  ];
}

/** The formulas of verdictSpan. */
const VERDICT = ['(F-1)*P', 'P + (F-1)*max(P,T) + T'] as const;

/** The first probe, after the container's start; where a startup probe holds it back, after that probe's success. */
function firstProbe(timing: ProbeTiming, startup?: ProbeTiming): KnownFigure {
  if (startup === undefined) return ['first-probe', firstProbeSpan(timing), 'max(0, D-1)', 'D + P'];
  // The delay counts from the container's start here too (pkg/kubelet/prober/worker.go, doProbe): what is left of it at
  // the earliest success of the startup probe still holds the first probe back. The kubelet triggers a readiness probe
  // at once, which is never later.
  const left = Math.max(0, timing.initialDelaySeconds - firstProbeSpan(startup).earliest);
  const span = { earliest: 0, latest: left + timing.periodSeconds };
  return ['first-probe-after-startup', span, '0', 'max(0, D - max(0, Ds-1)) + P'];
}

/** When a container that is healthy from its first moment has passed its startup probe, which needs one success. */
function started(timing: ProbeTiming): KnownFigure {
  const { earliest, latest } = firstProbeSpan(timing);
  return ['started', { earliest, latest: latest + timing.timeoutSeconds }, 'max(0, D-1)', 'D + P + T'];
}

function starts(timing: KilledTiming): KnownFigure[] {
  const span = { earliest: guaranteedStartSeconds(timing), latest: longestStartSeconds(timing) };
  const formulas = ['max(0, D-1) + (F-1)*P', 'D + P + (F-1)*max(P,T) + T'] as const;
  const ids = ['never-healthy-stop', 'never-healthy-dead'] as const;
  return [['time-to-start', span, ...formulas], ...kills(ids, timing, span, ...formulas)];
}

/** The verdict that kills, and the end. A process may end at SIGTERM at once, or when its grace period is over. */
function kills(
  [stop, dead]: readonly [FigureId, FigureId],
  { kill }: KilledTiming,
  span: Span,
  earliest: string,
  latest: string,
): KnownFigure[] {
  const end = { ...span, latest: span.latest + longestKillSeconds(kill) };
  return [
    [stop, span, earliest, latest],
    [dead, end, earliest, `${latest} + ${longestKillFormula(kill)}`],
  ];
}

/** The start after a liveness kill. The liveness probe limits this start where it can give up in the open gate. */
function restart(startup: ProbeTiming, liveness: ProbeTiming): KnownFigure {
  const earliest = guaranteedRestartSeconds(startup, liveness);
  const isLimited = earliest < guaranteedStartSeconds(startup);
  const formula = isLimited ? 'max(0, D-1) + (F-1)*P' : 'max(0, Ds-1) + (Fs-1)*Ps';
  const span = { earliest, latest: longestStartSeconds(startup) };
  return ['time-to-restart', span, formula, 'Ds + Ps + (Fs-1)*max(Ps,Ts) + Ts'];
}

/**
 * The earliest moment from health to Ready counts one probe, whatever successThreshold is. While a started container is
 * not Ready, each status sync of its Pod triggers a readiness probe at once (pkg/kubelet/prober/prober_manager.go,
 * UpdatePodStatus; worker.go, run). A run of successes also outlives a restart of the container (worker.go, doProbe).
 */
function readinessFigures(timing: ProbeTiming, startup: ProbeTiming | undefined): KnownFigure[] {
  const recovery = longestRecoverySeconds(timing, timing.timeoutSeconds);
  return [
    firstProbe(timing, startup),
    ready(timing, startup, recovery),
    ['not-ready', verdictSpan(timing), ...VERDICT],
    ['ready-again', { earliest: 0, latest: recovery }, '0', 'S*P + T'],
  ];
}

function ready(timing: ProbeTiming, startup: ProbeTiming | undefined, recovery: number): KnownFigure {
  const { earliest } = firstProbeSpan(timing);
  const { initialDelaySeconds: D } = timing;
  if (startup === undefined)
    return ['ready-after-start', { earliest, latest: D + recovery }, 'max(0, D-1)', 'D + S*P + T'];
  const first = firstProbeSpan(startup);
  const passed = Math.max(first.latest + startup.timeoutSeconds, D);
  const span = { earliest: Math.max(first.earliest, earliest), latest: passed + recovery };
  return ['ready-after-start', span, 'max(0, Ds-1, D-1)', 'max(Ds+Ps+Ts, D) + S*P + T'];
}

export function timingLetters(timing: ProbeTiming): FormulaInputs {
  const { initialDelaySeconds: D, periodSeconds: P, timeoutSeconds: T, failureThreshold: F } = timing;
  return { D, P, T, F, S: timing.successThreshold };
}

/** A figure with those of the letters that its formulas name. */
function newFigure(
  probe: ProbeKind,
  { kill, ...timing }: KilledTiming,
  startup: ProbeTiming | undefined,
  [id, span, earliest, latest]: KnownFigure,
): Figure {
  const available = [
    ...Object.entries({ ...timingLetters(timing), G: kill.graceSeconds }),
    ...Object.entries(startup ? timingLetters(startup) : {}).map(([letter, value]) => [`${letter}s`, value] as const),
  ];
  const named = new Set(`${earliest} ${latest}`.match(/\b[A-Z]s?\b/g));
  const { title, run } = FIGURES[id];
  const hasHook = id.endsWith('-stop') && kill.hasPreStop;
  return {
    id,
    title: hasHook ? title.replace('SIGTERM', 'preStop hook') : title,
    run,
    probe,
    span,
    formula: { earliest, latest },
    inputs: Object.fromEntries(available.filter(([letter]) => named.has(letter))),
    ...(hasHook && { preStopSeconds: kill.graceSeconds }),
  };
}

/** The formula of longestKillSeconds. */
function longestKillFormula({ hasPreStop }: Kill): string {
  return hasPreStop ? `G+${MINIMUM_KILL_SECONDS}` : `max(G,${MINIMUM_KILL_SECONDS})`;
}
