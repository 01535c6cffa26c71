import { faultSpan, firstProbeSpan, guaranteedStartSeconds, longestStartSeconds, recoverySpan } from './timing.ts';
import type { ProbeKind } from './probe.ts';
import type { ProbeTiming, Span } from './timing.ts';

/** What decides on the moments of a container's life that probes have a say in: its probes after API defaulting. */
export interface ContainerTimings {
  readonly startupProbe?: ProbeTiming;
  readonly livenessProbe?: ProbeTiming;
  readonly readinessProbe?: ProbeTiming;
  /** Seconds from SIGTERM to SIGKILL when this probe kills: the probe's own grace period, else the Pod's. */
  readonly startupGraceSeconds: number;
  readonly livenessGraceSeconds: number;
  /** A preStop hook runs before SIGTERM, on the same grace period. */
  readonly hasPreStop: boolean;
}

/** What a figure is about. Those about the start count from the container's start, the others from the fault or the recovery. */
export type FigureId =
  | 'first-probe'
  | 'first-probe-after-startup'
  | 'started'
  | 'time-to-start'
  | 'never-healthy-stop'
  | 'never-healthy-dead'
  | 'deadlock-stop'
  | 'deadlock-dead'
  | 'ready-after-start'
  | 'not-ready'
  | 'ready-again';

/** The value of each letter that a formula uses: D, P, T, F, S, G of the figure's own probe, Ds, Ps, Ts of the startup probe. */
export type FormulaInputs = Readonly<Record<string, number>>;

/** An earliest and a latest moment, in seconds, and how they are worked out. */
export interface Figure {
  readonly id: FigureId;
  readonly probe: ProbeKind;
  readonly span: Span;
  readonly formula: { readonly earliest: string; readonly latest: string };
  readonly inputs: FormulaInputs;
}

/** Largest value of an int32 field. The API server refuses more, and figures beyond it would not stay finite. */
const INT32_MAX = 2_147_483_647;

/** Every figure of a container, the gate of its start first. Empty without probes. */
export function containerFigures(timings: ContainerTimings): Figure[] {
  const startup = bounded(timings.startupProbe);
  const liveness = bounded(timings.livenessProbe);
  const readiness = bounded(timings.readinessProbe);
  const { hasPreStop } = timings;
  const startupKill = { graceSeconds: Math.min(timings.startupGraceSeconds, INT32_MAX), hasPreStop };
  const livenessKill = { graceSeconds: Math.min(timings.livenessGraceSeconds, INT32_MAX), hasPreStop };
  return [
    ...(startup ? [firstProbe('startupProbe', startup), started(startup)] : []),
    ...(startup ? gateFigures('startupProbe', startup, startupKill) : []),
    ...(liveness ? [firstProbe('livenessProbe', liveness, startup)] : []),
    ...(liveness && !startup ? gateFigures('livenessProbe', liveness, livenessKill) : []),
    ...(liveness ? deadlockFigures(liveness, livenessKill) : []),
    ...(readiness ? readinessFigures(readiness, startup) : []),
  ];
}

/** The container's figure of that name, when it has one. A first probe is asked for with its probe. */
export function figureOf(figures: readonly Figure[], id: FigureId, probe?: ProbeKind): Figure | undefined {
  return figures.find((figure) => figure.id === id && (probe === undefined || figure.probe === probe));
}

function bounded(timing: ProbeTiming | undefined): ProbeTiming | undefined {
  if (timing === undefined) return undefined;
  return {
    initialDelaySeconds: Math.min(timing.initialDelaySeconds, INT32_MAX),
    periodSeconds: Math.min(timing.periodSeconds, INT32_MAX),
    timeoutSeconds: Math.min(timing.timeoutSeconds, INT32_MAX),
    failureThreshold: Math.min(timing.failureThreshold, INT32_MAX),
    successThreshold: Math.min(timing.successThreshold, INT32_MAX),
  };
}

/** How a container is stopped. */
interface Kill {
  readonly graceSeconds: number;
  readonly hasPreStop: boolean;
}

/**
 * Seconds from the verdict to the dead container, at worst. Never less than 2 s; a preStop hook that hangs uses the grace period up and
 * leaves those 2 s to the process (pkg/kubelet/kuberuntime/kuberuntime_container.go, killContainer).
 */
export function longestKillSeconds({ graceSeconds, hasPreStop }: Kill): number {
  return hasPreStop ? graceSeconds + 2 : Math.max(graceSeconds, 2);
}

function killFormula({ hasPreStop }: Kill): string {
  return hasPreStop ? 'G+2' : 'max(G,2)';
}

/** The letters of a probe's timing, to be shown with a formula. */
function letters(timing: ProbeTiming): FormulaInputs {
  const { initialDelaySeconds: D, periodSeconds: P, timeoutSeconds: T, failureThreshold: F } = timing;
  return { D, P, T, F, S: timing.successThreshold };
}

/** A figure, with those of the inputs that its formulas name. */
function figure(
  id: FigureId,
  probe: ProbeKind,
  span: Span,
  formula: Figure['formula'],
  available: FormulaInputs,
): Figure {
  const named = new Set(`${formula.earliest} ${formula.latest}`.match(/\b[A-Z]s?\b/g));
  const inputs = Object.fromEntries(Object.entries(available).filter(([letter]) => named.has(letter)));
  return { id, probe, span, formula, inputs };
}

/** The first probe, after the container's start; where a startup probe holds it back, after that one's success. */
function firstProbe(kind: ProbeKind, timing: ProbeTiming, startup?: ProbeTiming): Figure {
  if (startup === undefined) {
    const formula = { earliest: 'max(0, D-1)', latest: 'D + P' };
    return figure('first-probe', kind, firstProbeSpan(timing), formula, letters(timing));
  }
  return firstProbeAfterStartup(kind, timing, startup);
}

/**
 * The delay counts from the container's start even here (pkg/kubelet/prober/worker.go, doProbe): what is left of it after the earliest
 * success of the startup probe may still hold the first probe back. A readiness probe is triggered at once, and never later than this.
 */
function firstProbeAfterStartup(kind: ProbeKind, timing: ProbeTiming, startup: ProbeTiming): Figure {
  const { initialDelaySeconds: D, periodSeconds: P } = timing;
  const latest = Math.max(0, D - firstProbeSpan(startup).earliest) + P;
  return figure(
    'first-probe-after-startup',
    kind,
    { earliest: 0, latest },
    { earliest: '0', latest: 'max(0, D - max(0, Ds-1)) + P' },
    { ...letters(timing), Ds: startup.initialDelaySeconds },
  );
}

/** When a container that is healthy from its first moment has passed its startup probe, which needs one success. */
function started(timing: ProbeTiming): Figure {
  const { earliest, latest } = firstProbeSpan(timing);
  const formula = { earliest: 'max(0, D-1)', latest: 'D + P + T' };
  const span = { earliest, latest: latest + timing.timeoutSeconds };
  return figure('started', 'startupProbe', span, formula, letters(timing));
}

/** The probe that decides whether the container has started: the startup probe, or without one the liveness probe. */
function gateFigures(kind: ProbeKind, timing: ProbeTiming, kill: Kill): Figure[] {
  const span = { earliest: guaranteedStartSeconds(timing), latest: longestStartSeconds(timing) };
  const formula = { earliest: 'max(0, D-1) + (F-1)*P', latest: 'D + P + (F-1)*max(P,T) + T' };
  const inputs = { ...letters(timing), G: kill.graceSeconds };
  return [
    figure('time-to-start', kind, span, formula, inputs),
    figure('never-healthy-stop', kind, span, formula, inputs),
    dead('never-healthy-dead', kind, span, formula, inputs, kill),
  ];
}

/** From a hanging or refusing container to its end. The earliest is one that refuses at once, the latest one that hangs. */
function deadlockFigures(timing: ProbeTiming, kill: Kill): Figure[] {
  const span = faultToVerdict(timing);
  const inputs = { ...letters(timing), G: kill.graceSeconds };
  return [
    figure('deadlock-stop', 'livenessProbe', span, FAULT_FORMULA, inputs),
    dead('deadlock-dead', 'livenessProbe', span, FAULT_FORMULA, inputs, kill),
  ];
}

const FAULT_FORMULA = { earliest: '(F-1)*P', latest: 'P + (F-1)*max(P,T) + T' };

function faultToVerdict(timing: ProbeTiming): Span {
  return { earliest: faultSpan(timing, 0).earliest, latest: faultSpan(timing, timing.timeoutSeconds).latest };
}

/** A process may end at SIGTERM at once, or be killed when its grace period is over. */
function dead(
  id: FigureId,
  kind: ProbeKind,
  span: Span,
  formula: Figure['formula'],
  inputs: FormulaInputs,
  kill: Kill,
): Figure {
  const whole = { earliest: span.earliest, latest: span.latest + longestKillSeconds(kill) };
  return figure(id, kind, whole, { ...formula, latest: `${formula.latest} + ${killFormula(kill)}` }, inputs);
}

function readinessFigures(timing: ProbeTiming, startup: ProbeTiming | undefined): Figure[] {
  const inputs = letters(timing);
  const recovery = {
    earliest: recoverySpan(timing, 0).earliest,
    latest: recoverySpan(timing, timing.timeoutSeconds).latest,
  };
  return [
    firstProbe('readinessProbe', timing, startup),
    readyAfterStart(timing, startup),
    figure('not-ready', 'readinessProbe', faultToVerdict(timing), FAULT_FORMULA, inputs),
    figure('ready-again', 'readinessProbe', recovery, { earliest: '(S-1)*P', latest: 'S*P + T' }, inputs),
  ];
}

/**
 * When a container that is healthy from its first moment is Ready. The successes that it needs do not count in the earliest: until a
 * container is Ready every status sync triggers a probe (pkg/kubelet/prober/prober_manager.go, UpdatePodStatus).
 */
function readyAfterStart(timing: ProbeTiming, startup: ProbeTiming | undefined): Figure {
  const first = firstProbeSpan(timing).earliest;
  const recovery = recoverySpan(timing, timing.timeoutSeconds).latest;
  const { initialDelaySeconds: D } = timing;
  if (startup === undefined) {
    const formula = { earliest: 'max(0, D-1)', latest: 'D + S*P + T' };
    const span = { earliest: first, latest: D + recovery };
    return figure('ready-after-start', 'readinessProbe', span, formula, letters(timing));
  }
  const { initialDelaySeconds: Ds, periodSeconds: Ps, timeoutSeconds: Ts } = startup;
  return figure(
    'ready-after-start',
    'readinessProbe',
    { earliest: Math.max(firstProbeSpan(startup).earliest, first), latest: Math.max(Ds + Ps + Ts, D) + recovery },
    { earliest: 'max(0, Ds-1, D-1)', latest: 'max(Ds+Ps+Ts, D) + S*P + T' },
    { ...letters(timing), Ds, Ps, Ts },
  );
}
