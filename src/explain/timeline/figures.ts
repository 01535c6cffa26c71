import { longestKillFormula, longestKillSeconds } from '../../engine/probe/grace-period.ts';
import {
  firstProbeSpan,
  guaranteedRestartSeconds,
  guaranteedStartSeconds,
  longestRecoverySeconds,
  longestStartSeconds,
  verdictSpan,
} from '../../engine/probe/timing.ts';
import { newFigure, timingLetters } from './figure.ts';
import type { Kill } from '../../engine/probe/grace-period.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ProbeTiming, Span } from '../../engine/probe/timing.ts';
import type { ContainerTimings } from './container-timings.ts';
import type { Figure, FigureId, FormulaInputs, SpanFormula } from './figure.ts';

/**
 * Every figure of a container, the probe that decides on its start first. Empty without probes.
 *
 * @param restarts whether the kubelet may start the container again after a kill
 */
export function containerFigures(timings: ContainerTimings, restarts: boolean): Figure[] {
  const { startupProbe: startup, livenessProbe: liveness, readinessProbe: readiness } = timings;
  const { startupKill, livenessKill } = timings;
  return [
    ...(startup ? [firstProbe('startupProbe', startup), started(startup)] : []),
    ...(startup ? startFigures('startupProbe', startup, startupKill) : []),
    ...(liveness ? [firstProbe('livenessProbe', liveness, startup)] : []),
    ...(liveness && !startup ? startFigures('livenessProbe', liveness, livenessKill) : []),
    ...(liveness ? deadlockFigures(liveness, livenessKill) : []),
    ...(liveness && startup && restarts ? [restart(startup, liveness)] : []),
    ...(readiness ? readinessFigures(readiness, startup) : []),
  ];
}

/**
 * The first probe, after the container's start; where a startup probe holds it back, after the startup probe's success.
 */
function firstProbe(kind: ProbeKind, timing: ProbeTiming, startup?: ProbeTiming): Figure {
  if (startup !== undefined) return firstProbeAfterStartup(kind, timing, startup);
  const formula = { earliest: 'max(0, D-1)', latest: 'D + P' };
  return newFigure('first-probe', kind, firstProbeSpan(timing), formula, timingLetters(timing));
}

/**
 * The delay counts from the container's start here too (pkg/kubelet/prober/worker.go, doProbe): the part of it that is
 * left at the earliest success of the startup probe still holds the first probe back. The kubelet triggers a readiness
 * probe at once, which is never later.
 */
function firstProbeAfterStartup(kind: ProbeKind, timing: ProbeTiming, startup: ProbeTiming): Figure {
  const { initialDelaySeconds: D, periodSeconds: P } = timing;
  const span = { earliest: 0, latest: Math.max(0, D - firstProbeSpan(startup).earliest) + P };
  const formula = { earliest: '0', latest: 'max(0, D - max(0, Ds-1)) + P' };
  const inputs = { ...timingLetters(timing), Ds: startup.initialDelaySeconds };
  return newFigure('first-probe-after-startup', kind, span, formula, inputs);
}

/** When a container that is healthy from its first moment has passed its startup probe, which needs one success. */
function started(timing: ProbeTiming): Figure {
  const { earliest, latest } = firstProbeSpan(timing);
  const formula = { earliest: 'max(0, D-1)', latest: 'D + P + T' };
  const span = { earliest, latest: latest + timing.timeoutSeconds };
  return newFigure('started', 'startupProbe', span, formula, timingLetters(timing));
}

/** The figures of a container that does not become healthy, by the probe that decides on its start. */
function startFigures(kind: ProbeKind, timing: ProbeTiming, kill: Kill): Figure[] {
  const span = { earliest: guaranteedStartSeconds(timing), latest: longestStartSeconds(timing) };
  const formula = { earliest: 'max(0, D-1) + (F-1)*P', latest: 'D + P + (F-1)*max(P,T) + T' };
  const inputs = { ...timingLetters(timing), G: kill.graceSeconds };
  return [
    newFigure('time-to-start', kind, span, formula, inputs),
    newFigure('never-healthy-stop', kind, span, formula, inputs, preStopSeconds(kill)),
    dead('never-healthy-dead', kind, span, formula, inputs, kill),
  ];
}

/** From a container that hangs or refuses to its end. */
function deadlockFigures(timing: ProbeTiming, kill: Kill): Figure[] {
  const span = verdictSpan(timing);
  const inputs = { ...timingLetters(timing), G: kill.graceSeconds };
  return [
    newFigure('deadlock-stop', 'livenessProbe', span, VERDICT_FORMULA, inputs, preStopSeconds(kill)),
    dead('deadlock-dead', 'livenessProbe', span, VERDICT_FORMULA, inputs, kill),
  ];
}

function preStopSeconds({ hasPreStop, graceSeconds }: Kill): number | undefined {
  return hasPreStop ? graceSeconds : undefined;
}

/** The start after a liveness kill. The liveness probe limits this start where it can give up in the open gate. */
function restart(startup: ProbeTiming, liveness: ProbeTiming): Figure {
  const { initialDelaySeconds: Ds, periodSeconds: Ps, timeoutSeconds: Ts, failureThreshold: Fs } = startup;
  const span = { earliest: guaranteedRestartSeconds(startup, liveness), latest: longestStartSeconds(startup) };
  const isLimited = span.earliest < guaranteedStartSeconds(startup);
  const formula = {
    earliest: isLimited ? 'max(0, D-1) + (F-1)*P' : 'max(0, Ds-1) + (Fs-1)*Ps',
    latest: 'Ds + Ps + (Fs-1)*max(Ps,Ts) + Ts',
  };
  return newFigure('time-to-restart', 'livenessProbe', span, formula, { ...timingLetters(liveness), Ds, Ps, Ts, Fs });
}

/** The formula of verdictSpan. */
const VERDICT_FORMULA = { earliest: '(F-1)*P', latest: 'P + (F-1)*max(P,T) + T' };

/** A process may end at SIGTERM at once, or be killed when its grace period is over. */
function dead(
  id: FigureId,
  kind: ProbeKind,
  verdict: Span,
  formula: SpanFormula,
  inputs: FormulaInputs,
  kill: Kill,
): Figure {
  const span = { earliest: verdict.earliest, latest: verdict.latest + longestKillSeconds(kill) };
  return newFigure(id, kind, span, { ...formula, latest: `${formula.latest} + ${longestKillFormula(kill)}` }, inputs);
}

/**
 * The earliest moment from health to Ready counts one probe, whatever successThreshold is. While a started container is
 * not Ready, each status sync of its Pod triggers a readiness probe at once (pkg/kubelet/prober/prober_manager.go,
 * UpdatePodStatus; worker.go, run). So S successes need not take (S-1)*P. A run of successes also outlives a restart of
 * the container (worker.go, doProbe: a new container ID does not reset resultRun).
 */
function readinessFigures(timing: ProbeTiming, startup: ProbeTiming | undefined): Figure[] {
  const inputs = timingLetters(timing);
  const recovery = { earliest: 0, latest: longestRecoverySeconds(timing, timing.timeoutSeconds) };
  return [
    firstProbe('readinessProbe', timing, startup),
    readyAfterStart(timing, startup),
    newFigure('not-ready', 'readinessProbe', verdictSpan(timing), VERDICT_FORMULA, inputs),
    newFigure('ready-again', 'readinessProbe', recovery, { earliest: '0', latest: 'S*P + T' }, inputs),
  ];
}

/** When a container that is healthy from its first moment is Ready. */
function readyAfterStart(timing: ProbeTiming, startup: ProbeTiming | undefined): Figure {
  const first = firstProbeSpan(timing).earliest;
  const recovery = longestRecoverySeconds(timing, timing.timeoutSeconds);
  const { initialDelaySeconds: D } = timing;
  if (startup === undefined) {
    const formula = { earliest: 'max(0, D-1)', latest: 'D + S*P + T' };
    const span = { earliest: first, latest: D + recovery };
    return newFigure('ready-after-start', 'readinessProbe', span, formula, timingLetters(timing));
  }
  const { initialDelaySeconds: Ds, periodSeconds: Ps, timeoutSeconds: Ts } = startup;
  return newFigure(
    'ready-after-start',
    'readinessProbe',
    { earliest: Math.max(firstProbeSpan(startup).earliest, first), latest: Math.max(Ds + Ps + Ts, D) + recovery },
    { earliest: 'max(0, Ds-1, D-1)', latest: 'max(Ds+Ps+Ts, D) + S*P + T' },
    { ...timingLetters(timing), Ds, Ps, Ts },
  );
}
