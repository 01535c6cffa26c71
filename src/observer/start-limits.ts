import { longestKillSeconds } from '../engine/time/kill.ts';
import { firstProbeSpan, guaranteedStartSeconds, longestStartSeconds, verdictSpan } from '../engine/time/timing.ts';
import type { StartBasis } from '../engine/facts/read-startup-profile.ts';
import type { ProbeTiming } from '../engine/time/timing.ts';
import type { LiveContainer } from './live-pod.ts';

export interface StartProbe {
  readonly basis: StartBasis;
  readonly timing: ProbeTiming;
}

/**
 * The probe that shows the end of a container's start: the startup probe, else the readiness probe. Undefined without
 * both: such a container counts as started and ready at once (prober_manager.go, isContainerStarted), so its status
 * says nothing about its start.
 */
export function startProbeOf({ probes }: Pick<LiveContainer, 'probes'>): StartProbe | undefined {
  const { startupProbe, readinessProbe } = probes;
  if (startupProbe !== undefined) return { basis: 'startup', timing: startupProbe.timing };
  return readinessProbe && { basis: 'readiness', timing: readinessProbe.timing };
}

/** The kubelet knows of a running container only after a relist and a sync, so the first probe may come this late. */
const LATEST_FIRST_PROBE_SECONDS = 2;

/**
 * How far a measured start may be above the true one. A probe sees the end of a start at its next turn: up to one
 * period later, or one timeout later while a probe hangs, and readiness needs `successThreshold` turns. A measured
 * start that ends with the first probes says only that the true start is not longer.
 *
 * @param seconds the measured start
 * @param rounding error of the two instants, in seconds
 */
export function overEstimate({ timing }: StartProbe, seconds: number, rounding: number): number {
  const turns = timing.successThreshold * Math.max(timing.periodSeconds, timing.timeoutSeconds);
  const first = timing.initialDelaySeconds + LATEST_FIRST_PROBE_SECONDS;
  return seconds <= first + turns + rounding ? seconds : turns + rounding;
}

export interface StartLimits {
  /** The container has a startup probe: its liveness probe runs only after the start. */
  readonly hasStartupProbe: boolean;
  /** The startup probe runs first so long after the start of the container, at the latest. */
  readonly firstStartupSeconds: number;
  /** No probe stops the container earlier after its start; undefined without a probe that stops. */
  readonly earliestKillSeconds: number | undefined;
  /** A start may take so long: the probe that stops the container does not give up later. */
  readonly longestStartSeconds: number | undefined;
  /** The longest time from the verdict of a probe to the end of the container. */
  readonly killSeconds: number;
  /** The liveness probe gives up at its failureThreshold, at most so long after its first failure. */
  readonly liveness: { readonly failureThreshold: number; readonly verdictSeconds: number } | undefined;
}

/** The kubelet learns of a start up to 2 s later (its relist and one sync), and times are cut to whole seconds. */
const SLACK_SECONDS = 3;

export function startLimits({ probes }: LiveContainer): StartLimits {
  const { startupProbe: startup, livenessProbe: liveness } = probes;
  const stopping = [startup, liveness].filter((probe) => probe !== undefined);
  const timing = stopping[0]?.timing;
  const ofLiveness = liveness?.timing;
  return {
    hasStartupProbe: startup !== undefined,
    firstStartupSeconds: startup === undefined ? 0 : firstProbeSpan(startup.timing).latest,
    earliestKillSeconds: timing && guaranteedStartSeconds(timing) - 1,
    longestStartSeconds: timing && longestStartSeconds(timing) + SLACK_SECONDS,
    killSeconds: Math.max(0, ...stopping.map(({ kill }) => (kill === undefined ? 0 : longestKillSeconds(kill)))),
    liveness: ofLiveness && {
      failureThreshold: ofLiveness.failureThreshold,
      verdictSeconds: verdictSpan(ofLiveness).latest,
    },
  };
}
