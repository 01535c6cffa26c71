import { isJsonObject } from '../../base/json/json-value.ts';
import { ownProbe, PROBE_KINDS } from '../../engine/probe/probe.ts';
import { undeclaredPortName } from '../../engine/workload/ports.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ContainerTimings } from './container-timings.ts';

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
