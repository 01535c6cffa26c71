import type { JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { PROBE_INTEGERS, type Probe, type ProbeInteger } from '../probe/probe.ts';
import {
  LEAST_START_SECONDS,
  STARTUP_PERIOD_SECONDS,
  hasEnoughStarts,
  learnedSeconds,
  type StartFigures,
} from '../probe/startup-budget.ts';
import { failureThresholdFor, guaranteedStartSeconds, longestStartSeconds, probeTiming } from '../probe/timing.ts';
import type { ProbeTiming } from '../probe/timing.ts';
import { ANNOTATION_SOURCE } from '../policy/annotations.ts';
import { livenessHandler, type Evidence } from './handler.ts';
import { handlerFor, likeOwnLiveness } from './own-probes.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { GivenProbe, HandlerProblem, LearnedBudget } from './injection.ts';

/** The source of a startup probe that protects an injected liveness probe and that no policy asked for. */
export const SAFETY_SOURCE = 'safety';

/** Seconds to start for a container with an injected liveness probe, when no policy or annotation gives a number. */
const SAFETY_SECONDS = 300;

/** The liveness probe that a container will have: the author's, or one that Probewright adds. */
export interface EffectiveLiveness {
  readonly probe: Probe;
  readonly isInjected: boolean;
}

/** The startup probe to add, or why there is none. `instead`: why the policy's own handler is not used. */
export type StartupResult = (GivenProbe & { readonly instead?: HandlerProblem }) | HandlerProblem;

interface Budget {
  readonly seconds: number;
  readonly source: string;
  readonly followsDelay?: true;
  readonly learned?: LearnedBudget;
}

/**
 * The startup probe for a container that has none: the policy's, widened to the budget of a slow starter; else a slow
 * starter gets the handler of its liveness probe. The handler of an author's liveness probe always counts.
 *
 * @param starts what is known of the container's past starts; undefined when nothing is known
 */
export function startupDefault(
  evidence: Evidence,
  policy: ContainerPolicy,
  liveness: EffectiveLiveness | undefined,
  starts?: StartFigures,
): StartupResult {
  const { handler: given, integers, removedBy } = policy.probes.startupProbe;
  const { ports } = evidence;
  const own = liveness?.isInjected === true ? undefined : liveness?.probe;
  const fitted =
    given && (own === undefined ? handlerFor(evidence, given, policy.port) : likeOwnLiveness(ports, own, given));
  const unfit = fitted !== undefined && 'code' in fitted ? fitted : undefined;
  const isGiven = fitted !== undefined && unfit === undefined;
  const budget =
    learnedBudget(policy, liveness, starts) ??
    slowStartBudget(policy, liveness) ??
    (isGiven || removedBy !== undefined ? undefined : safetyBudget(liveness));
  const basis = {
    ...(budget?.followsDelay && { followsDelay: budget.followsDelay }),
    ...(budget?.learned && { learned: budget.learned }),
    ...(own && { isLikeOwn: true as const }),
  };
  if (given !== undefined && fitted !== undefined && 'handler' in fitted) {
    const timing = budget === undefined ? keepPatience(integers, liveness) : slowStartTiming(integers, budget.seconds);
    const { handler, follows } = fitted;
    const copy = follows ? { follows } : own && COPY;
    return { ...timed(handler, timing, liveness), source: given.source, ...copy, ...basis };
  }
  if (budget === undefined) {
    if (removedBy !== undefined) return { code: 'removed-by-policy', detail: `${removedBy} removes it` };
    return unfit ?? { code: 'no-endpoint', detail: 'no policy names an endpoint or another handler' };
  }
  if (liveness === undefined)
    return { code: 'no-liveness-probe', detail: 'a slow start is configured, but it has no livenessProbe to guard' };
  // A policy's own command runs from second 0 in the liveness probe, so the startup probe may run the command, too.
  const copied = own === undefined ? livenessHandler(ports, liveness.probe) : likeOwnLiveness(ports, own);
  if ('code' in copied) return copied;
  const timeoutSeconds = integers.timeoutSeconds ?? patientTimeout(liveness.probe);
  const timing = { ...slowStartTiming(integers, budget.seconds), timeoutSeconds };
  const instead = unfit && { instead: unfit };
  return { ...timed(copied.handler, timing, liveness), source: budget.source, ...COPY, ...basis, ...instead };
}

const COPY = { copiesLiveness: true } as const;

function timed(
  handler: JsonObject,
  integers: Integers,
  liveness: EffectiveLiveness | undefined,
): Pick<GivenProbe, 'probe' | 'isMadeSafe'> {
  if (liveness === undefined) return { probe: { ...handler, ...ordered(integers) } };
  const patient = liveness.isInjected ? integers : asPatientAs(integers, liveness.probe);
  const safe = safeAfterRestart(probeTiming(patient), liveness.probe);
  return { probe: { ...handler, ...ordered({ ...patient, ...safe }) }, ...(safe && { isMadeSafe: true }) };
}

/** The budget that past starts ask for: at least `startupSeconds`, and what the author's liveness probe guarantees. */
function learnedBudget(
  { learned, startupSeconds, probes }: ContainerPolicy,
  liveness: EffectiveLiveness | undefined,
  starts: StartFigures | undefined,
): Budget | undefined {
  if (learned === undefined || starts === undefined || !hasEnoughStarts(starts, learned.value)) return undefined;
  const { periodSeconds } = probes.startupProbe.integers;
  const seconds = learnedSeconds(starts, learned.value, periodSeconds ?? STARTUP_PERIOD_SECONDS);
  return {
    seconds: Math.max(seconds, startupSeconds?.value ?? 0, patienceToday(liveness)),
    source: learned.source,
    learned: { figures: starts, seconds },
  };
}

/** Why a policy's learned budget has no effect on a container; undefined when the budget has an effect. */
export function withoutLearnedBudget(
  { learned }: ContainerPolicy,
  starts: StartFigures | undefined,
): HandlerProblem | undefined {
  if (learned === undefined || (starts !== undefined && hasEnoughStarts(starts, learned.value))) return undefined;
  const { minimumStarts } = learned.value;
  return {
    code: 'too-few-starts',
    detail: `${starts?.starts ?? 0} of ${minimumStarts} starts are known, so slowStart.learned has no effect yet`,
  };
}

/**
 * The budget of a slow starter: the seconds of an annotation or a policy, else the longest start that an author's
 * liveness probe with a long enough initial delay tolerates today.
 */
function slowStartBudget(policy: ContainerPolicy, liveness: EffectiveLiveness | undefined): Budget | undefined {
  if (policy.startupSeconds !== undefined) {
    const { value, source } = policy.startupSeconds;
    return { seconds: source === ANNOTATION_SOURCE ? value : atLeastAsLong(value, liveness), source };
  }
  const threshold = policy.fromInitialDelaySeconds;
  if (threshold === undefined || liveness === undefined || liveness.isInjected) return undefined;
  const timing = probeTiming(liveness.probe);
  if (timing.initialDelaySeconds < threshold.value) return undefined;
  const seconds = Math.max(LEAST_START_SECONDS, longestStartSeconds(timing));
  return { seconds, source: threshold.source, followsDelay: true };
}

/** A policy's seconds, or what the author's liveness probe guarantees today when its initial delay is longer. */
function atLeastAsLong(seconds: number, liveness: EffectiveLiveness | undefined): number {
  const waitsLonger = liveness !== undefined && probeTiming(liveness.probe).initialDelaySeconds > seconds;
  return waitsLonger ? Math.max(seconds, patienceToday(liveness)) : seconds;
}

function safetyBudget(liveness: EffectiveLiveness | undefined): Budget | undefined {
  if (liveness?.isInjected !== true) return undefined;
  const own = guaranteedStartSeconds(probeTiming(liveness.probe));
  return { seconds: Math.max(SAFETY_SECONDS, own), source: SAFETY_SOURCE };
}

type Integers = Readonly<Partial<Record<ProbeInteger, number | undefined>>>;

/** A policy's integers, with the smallest failureThreshold that guarantees the budget, or the policy's larger one. */
function slowStartTiming(integers: Integers, seconds: number): Integers {
  const periodSeconds = integers.periodSeconds ?? STARTUP_PERIOD_SECONDS;
  const needed = failureThresholdFor(seconds, integers.initialDelaySeconds ?? 0, periodSeconds);
  return { ...integers, periodSeconds, failureThreshold: Math.max(needed, integers.failureThreshold ?? 0) };
}

/**
 * A policy's integers. The startup probe guarantees at least the time to start that the author's liveness probe
 * guarantees today. Otherwise a container that starts today is killed after the injection.
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
  if (liveness === undefined || liveness.isInjected) return 0;
  return guaranteedStartSeconds(probeTiming(liveness.probe));
}

/** The startup probe asks what the author's liveness probe asks, so a policy's timeout must not be shorter. */
function asPatientAs(integers: Integers, liveness: Probe): Integers {
  const timeoutSeconds = patientTimeout(liveness);
  const isShorter = timeoutSeconds !== undefined && (integers.timeoutSeconds ?? 0) < timeoutSeconds;
  return isShorter ? { ...integers, timeoutSeconds } : integers;
}

/**
 * The numbers with a period that is safe after a liveness kill. Since Kubernetes 1.35, the liveness probe then runs
 * until the startup probe's next tick, up to P later (kubernetes/kubernetes#141155). It must not kill within that time:
 * P <= max(0, D-1) + (F-1)*P of the liveness probe. The failureThreshold grows, so that the time to start stays.
 * Undefined where nothing must change, or no whole second is short enough.
 */
function safeAfterRestart(timing: ProbeTiming, liveness: Probe): Integers | undefined {
  const longest = guaranteedStartSeconds(probeTiming(liveness));
  if (longest < 1 || timing.periodSeconds <= longest) return undefined;
  const needed = failureThresholdFor(guaranteedStartSeconds(timing), timing.initialDelaySeconds, longest);
  return { periodSeconds: longest, failureThreshold: Math.max(needed, timing.failureThreshold) };
}

/** A startup probe with numbers that are safe beside a liveness probe. Undefined when its own numbers are safe. */
export function safeStartupProbe(probe: Probe, liveness: Probe): Probe | undefined {
  const safe = safeAfterRestart(probeTiming(probe), liveness);
  return safe && { ...probe, ...ordered(safe) };
}

/** A liveness probe's timeout above the API server's default: the endpoint is no faster during the start. */
function patientTimeout(liveness: Probe): number | undefined {
  const { timeoutSeconds } = probeTiming(liveness);
  return timeoutSeconds > DEFAULT_TIMING.timeoutSeconds ? timeoutSeconds : undefined;
}

export function ordered(integers: Integers): JsonObject {
  return Object.fromEntries(
    PROBE_INTEGERS.flatMap((field) => (integers[field] === undefined ? [] : [[field, integers[field]]])),
  );
}
