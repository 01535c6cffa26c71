import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { PROBE_INTEGERS, type Probe, type ProbeInteger, type ProbeKind } from '../probe/probe.ts';
import {
  LEAST_START_SECONDS,
  STARTUP_PERIOD_SECONDS,
  hasEnoughStarts,
  learnedSeconds,
  type StartFigures,
} from '../probe/startup-budget.ts';
import {
  failureThresholdFor,
  guaranteedStartSeconds,
  longestStartSeconds,
  probeTiming,
  faultSpan,
  type ProbeTiming,
} from '../probe/timing.ts';
import { livenessHandler, type Evidence } from './handler.ts';
import { handlerFor, likeOwnLiveness } from './own-probes.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { GivenProbe, HandlerProblem } from './injection.ts';

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
  readonly basis: Pick<GivenProbe, 'source' | 'followsDelay' | 'learned'>;
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
  const [own, injected] = liveness?.isInjected === true ? [undefined, liveness.probe] : [liveness?.probe, undefined];
  const fitted =
    given && (own === undefined ? handlerFor(evidence, given, policy.port) : likeOwnLiveness(evidence, own, given));
  const unfit = fitted?.code === undefined ? undefined : fitted;
  const isGiven = fitted !== undefined && unfit === undefined;
  const budget =
    learnedBudget(policy, own, starts) ??
    slowStartBudget(policy, own) ??
    (isGiven || removedBy !== undefined ? undefined : safetyBudget(injected));
  const likeOwn = own && ({ isLikeOwn: true } as const);
  if (given !== undefined && fitted !== undefined && fitted.code === undefined) {
    const timing = budget === undefined ? keepPatience(integers, own) : slowStartTiming(integers, budget.seconds);
    const { handler, follows } = fitted;
    const copy = follows ? { follows } : own && COPY;
    return { ...timed(handler, timing, liveness), ...copy, ...budget?.basis, ...likeOwn, source: given.layer.source };
  }
  if (budget === undefined) return (removedBy === undefined ? unfit : undefined) ?? withoutHandler(removedBy);
  if (liveness === undefined)
    return { code: 'no-liveness-probe', detail: 'a slow start is configured, but it has no livenessProbe to guard' };
  // A policy's own command runs from second 0 in the liveness probe, so the startup probe may run the command, too.
  const copied = own === undefined ? livenessHandler(ports, liveness.probe) : likeOwnLiveness(evidence, own);
  if (copied.code !== undefined) return copied;
  const timeoutSeconds = integers.timeoutSeconds ?? patientTimeout(liveness.probe);
  const timing = { ...slowStartTiming(integers, budget.seconds), timeoutSeconds };
  const instead = unfit && { instead: unfit };
  return { ...timed(copied.handler, timing, liveness), ...COPY, ...budget.basis, ...likeOwn, ...instead };
}

const COPY = { copiesLiveness: true } as const;

/** Why policies give no probe: the highest removes it, or none has a handler. */
export function withoutHandler(removedBy: string | undefined): HandlerProblem {
  return removedBy === undefined
    ? { code: 'no-endpoint', detail: 'no policy names an endpoint or another handler' }
    : { code: 'removed-by-policy', detail: `${removedBy} removes it` };
}

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
  own: Probe | undefined,
  starts: StartFigures | undefined,
): Budget | undefined {
  if (learned === undefined || starts === undefined || !hasEnoughStarts(starts, learned.value)) return undefined;
  const { periodSeconds } = probes.startupProbe.integers;
  const seconds = learnedSeconds(starts, learned.value, periodSeconds ?? STARTUP_PERIOD_SECONDS);
  return {
    seconds: Math.max(seconds, startupSeconds?.value ?? 0, patienceToday(own)),
    basis: { source: learned.layer.source, learned: { figures: starts, seconds } },
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
function slowStartBudget(policy: ContainerPolicy, own: Probe | undefined): Budget | undefined {
  if (policy.startupSeconds !== undefined) {
    const { value, layer } = policy.startupSeconds;
    // A policy's seconds are no less than what an author's liveness probe with a longer delay guarantees today.
    const waitsLonger = layer.kind !== undefined && own && probeTiming(own).initialDelaySeconds > value;
    return { seconds: waitsLonger ? Math.max(value, patienceToday(own)) : value, basis: { source: layer.source } };
  }
  const threshold = policy.fromInitialDelaySeconds;
  if (threshold === undefined || own === undefined) return undefined;
  const timing = probeTiming(own);
  if (timing.initialDelaySeconds < threshold.value) return undefined;
  const seconds = Math.max(LEAST_START_SECONDS, longestStartSeconds(timing));
  return { seconds, basis: { source: threshold.layer.source, followsDelay: true } };
}

function safetyBudget(injected: Probe | undefined): Budget | undefined {
  if (injected === undefined) return undefined;
  const guaranteed = guaranteedStartSeconds(probeTiming(injected));
  return { seconds: Math.max(SAFETY_SECONDS, guaranteed), basis: { source: SAFETY_SOURCE } };
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
function keepPatience(integers: Integers, own: Probe | undefined): Integers {
  const today = patienceToday(own);
  if (today === 0) return integers;
  const { initialDelaySeconds, periodSeconds, failureThreshold } = probeTiming(integers);
  const needed = failureThresholdFor(today, initialDelaySeconds, periodSeconds);
  return needed > failureThreshold ? { ...integers, failureThreshold: needed } : integers;
}

/** Seconds that the author's own liveness probe guarantees today; 0 without one. */
function patienceToday(own: Probe | undefined): number {
  return own === undefined ? 0 : guaranteedStartSeconds(probeTiming(own));
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

/** The liveness or readiness probe of the policy for a container that has none, or why there is none. */
export function plainDefault(evidence: Evidence, policy: ContainerPolicy, kind: ProbeKind): StartupResult {
  const { handler, integers, removedBy } = policy.probes[kind];
  if (handler === undefined) return withoutHandler(removedBy);
  const fitted = handlerFor(evidence, handler, policy.port);
  if (fitted.code !== undefined) return fitted;
  const { follows } = fitted;
  const source = { source: handler.layer.source, ...(follows && { follows }) };
  const [, startup] = (kind === 'livenessProbe' && evidence.own.find(([own]) => own === 'startupProbe')) || [];
  const failureThreshold = startup && safeThreshold(probeTiming(integers), startup);
  if (failureThreshold === undefined) return { probe: { ...fitted.handler, ...ordered(integers) }, ...source };
  if (typeof failureThreshold !== 'number') return failureThreshold;
  return { probe: { ...fitted.handler, ...ordered({ ...integers, failureThreshold }) }, ...source, isMadeSafe: true };
}

/**
 * The failureThreshold of an injected liveness probe that cannot kill a restarted container before the author's startup
 * probe asks (kubernetes/kubernetes#141155): max(0, D-1) + (F-1)*P >= P of the startup probe. Undefined when the
 * policy's number is large enough; a problem where a safe number would find a deadlock too late.
 */
function safeThreshold(timing: ProbeTiming, startup: Probe): number | HandlerProblem | undefined {
  const { periodSeconds } = probeTiming(startup);
  if (guaranteedStartSeconds(timing) >= periodSeconds) return undefined;
  const needed = failureThresholdFor(periodSeconds, timing.initialDelaySeconds, timing.periodSeconds);
  const { latest } = faultSpan({ ...timing, failureThreshold: needed }, timing.timeoutSeconds);
  if (needed <= MOST_FAILURES && latest <= MOST_KILL_SECONDS) return needed;
  return {
    code: 'startup-period-too-long',
    detail:
      `its startupProbe asks every ${periodSeconds} s, and after a restart this livenessProbe may kill it ` +
      `${guaranteedStartSeconds(timing)} s after the start; give the startupProbe a shorter periodSeconds`,
  };
}

/** Probewright's own limits for a raised failureThreshold: failures, and seconds from a deadlock to the verdict. */
const MOST_FAILURES = 10;
const MOST_KILL_SECONDS = 120;
