import { member } from './json.ts';
import type { JsonObject } from './json.ts';

/**
 * The timing of one probe after API defaulting, in seconds and counts. Letters as in the Kubernetes documentation's formulas:
 * D initialDelaySeconds, P periodSeconds, T timeoutSeconds, F failureThreshold, S successThreshold.
 */
export interface ProbeTiming {
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
}

/** The earliest and the latest moment of something, in seconds after what starts it. */
export interface Span {
  readonly earliest: number;
  readonly latest: number;
}

/** Largest value of an int32 field: what the API server can store as a failureThreshold. */
const INT32_MAX = 2_147_483_647;

/**
 * A probe's timing with the API server's defaults filled in. Absent, null and 0 all become the default there
 * (pkg/apis/core/v1/defaults.go, SetDefaults_Probe); initialDelaySeconds has no default and counts as 0. A value of another
 * type, which the API server refuses, counts as absent.
 */
export function probeTiming(probe: JsonObject): ProbeTiming {
  return timingBy(integerOr, probe);
}

/** The same; undefined when a number is none that the API server could store, since nothing can be worked out from it. */
export function soundTiming(probe: JsonObject): ProbeTiming | undefined {
  const timing = timingBy(countOr, probe);
  return Object.values(timing).includes(NaN) ? undefined : timing;
}

/** @param read the number in a field, or what it defaults to */
function timingBy(
  read: (probe: JsonObject, field: string, fallback: number) => number,
  probe: JsonObject,
): ProbeTiming {
  return {
    initialDelaySeconds: read(probe, 'initialDelaySeconds', 0),
    periodSeconds: read(probe, 'periodSeconds', 10),
    timeoutSeconds: read(probe, 'timeoutSeconds', 1),
    failureThreshold: read(probe, 'failureThreshold', 3),
    successThreshold: read(probe, 'successThreshold', 1),
  };
}

/** NaN for what is no count. */
function countOr(probe: JsonObject, field: string, fallback: number): number {
  const value = member(probe, field) ?? 0;
  if (!isCount(value)) return NaN;
  return value === 0 ? fallback : value;
}

/** True for what an integer field that knows no negative numbers can hold. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function integerOr(probe: JsonObject, field: string, fallback: number): number {
  const value = member(probe, field);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : fallback;
}

/**
 * Seconds from one probe to the next while each takes `tau`: M = max(P, tau). Probes run one after the other; one tick is kept
 * while a slow one runs, so the next starts at once (pkg/kubelet/prober/worker.go, run). tau is 0 for a refused connection and T for
 * a hanging one.
 */
export function intervalSeconds({ periodSeconds: P }: ProbeTiming, tau: number): number {
  return Math.max(P, tau);
}

/**
 * The first probe, after the container's start: max(0, D-1) to D+P. The worker's ticker is older than the container, so its phase is
 * arbitrary (worker.go, run); the kubelet cuts the start to whole seconds, so D may end one second early (worker.go, doProbe;
 * pkg/kubelet/status/status_manager.go).
 */
export function firstProbeSpan({ initialDelaySeconds: D, periodSeconds: P }: ProbeTiming): Span {
  return { earliest: Math.max(0, D - 1), latest: D + P };
}

/**
 * The verdict on a container that is never healthy, after its start: the first probe, F-1 intervals more and the length of the last
 * probe. Holds for the startup probe and, where there is none, for the liveness probe (worker.go, doProbe: the run of equal results
 * must reach F).
 */
export function neverHealthySpan(timing: ProbeTiming, tau: number): Span {
  const first = firstProbeSpan(timing);
  const rest = (timing.failureThreshold - 1) * intervalSeconds(timing, tau) + tau;
  return { earliest: first.earliest + rest, latest: first.latest + rest };
}

/**
 * Seconds that a container surely has to start under this probe: max(0, D-1) + (F-1)*P. The first probe may come as soon as
 * D-1 s after the start (the kubelet compares whole seconds) and the F-th failure kills (pkg/kubelet/prober/worker.go), so F*P is
 * the upper end and not the promise.
 */
export function guaranteedStartSeconds(timing: ProbeTiming): number {
  return neverHealthySpan(timing, 0).earliest;
}

/** Seconds after which a start can at the latest still pass, every probe before hanging: D + P + (F-1)*max(P,T) + T. */
export function longestStartSeconds(timing: ProbeTiming): number {
  return neverHealthySpan(timing, timing.timeoutSeconds).latest;
}

/** The smallest failureThreshold whose guaranteed start reaches `seconds`, given the probe's delay and period. */
export function failureThresholdFor(seconds: number, initialDelaySeconds: number, periodSeconds: number): number {
  const afterDelay = seconds - Math.max(0, initialDelaySeconds - 1);
  return Math.min(INT32_MAX, Math.max(1, Math.ceil(afterDelay / periodSeconds) + 1));
}

/**
 * From a fault in a started container to the probe's verdict (liveness gives up, readiness says NotReady): (F-1)*M + tau, and up to P
 * more, because the fault may come right after a probe (worker.go, run and doProbe).
 */
export function faultSpan(timing: ProbeTiming, tau: number): Span {
  const earliest = (timing.failureThreshold - 1) * intervalSeconds(timing, tau) + tau;
  return { earliest, latest: timing.periodSeconds + earliest };
}

/**
 * The shortest grace period of a kill, whatever the Pod says (pkg/kubelet/kuberuntime/kuberuntime_manager.go,
 * minimumGracePeriodInSeconds).
 */
const MINIMUM_GRACE_SECONDS = 2;

/**
 * From a deadlock to the dead container, at worst: every probe hangs, and the container ignores SIGTERM for its whole grace period G:
 * P + (F-1)*max(P,T) + T + max(G,2) (pkg/kubelet/kuberuntime/kuberuntime_container.go, killContainer).
 */
export function deadlockToKillSeconds(timing: ProbeTiming, graceSeconds: number): number {
  return faultSpan(timing, timing.timeoutSeconds).latest + Math.max(graceSeconds, MINIMUM_GRACE_SECONDS);
}

/**
 * From health to the probe's success: (S-1)*P to S*P + tau (worker.go, doProbe). A status sync may trigger a readiness probe sooner
 * (prober_manager.go, UpdatePodStatus); the latest end stands.
 */
export function recoverySpan({ successThreshold: S, periodSeconds: P }: ProbeTiming, tau: number): Span {
  return { earliest: (S - 1) * P, latest: S * P + tau };
}

/**
 * The smallest failureThreshold with which liveness gives up strictly later than `seconds` after a fault, even when each of its
 * probes fails at once: (F-1)*P > seconds.
 */
export function failureThresholdBeyond(seconds: number, periodSeconds: number): number {
  return Math.min(INT32_MAX, Math.max(1, Math.floor(seconds / periodSeconds) + 2));
}
