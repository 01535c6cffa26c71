import { member } from './json.ts';
import type { JsonObject } from './json.ts';

/**
 * The timing of one probe after API defaulting, in seconds and counts. Letters as in the Kubernetes documentation's formulas:
 * D initialDelaySeconds, P periodSeconds, T timeoutSeconds, F failureThreshold.
 */
export interface ProbeTiming {
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

/** Largest value of an int32 field: what the API server can store as a failureThreshold. */
const INT32_MAX = 2_147_483_647;

/**
 * A probe's timing with the API server's defaults filled in. Absent, null and 0 all become the default there
 * (pkg/apis/core/v1/defaults.go, SetDefaults_Probe); initialDelaySeconds has no default and counts as 0. A value of another
 * type, which the API server refuses, counts as absent.
 */
export function probeTiming(probe: JsonObject): ProbeTiming {
  return {
    initialDelaySeconds: integerOr(probe, 'initialDelaySeconds', 0),
    periodSeconds: integerOr(probe, 'periodSeconds', 10),
    timeoutSeconds: integerOr(probe, 'timeoutSeconds', 1),
    failureThreshold: integerOr(probe, 'failureThreshold', 3),
  };
}

function integerOr(probe: JsonObject, field: string, fallback: number): number {
  const value = member(probe, field);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : fallback;
}

/**
 * Seconds that a container surely has to start under this probe: max(0, D-1) + (F-1)*P. The first probe may come as soon as
 * D-1 s after the start (the kubelet compares whole seconds) and the F-th failure kills (pkg/kubelet/prober/worker.go), so F*P is
 * the upper end and not the promise.
 */
export function guaranteedStartSeconds(timing: ProbeTiming): number {
  return Math.max(0, timing.initialDelaySeconds - 1) + (timing.failureThreshold - 1) * timing.periodSeconds;
}

/** Seconds after which a start can at the latest still pass: D + P + (F-1)*max(P,T) + T. */
export function longestStartSeconds(timing: ProbeTiming): number {
  const { initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold } = timing;
  const interval = Math.max(periodSeconds, timeoutSeconds);
  return initialDelaySeconds + periodSeconds + (failureThreshold - 1) * interval + timeoutSeconds;
}

/** The smallest failureThreshold whose guaranteed start reaches `seconds`, given the probe's delay and period. */
export function failureThresholdFor(seconds: number, initialDelaySeconds: number, periodSeconds: number): number {
  const afterDelay = seconds - Math.max(0, initialDelaySeconds - 1);
  return Math.min(INT32_MAX, Math.max(1, Math.ceil(afterDelay / periodSeconds) + 1));
}
