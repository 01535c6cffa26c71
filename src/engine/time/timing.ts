import { member, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { longestKillSeconds, type Kill } from './kill.ts';

/**
 * The timing of one probe after API defaulting, in seconds and counts. Letters as in the Kubernetes documentation's
 * formulas: D initialDelaySeconds, P periodSeconds, T timeoutSeconds, F failureThreshold, S successThreshold.
 */
export type ProbeTiming = Readonly<Record<keyof typeof DEFAULT_TIMING, number>>;

/** The earliest and the latest moment of an event, in seconds after its cause. */
export interface Span {
  readonly earliest: number;
  readonly latest: number;
}

/**
 * A probe's timing with the API server's defaults filled in. Absent, null and 0 all become the default
 * (pkg/apis/core/v1/defaults.go, SetDefaults_Probe). A value that is no count, which the API server refuses, counts as
 * absent.
 */
export function probeTiming(probe: JsonObject): ProbeTiming {
  const timing: Record<keyof ProbeTiming, number> = { ...DEFAULT_TIMING };
  for (const field of TIMING_FIELDS) {
    const value = member(probe, field);
    if (isCount(value) && value > 0) timing[field] = value;
  }
  return timing;
}

/** False when a value is no count: nothing can be worked out from such a probe. */
export function isTimingSound(probe: JsonObject): boolean {
  return TIMING_FIELDS.every((field) => isCount(member(probe, field) ?? 0));
}

const TIMING_FIELDS = Object.keys(DEFAULT_TIMING) as (keyof ProbeTiming)[];

/** True for a whole number from 0 that JavaScript holds exactly. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * The first probe, after the container's start: max(0, D-1) to D+P. The worker's ticker is older than the container, so
 * its phase is arbitrary (worker.go, run); the kubelet cuts the start to whole seconds, so D may end one second early
 * (worker.go, doProbe; pkg/kubelet/status/status_manager.go).
 */
export function firstProbeSpan({ initialDelaySeconds: D, periodSeconds: P }: ProbeTiming): Span {
  return { earliest: Math.max(0, D - 1), latest: D + P };
}

/**
 * The verdict on a container that is never healthy, after its start: the first probe, F-1 more intervals and the length
 * of the last probe (worker.go, doProbe: the run of equal results must reach F). Holds for the startup probe, and for
 * the liveness probe where there is no startup probe.
 *
 * @param tau seconds that each probe takes: 0 for a refused connection, T for one that hangs. After a slow probe, the
 *   next one starts at once, because one tick is kept (worker.go, run): M = max(P, tau)
 */
export function neverHealthySpan(timing: ProbeTiming, tau: number): Span {
  const first = firstProbeSpan(timing);
  const rest = (timing.failureThreshold - 1) * Math.max(timing.periodSeconds, tau) + tau;
  return { earliest: first.earliest + rest, latest: first.latest + rest };
}

/**
 * Seconds to start that this probe guarantees: max(0, D-1) + (F-1)*P. The first probe may come D-1 s after the start
 * (the kubelet compares whole seconds), and the F-th failure kills (pkg/kubelet/prober/worker.go). So F*P is the upper
 * end, and less is guaranteed.
 */
export function guaranteedStartSeconds(timing: ProbeTiming): number {
  return neverHealthySpan(timing, 0).earliest;
}

/** The Kubernetes versions in which a liveness kill opens the startup gate, and the issue about it. */
export const OPEN_GATE_VERSIONS = 'Kubernetes 1.35 to 1.37';
export const OPEN_GATE_ISSUE = 'kubernetes/kubernetes#141155';

/**
 * Seconds to start that a container with both probes is guaranteed after a liveness kill. In OPEN_GATE_VERSIONS the new
 * container inherits `started: true`. Its liveness probe runs at once, until the next tick of the startup probe, up to
 * one period later (OPEN_GATE_ISSUE). So where the liveness probe can give up within that period, it limits the start.
 */
export function guaranteedRestartSeconds(startup: ProbeTiming, liveness: ProbeTiming): number {
  const guaranteed = guaranteedStartSeconds(startup);
  const whileOpen = guaranteedStartSeconds(liveness);
  return whileOpen < startup.periodSeconds ? Math.min(guaranteed, whileOpen) : guaranteed;
}

/** Seconds of the longest start that can still pass, when all probes before hang: D + P + (F-1)*max(P,T) + T. */
export function longestStartSeconds(timing: ProbeTiming): number {
  return neverHealthySpan(timing, timing.timeoutSeconds).latest;
}

/** The smallest failureThreshold whose guaranteed start reaches `seconds`, given the probe's delay and period. */
export function failureThresholdFor(seconds: number, initialDelaySeconds: number, periodSeconds: number): number {
  const afterDelay = seconds - Math.max(0, initialDelaySeconds - 1);
  return Math.min(INT32_MAX, Math.max(1, Math.ceil(afterDelay / periodSeconds) + 1));
}

/**
 * From a fault in a started container to the probe's verdict (liveness gives up, readiness says NotReady): (F-1)*M +
 * tau, and up to P more, because the fault may come right after a probe (worker.go, run and doProbe).
 */
export function faultSpan(timing: ProbeTiming, tau: number): Span {
  const earliest = (timing.failureThreshold - 1) * Math.max(timing.periodSeconds, tau) + tau;
  return { earliest, latest: timing.periodSeconds + earliest };
}

/** From any fault to the verdict: (F-1)*P when refused at once, P + (F-1)*max(P,T) + T when each probe hangs. */
export function verdictSpan(timing: ProbeTiming): Span {
  return { earliest: faultSpan(timing, 0).earliest, latest: faultSpan(timing, timing.timeoutSeconds).latest };
}

/** From a deadlock to the dead container, at worst: every probe hangs, and the container ignores SIGTERM. */
export function deadlockToKillSeconds(timing: ProbeTiming, kill: Kill): number {
  return verdictSpan(timing).latest + longestKillSeconds(kill);
}

/**
 * Seconds from health to the probe's success at the latest: S*P + tau (worker.go, doProbe). A status sync may trigger
 * readiness probes sooner, so no successThreshold guarantees a minimum (prober_manager.go, UpdatePodStatus).
 */
export function longestRecoverySeconds({ successThreshold: S, periodSeconds: P }: ProbeTiming, tau: number): number {
  return S * P + tau;
}

/**
 * Seconds from the end of a start to Ready, at most: S*P of readiness. Behind a startup probe, its P, and the first
 * success of readiness comes at once (prober_manager.go, UpdatePodStatus). 0 without both.
 */
export function readySeconds(startup: ProbeTiming | undefined, readiness: ProbeTiming | undefined): number {
  const { successThreshold: S, periodSeconds: P } = readiness ?? { successThreshold: 0, periodSeconds: 0 };
  return startup === undefined ? S * P : startup.periodSeconds + Math.max(0, S - 1) * P;
}

/** The smallest failureThreshold with which liveness gives up later than `seconds`: (F-1)*P > seconds. */
export function failureThresholdBeyond(seconds: number, periodSeconds: number): number {
  return Math.min(INT32_MAX, Math.max(1, Math.floor(seconds / periodSeconds) + 2));
}
