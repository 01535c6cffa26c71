import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ProbeTiming, Span } from '../../engine/probe/timing.ts';

/**
 * The subject of a figure. Figures of the start count from the container's start, others from the fault or the
 * recovery.
 */
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

/**
 * The letters of a formula: D, P, T, F, S, G of the figure's own probe, Ds, Ps, Ts, Fs of the startup probe. All but F
 * and S are seconds.
 */
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
