import { longestKillSeconds, MINIMUM_KILL_SECONDS, type Kill } from '../../engine/probe/grace-period.ts';
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
  const figures = (kind: ProbeKind, timing: KilledTiming, ends: readonly FigureEnds[]): Figure[] =>
    ends.map((each) => newFigure(kind, timing, startup, each));
  return [
    ...(startup
      ? figures('startupProbe', startup, [firstProbe(startup), started(startup), ...startEnds(startup)])
      : []),
    ...(liveness ? figures('livenessProbe', liveness, livenessEnds(liveness, startup, restarts)) : []),
    ...(readiness ? figures('readinessProbe', readiness, readinessEnds(readiness, startup)) : []),
  ];
}

type KilledTiming = NonNullable<ContainerTimings[ProbeKind]>;

/** One end of a span: its seconds, and how they are worked out. */
type End = readonly [seconds: number, formula: string];
type FigureEnds = readonly [id: FigureId, earliest: End, latest: End];

function livenessEnds(liveness: KilledTiming, startup: ProbeTiming | undefined, restarts: boolean): FigureEnds[] {
  return [
    firstProbe(liveness, startup),
    ...(startup ? [] : startEnds(liveness)),
    ...killEnds(['deadlock-stop', 'deadlock-dead'], liveness, ...verdictEnds(liveness)),
    ...(startup && restarts ? [restart(startup, liveness)] : []),
  ];
}

/** The first probe, after the container's start; where a startup probe holds it back, after that probe's success. */
function firstProbe(timing: ProbeTiming, startup?: ProbeTiming): FigureEnds {
  const { earliest, latest } = firstProbeSpan(timing);
  if (startup === undefined) return ['first-probe', [earliest, 'max(0, D-1)'], [latest, 'D + P']];
  // The delay counts from the container's start here too (pkg/kubelet/prober/worker.go, doProbe): what is left of it at
  // the earliest success of the startup probe still holds the first probe back. The kubelet triggers a readiness probe
  // at once, which is never later.
  const left = Math.max(0, timing.initialDelaySeconds - firstProbeSpan(startup).earliest);
  const end = [left + timing.periodSeconds, 'max(0, D - max(0, Ds-1)) + P'] as const;
  return ['first-probe-after-startup', [0, '0'], end];
}

/** When a container that is healthy from its first moment has passed its startup probe, which needs one success. */
function started(timing: ProbeTiming): FigureEnds {
  const { earliest, latest } = firstProbeSpan(timing);
  return ['started', [earliest, 'max(0, D-1)'], [latest + timing.timeoutSeconds, 'D + P + T']];
}

function startEnds(timing: KilledTiming): FigureEnds[] {
  const from = [guaranteedStartSeconds(timing), 'max(0, D-1) + (F-1)*P'] as const;
  const to = [longestStartSeconds(timing), 'D + P + (F-1)*max(P,T) + T'] as const;
  return [['time-to-start', from, to], ...killEnds(['never-healthy-stop', 'never-healthy-dead'], timing, from, to)];
}

/** The verdict that kills, and the end. A process may end at SIGTERM at once, or when its grace period is over. */
function killEnds([stop, dead]: [FigureId, FigureId], { kill }: KilledTiming, from: End, to: End): FigureEnds[] {
  const end = [to[0] + longestKillSeconds(kill), `${to[1]} + ${longestKillFormula(kill)}`] as const;
  return [
    [stop, from, to],
    [dead, from, end],
  ];
}

/** The ends of verdictSpan. */
function verdictEnds(timing: ProbeTiming): [End, End] {
  const { earliest, latest } = verdictSpan(timing);
  return [
    [earliest, '(F-1)*P'],
    [latest, 'P + (F-1)*max(P,T) + T'],
  ];
}

/** The start after a liveness kill. The liveness probe limits this start where it can give up in the open gate. */
function restart(startup: ProbeTiming, liveness: ProbeTiming): FigureEnds {
  const guaranteed = guaranteedRestartSeconds(startup, liveness);
  const isLimited = guaranteed < guaranteedStartSeconds(startup);
  return [
    'time-to-restart',
    [guaranteed, isLimited ? 'max(0, D-1) + (F-1)*P' : 'max(0, Ds-1) + (Fs-1)*Ps'],
    [longestStartSeconds(startup), 'Ds + Ps + (Fs-1)*max(Ps,Ts) + Ts'],
  ];
}

/**
 * The earliest moment from health to Ready counts one probe, whatever successThreshold is. While a started container is
 * not Ready, each status sync of its Pod triggers a readiness probe at once (pkg/kubelet/prober/prober_manager.go,
 * UpdatePodStatus; worker.go, run). A run of successes also outlives a restart of the container (worker.go, doProbe).
 */
function readinessEnds(timing: ProbeTiming, startup: ProbeTiming | undefined): FigureEnds[] {
  const recovery = longestRecoverySeconds(timing, timing.timeoutSeconds);
  return [
    firstProbe(timing, startup),
    ['ready-after-start', ...readyEnds(timing, startup, recovery)],
    ['not-ready', ...verdictEnds(timing)],
    ['ready-again', [0, '0'], [recovery, 'S*P + T']],
  ];
}

function readyEnds(timing: ProbeTiming, startup: ProbeTiming | undefined, recovery: number): [End, End] {
  const first = firstProbeSpan(timing).earliest;
  const { initialDelaySeconds: D } = timing;
  if (startup === undefined)
    return [
      [first, 'max(0, D-1)'],
      [D + recovery, 'D + S*P + T'],
    ];
  const { latest, earliest } = firstProbeSpan(startup);
  return [
    [Math.max(earliest, first), 'max(0, Ds-1, D-1)'],
    [Math.max(latest + startup.timeoutSeconds, D) + recovery, 'max(Ds+Ps+Ts, D) + S*P + T'],
  ];
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
  [id, [earliest, from], [latest, to]]: FigureEnds,
): Figure {
  const available = [
    ...Object.entries({ ...timingLetters(timing), G: kill.graceSeconds }),
    ...Object.entries(startup ? timingLetters(startup) : {}).map(([letter, value]) => [`${letter}s`, value] as const),
  ];
  const named = new Set(`${from} ${to}`.match(/\b[A-Z]s?\b/g));
  const { title, run } = FIGURES[id];
  const hasHook = id.endsWith('-stop') && kill.hasPreStop;
  return {
    id,
    title: hasHook ? title.replace('SIGTERM', 'preStop hook') : title,
    run,
    probe,
    span: { earliest, latest },
    formula: { earliest: from, latest: to },
    inputs: Object.fromEntries(available.filter(([letter]) => named.has(letter))),
    ...(hasHook && { preStopSeconds: kill.graceSeconds }),
  };
}

/** The formula of longestKillSeconds. */
function longestKillFormula({ hasPreStop }: Kill): string {
  return hasPreStop ? `G+${MINIMUM_KILL_SECONDS}` : `max(G,${MINIMUM_KILL_SECONDS})`;
}
