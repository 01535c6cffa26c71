import { member } from '../probes/json.ts';
import { PROBE_INTEGERS } from '../probes/probe.ts';
import { failureThresholdFor, guaranteedStartSeconds, longestStartSeconds, probeTiming } from '../probes/timing.ts';
import { ANNOTATION_SOURCE } from '../policy/annotations.ts';
import { livenessHandler, policyHandler } from './handler.ts';
import type { JsonObject } from '../probes/json.ts';
import type { Probe, ProbeInteger } from '../probes/probe.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { ContainerPort } from '../workload/ports.ts';
import type { HandlerProblem } from './handler.ts';

/** Where a startup probe comes from that no policy asked for: the one that guards an injected liveness probe. */
export const SAFETY_SOURCE = 'safety';

/** Seconds that a container gets to start when Probewright injects its liveness probe and nothing says how long it needs. */
const SAFETY_SECONDS = 300;
/** What the check startup-budget asks of every container by itself: no number that is worked out here is below it. */
const LEAST_SECONDS = 10;
/** Period of a startup probe for a slow starter: short, because a started container waits for the next one. */
const STARTUP_PERIOD_SECONDS = 5;

/** The liveness probe that a container will have, and whether it is one that Probewright adds. */
export interface EffectiveLiveness {
  readonly probe: Probe;
  readonly injectedFrom?: string;
}

/** A startup probe to add. */
export interface StartupProbe {
  readonly probe: Probe;
  readonly source: string;
  /** Without the author's `initialDelaySeconds` there would be no such probe, or a shorter one. */
  readonly followsDelay?: true;
  /** Why it asks what the liveness probe asks and not what policy says. */
  readonly instead?: HandlerProblem;
}

/** The startup probe to add, or why there is none. */
export type StartupResult = StartupProbe | HandlerProblem;

interface Budget {
  readonly seconds: number;
  readonly source: string;
  readonly followsDelay?: true;
}

/**
 * The startup probe for a container that has none: the policy's own, widened to the budget of a slow starter, or for a slow
 * starter without one its liveness probe's handler.
 *
 * @param ports all that the container declares
 */
export function startupDefault(
  ports: readonly ContainerPort[],
  policy: ContainerPolicy,
  liveness: EffectiveLiveness | undefined,
): StartupResult {
  const { handler, integers, removedBy } = policy.probes.startupProbe;
  const own = handler && policyHandler(ports, handler.value, policy.port?.value);
  const configured = own !== undefined && 'handler' in own ? own : undefined;
  const budget =
    slowStartBudget(policy, liveness) ??
    (configured === undefined && removedBy === undefined ? safetyBudget(liveness) : undefined);

  const followsDelay = budget?.followsDelay && { followsDelay: budget.followsDelay };
  if (configured !== undefined && handler !== undefined) {
    const timing = budget === undefined ? keepPatience(integers, liveness) : slowStartTiming(integers, budget.seconds);
    return { probe: { ...configured.handler, ...ordered(timing) }, source: handler.source, ...followsDelay };
  }
  if (budget === undefined) {
    if (removedBy !== undefined) return { code: 'removed-by-policy', detail: `${removedBy} removes it` };
    return own !== undefined && 'code' in own
      ? own
      : { code: 'no-endpoint', detail: 'no policy names an endpoint or another handler' };
  }
  if (liveness === undefined)
    return { code: 'no-liveness-probe', detail: 'a slow start is configured, but it has no livenessProbe to guard' };
  const copied = livenessHandler(ports, liveness.probe);
  if ('code' in copied) return copied;
  const timeout = integers.timeoutSeconds ?? patientTimeout(liveness.probe);
  const timing = {
    ...slowStartTiming(integers, budget.seconds),
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
  };
  return {
    probe: { ...copied.handler, ...ordered(timing) },
    source: budget.source,
    ...followsDelay,
    ...(own !== undefined && 'code' in own && { instead: own }),
  };
}

/**
 * The budget of a slow starter: the seconds that an annotation or a policy gives; else, for a liveness probe of the author's that
 * waits long enough, the longest start that its settings tolerated.
 */
function slowStartBudget(policy: ContainerPolicy, liveness: EffectiveLiveness | undefined): Budget | undefined {
  if (policy.startupSeconds !== undefined) {
    const { value, source } = policy.startupSeconds;
    return { seconds: source === ANNOTATION_SOURCE ? value : atLeastAsLong(value, liveness), source };
  }
  const threshold = policy.fromInitialDelaySeconds;
  if (threshold === undefined || liveness === undefined || liveness.injectedFrom !== undefined) return undefined;
  const timing = probeTiming(liveness.probe);
  return timing.initialDelaySeconds >= threshold.value
    ? { seconds: Math.max(LEAST_SECONDS, longestStartSeconds(timing)), source: threshold.source, followsDelay: true }
    : undefined;
}

/**
 * A policy's seconds; but an author whose liveness probe waits longer than that has said that this start takes longer, and is not cut short. (The
 * annotation is the author's own word and counts as it is.)
 */
function atLeastAsLong(seconds: number, liveness: EffectiveLiveness | undefined): number {
  const waitsLonger = liveness !== undefined && probeTiming(liveness.probe).initialDelaySeconds > seconds;
  return waitsLonger ? Math.max(seconds, patienceToday(liveness)) : seconds;
}

function safetyBudget(liveness: EffectiveLiveness | undefined): Budget | undefined {
  if (liveness?.injectedFrom === undefined) return undefined;
  const own = guaranteedStartSeconds(probeTiming(liveness.probe));
  return { seconds: Math.max(SAFETY_SECONDS, own), source: SAFETY_SOURCE };
}

type Integers = Readonly<Partial<Record<ProbeInteger, number | undefined>>>;

/** A policy's integers with the smallest failureThreshold that guarantees the budget, unless the policy's own is larger. */
function slowStartTiming(integers: Integers, seconds: number): Integers {
  const periodSeconds = integers.periodSeconds ?? STARTUP_PERIOD_SECONDS;
  const needed = failureThresholdFor(seconds, integers.initialDelaySeconds ?? 0, periodSeconds);
  return { ...integers, periodSeconds, failureThreshold: Math.max(needed, integers.failureThreshold ?? 0) };
}

/**
 * A policy's integers for a container whose liveness probe is the author's: the startup probe must not give it less time to start
 * than that liveness probe guarantees today, or the container that started yesterday is killed tomorrow.
 */
function keepPatience(integers: Integers, liveness: EffectiveLiveness | undefined): Integers {
  const today = patienceToday(liveness);
  if (today === 0) return integers;
  const { initialDelaySeconds, periodSeconds, failureThreshold } = probeTiming(integers);
  const needed = failureThresholdFor(today, initialDelaySeconds, periodSeconds);
  return needed > failureThreshold ? { ...integers, failureThreshold: needed } : integers;
}

/** Seconds that the author's own liveness probe guarantees today; 0 without one. */
function patienceToday(liveness: EffectiveLiveness | undefined): number {
  if (liveness === undefined || liveness.injectedFrom !== undefined) return 0;
  return guaranteedStartSeconds(probeTiming(liveness.probe));
}

/** A liveness probe's timeout where it is longer than the API server's default: the same answer takes no less time at the start. */
function patientTimeout(liveness: Probe): number | undefined {
  const { timeoutSeconds } = probeTiming(liveness);
  return timeoutSeconds > 1 && member(liveness, 'timeoutSeconds') === timeoutSeconds ? timeoutSeconds : undefined;
}

/** The integers in the order of core/v1 Probe. */
export function ordered(integers: Integers): JsonObject {
  const set: Record<string, number> = {};
  for (const field of PROBE_INTEGERS) {
    const value = integers[field];
    if (value !== undefined) set[field] = value;
  }
  return set;
}
