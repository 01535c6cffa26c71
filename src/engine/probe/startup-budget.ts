import { ownProbe } from './probe.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/**
 * Seconds to start that every container should be guaranteed: what the check `startup-budget` asks for by itself, and
 * the least that a startup probe of ours gives. The number is Probewright's own.
 */
export const LEAST_START_SECONDS = 10;

/**
 * Period of a startup probe that Probewright writes or suggests, in seconds: short, because a container that has
 * started waits for the next probe. The number is Probewright's own.
 */
export const STARTUP_PERIOD_SECONDS = 5;

/**
 * The probe that kills a container that starts too slowly: the startup probe, and where there is none the liveness
 * probe (pkg/kubelet/prober/worker.go, doProbe: the other probes wait until the startup probe has succeeded).
 */
export function startGateOf(container: JsonObject): 'startupProbe' | 'livenessProbe' {
  return ownProbe(container, 'startupProbe') === undefined ? 'livenessProbe' : 'startupProbe';
}
