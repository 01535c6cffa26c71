import { longestKillFormula, longestKillSeconds, type Kill } from '../../engine/probe/grace-period.ts';
import {
  firstProbeSpan,
  guaranteedRestartSeconds,
  guaranteedStartSeconds,
  longestRecoverySeconds,
  longestStartSeconds,
  verdictSpan,
} from '../../engine/probe/timing.ts';
import { newFigure, timingLetters, type Figure, type FigureId } from './figure.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ProbeTiming } from '../../engine/probe/timing.ts';
import type { ContainerTimings } from './container-timings.ts';

/** Every figure of a container, the probe that decides on its start first. `restarts`: a kill is no end. */
export function containerFigures(timings: ContainerTimings, restarts: boolean): Figure[] {
  const { startupProbe: startup, livenessProbe: liveness, readinessProbe: readiness } = timings;
  const { startupKill, livenessKill } = timings;
  return [
    ...(startup ? [firstProbe('startupProbe', startup), started(startup)] : []),
    ...(startup ? startFigures('startupProbe', startup, startupKill) : []),
    ...(liveness ? [firstProbe('livenessProbe', liveness, startup)] : []),
    ...(liveness && !startup ? startFigures('livenessProbe', liveness, livenessKill) : []),
    ...(liveness
      ? killFigures(
          ['deadlock-stop', 'deadlock-dead'],
          'livenessProbe',
          liveness,
          ...verdictEnds(liveness),
          livenessKill,
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

type End = Parameters<typeof newFigure>[2];

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
