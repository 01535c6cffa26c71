import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_POD_GRACE_SECONDS } from '../../engine/probe/api-defaults.ts';
import { hasPreStop, killBy, type Kill } from '../../engine/probe/grace-period.ts';
import { PROBE_KINDS, ownProbe, type ProbeKind } from '../../engine/probe/probe.ts';
import { probeTiming, type ProbeTiming } from '../../engine/probe/timing.ts';
import { undeclaredPortName } from '../../engine/workload/ports.ts';

/** All numbers of a container that decide when its probes let it start, kill it and take its traffic. */
export interface ContainerTimings {
  readonly startupProbe?: ProbeTiming;
  readonly livenessProbe?: ProbeTiming;
  readonly readinessProbe?: ProbeTiming;
  /** How the container is stopped when the startup probe gives up. */
  readonly startupKill: Kill;
  /** How the container is stopped when the liveness probe gives up. */
  readonly livenessKill: Kill;
}

/** The timings of a container. Malformed values, which the API server refuses, count as absent. */
export function containerTimings(container: JsonObject, podSpec: JsonObject): ContainerTimings {
  return {
    ...timingOf(container, 'startupProbe'),
    ...timingOf(container, 'livenessProbe'),
    ...timingOf(container, 'readinessProbe'),
    startupKill: killOf(container, 'startupProbe', podSpec),
    livenessKill: killOf(container, 'livenessProbe', podSpec),
  };
}

function timingOf(container: JsonObject, kind: ProbeKind): Partial<Record<ProbeKind, ProbeTiming>> {
  const probe = ownProbe(container, kind);
  return isJsonObject(probe) ? { [kind]: probeTiming(probe) } : {};
}

function killOf(container: JsonObject, kind: ProbeKind, podSpec: JsonObject): Kill {
  const probe = ownProbe(container, kind);
  const kill = killBy(isJsonObject(probe) ? probe : {}, container, podSpec);
  return kill ?? { graceSeconds: DEFAULT_POD_GRACE_SECONDS, hasPreStop: hasPreStop(container) };
}

/**
 * The probes of a container that never have a result, because they name a port that the container does not declare. The
 * kubelet cannot resolve the name and discards each result (pkg/kubelet/prober/worker.go, doProbe): such a probe never
 * succeeds, never fails and never kills.
 */
export function muteProbes(container: JsonObject): ProbeKind[] {
  return PROBE_KINDS.filter((kind) => {
    const probe = ownProbe(container, kind);
    return isJsonObject(probe) && undeclaredPortName(container, probe) !== undefined;
  });
}

/**
 * The timings of the probes that have an effect. With a mute startup probe the container never counts as started, so
 * the kubelet never runs its other probes (worker.go, doProbe).
 */
export function effectiveTimings(timings: ContainerTimings, mute: readonly ProbeKind[]): ContainerTimings {
  const { startupProbe, livenessProbe, readinessProbe, startupKill, livenessKill } = timings;
  if (mute.includes('startupProbe')) return { startupKill, livenessKill };
  return {
    ...(startupProbe && { startupProbe }),
    ...(livenessProbe && !mute.includes('livenessProbe') && { livenessProbe }),
    ...(readinessProbe && !mute.includes('readinessProbe') && { readinessProbe }),
    startupKill,
    livenessKill,
  };
}
