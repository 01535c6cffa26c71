import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { expectedStartSeconds, LEAST_START_SECONDS, SAFETY_SECONDS, STARTUP_PERIOD_SECONDS } from '../time/bounds.ts';
import { hasEnoughStarts, learnedTime, type KnownStarts, type LearnedTime } from '../time/learned-start.ts';
import { numbersFor, safeAfterRestart, startupNumbers, type StartupNumbers } from '../time/startup-numbers.ts';
import { guaranteedStartSeconds, longestStartSeconds, probeTiming, type ProbeTiming } from '../time/timing.ts';
import { livenessHandler, probeWith, type Evidence, type HandlerResult } from './handler.ts';
import { withoutHandler, type HandlerProblem } from './not-injected.ts';
import type { GivenProbe, StartBudget } from './injection.ts';
import { handlerFor, likeOwnLiveness } from './own-probes.ts';
import type { HandlerDefault } from '../policy/probe-policy.ts';
import type { ProbeJson } from '../probe/probe.ts';
import { startupGraceSeconds } from '../workload/kill-settings.ts';
import type { ProbeObject } from '../workload/pod.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';

/** The source of a startup probe that protects an injected liveness probe and that no policy asked for. */
export const SAFETY_SOURCE = 'safety';

/** The probes that tell how long a container may take to start, and what is known of its past starts. */
export interface StartEvidence {
  /** The author's own liveness and readiness probe. */
  readonly liveness?: ProbeTiming | undefined;
  readonly readiness?: ProbeTiming | undefined;
  /** The liveness probe that Probewright adds. */
  readonly injectedLiveness?: ProbeTiming | undefined;
  readonly starts?: KnownStarts | undefined;
  /** The grace period of the author's liveness probe, which a startup probe takes over. */
  readonly graceSeconds?: number | undefined;
}

/** A rule for slow starters that asks for a startup probe, and the seconds that it gives. */
export interface SlowStartRule extends StartBudget {
  readonly basis: Pick<GivenProbe, 'source' | 'followsDelay' | 'learned'>;
}

/**
 * The law of injection: the seconds to start that an injected startup probe guarantees at least, and the rule that
 * gives them. They are the largest of the policy's number, what the author's liveness probe guarantees, the start that
 * the author's readiness probe expects, and 300 s where neither a layer nor a liveness probe of the author gives a
 * number.
 *
 * @param written the seconds that the policy's own failureThreshold guarantees; undefined where no layer gives one
 */
export function startBudget(
  { liveness, readiness, injectedLiveness }: StartEvidence,
  asked: SlowStartRule | undefined,
  written: number | undefined,
): StartBudget {
  const isFree = asked === undefined && written === undefined && liveness === undefined;
  const safety = Math.max(SAFETY_SECONDS, injectedLiveness ? guaranteedStartSeconds(injectedLiveness) : 0);
  const numbers: readonly (readonly [StartBudget['rule'], number | undefined])[] = [
    [asked?.rule ?? 'startupSeconds', asked?.seconds],
    ['failureThreshold', written],
    ['livenessProbe', liveness && guaranteedStartSeconds(liveness)],
    ['safety', isFree ? safety : undefined],
    ['readinessProbe', readiness && expectedStartSeconds(readiness)],
  ];
  // Of equal numbers, the first counts.
  return numbers
    .flatMap(([rule, seconds]) => (seconds === undefined ? [] : [{ seconds, rule }]))
    .reduce((most, one) => (one.seconds > most.seconds ? one : most));
}

/**
 * The rule for slow starters that applies to a container: learned starts; else the seconds of a policy or annotation;
 * else the longest start that an author's liveness probe with a long enough initial delay tolerates today.
 */
export function slowStartRule(policy: ContainerPolicy, { liveness, starts }: StartEvidence): SlowStartRule | undefined {
  const { learned, startupSeconds, fromInitialDelaySeconds } = policy;
  const budget = learnedBudget(policy, starts);
  if (learned !== undefined && budget !== undefined) {
    const { seconds, isOfAllImages = false } = budget;
    const given = startupSeconds?.value ?? 0;
    const basis = { source: learned.layer.source, learned: budget };
    const isGiven = isOfAllImages ? given >= seconds : given > seconds;
    const otherwise = isOfAllImages && seconds === SAFETY_SECONDS ? 'safety' : 'learned';
    return { seconds: Math.max(seconds, given), rule: isGiven ? 'startupSeconds' : otherwise, basis };
  }
  if (startupSeconds !== undefined) {
    const { value: seconds, layer } = startupSeconds;
    return { seconds, rule: 'startupSeconds', basis: { source: layer.source } };
  }
  if (fromInitialDelaySeconds === undefined || liveness === undefined) return undefined;
  if (liveness.initialDelaySeconds < fromInitialDelaySeconds.value) return undefined;
  const seconds = Math.max(LEAST_START_SECONDS, longestStartSeconds(liveness));
  const basis = { source: fromInitialDelaySeconds.layer.source, followsDelay: true } as const;
  return { seconds, rule: 'fromInitialDelaySeconds', basis };
}

/**
 * What past starts give a container by the policy in force. An image of which too few starts are known gets at least
 * the safety, unless the policy gives a number. Undefined without a policy for learned starts, or while too little is
 * known.
 */
export function learnedBudget(policy: ContainerPolicy, starts: KnownStarts | undefined): LearnedTime | undefined {
  const { learned, startupSeconds, probes } = policy;
  if (learned === undefined || starts === undefined) return undefined;
  const integers = { periodSeconds: STARTUP_PERIOD_SECONDS, ...probes.startupProbe.integers };
  const { periodSeconds, failureThreshold } = integers;
  const written = failureThreshold === undefined ? undefined : guaranteedStartSeconds(probeTiming(integers));
  return learnedTime(starts, learned.value, periodSeconds, startupSeconds?.value ?? written ?? SAFETY_SECONDS);
}

/** Why a policy's learned budget has no effect on a container; undefined when the budget has an effect. */
export function withoutLearnedBudget(
  policy: ContainerPolicy,
  starts: KnownStarts | undefined,
): HandlerProblem | undefined {
  const { learned } = policy;
  if (learned === undefined || (starts !== undefined && hasEnoughStarts(starts, learned.value))) return undefined;
  const { minimumStarts } = learned.value;
  const known = (of: string): string => `${starts?.starts ?? 0} of ${minimumStarts} starts ${of}are known`;
  const budget = learnedBudget(policy, starts);
  if (budget === undefined)
    return { code: 'too-few-starts', detail: `${known('')}, so slowStart.learned has no effect yet` };
  return { code: 'too-few-starts', detail: `${known('of this image ')}, so it gets at least ${budget.seconds} s` };
}

/** The liveness probe that a container will have: the author's, or one that Probewright adds. */
export interface EffectiveLiveness {
  readonly probe: ProbeJson;
  readonly numbers: ProbeTiming;
  /** Undefined for a probe that Probewright adds. */
  readonly own: ProbeObject | undefined;
  readonly isPortAimed?: true | undefined;
}

/** The startup probe to add, or why there is none. `instead`: why the policy's own handler is not used. */
export type StartupResult = (GivenProbe & { readonly instead?: HandlerProblem }) | HandlerProblem;

/**
 * The startup probe for a container that has none. The policy's endpoint, a rule for slow starters, or the safety of an
 * injected liveness probe asks for it. The handler of an author's liveness probe always counts.
 *
 * @param starts what is known of the container's past starts; undefined when nothing is known
 */
export function startupDefault(
  evidence: Evidence,
  policy: ContainerPolicy,
  liveness: EffectiveLiveness | undefined,
  starts?: KnownStarts,
): StartupResult {
  const { handler: given, removedBy } = policy.probes.startupProbe;
  const own = liveness?.own;
  const injectedLiveness = own === undefined ? liveness?.numbers : undefined;
  const readiness = evidence.own.find(({ kind }) => kind === 'readinessProbe')?.numbers;
  const graceSeconds = own && startupGraceSeconds(own.graceSeconds, own.container.pod);
  const known = { liveness: own?.numbers, readiness, injectedLiveness, starts, graceSeconds };
  const asked = slowStartRule(policy, known);
  const wanted = given && (own ? likeOwnLiveness(evidence, own, given) : handlerFor(evidence, given, policy.port));
  const instead = wanted?.code === undefined ? undefined : wanted;
  const isCopy = wanted === undefined || instead !== undefined;
  if (isCopy && asked === undefined && (injectedLiveness === undefined || removedBy !== undefined))
    return instead ?? withoutHandler(removedBy);
  if (isCopy && liveness === undefined)
    return { code: 'no-liveness-probe', detail: 'a slow start is configured, but it has no livenessProbe to guard' };
  // A policy's own command runs from second 0 in the liveness probe, so the startup probe may run the command, too.
  const copied = (): HandlerResult =>
    own ? likeOwnLiveness(evidence, own) : livenessHandler(evidence.container.readablePorts, liveness?.probe ?? {});
  const found = isCopy ? copied() : wanted;
  if (found.code !== undefined) return found;
  const { handler, follows, isPortAimed = isCopy ? liveness?.isPortAimed : undefined } = found;
  const isWhole = follows === undefined && (isCopy || own !== undefined);
  return {
    ...timed(handler, policy, known, asked, isCopy),
    ...(asked?.basis ?? { source: SAFETY_SOURCE }),
    ...(given && !isCopy && { source: given.layer.source }),
    ...(follows && { follows }),
    ...(isWhole && { copiesLiveness: true }),
    ...(own && { isLikeOwn: true }),
    ...(isPortAimed && { isPortAimed }),
    ...(instead && { instead }),
  };
}

/**
 * The probe with numbers that guarantee its budget, and that are safe beside the liveness probe. It is as patient as an
 * author's liveness probe, and as one of a policy that it copies: the endpoint is no faster during the start.
 *
 * @param isCopy true when no policy gives the handler
 */
function timed(
  handler: HandlerDefault,
  policy: ContainerPolicy,
  known: StartEvidence,
  asked: SlowStartRule | undefined,
  isCopy: boolean,
): Pick<GivenProbe, 'probe' | 'budget' | 'isMadeSafe'> {
  const { liveness: own, injectedLiveness, readiness, graceSeconds } = known;
  const given = policy.probes.startupProbe.integers;
  // Where only the budget counts, nobody meant the API server's default for the period and the failures.
  const integers = { ...(asked && { periodSeconds: STARTUP_PERIOD_SECONDS }), failureThreshold: 1, ...given };
  const written = given.failureThreshold === undefined ? undefined : guaranteedStartSeconds(probeTiming(integers));
  const budget = startBudget(known, asked, written);
  const gate = own ?? injectedLiveness;
  // A policy may be less patient during the start than its own liveness probe.
  const patient = own ?? (isCopy && given.timeoutSeconds === undefined ? injectedLiveness : undefined);
  const timeout = Math.max(given.timeoutSeconds ?? DEFAULT_TIMING.timeoutSeconds, patient?.timeoutSeconds ?? 0);
  const isChosen = given.periodSeconds === undefined && given.failureThreshold === undefined;
  const least = asked?.basis.followsDelay ? startBudget(known, undefined, written).seconds : budget.seconds;
  const setting = { handler: handler.kind, timeout, gate, today: own, readiness };
  const chosen = isChosen ? startupNumbers(least, setting) : undefined;
  const enough = chosen
    ? numbersFor({ ...given, periodSeconds: chosen.periodSeconds, failureThreshold: 1 }, secondsOf(chosen))
    : numbersFor(integers, written === undefined ? Math.max(budget.seconds, LEAST_START_SECONDS) : budget.seconds);
  const safe = gate && safeAfterRestart(probeTiming(enough), gate, least);
  const isOwnTimeout = chosen !== undefined && own !== undefined && given.timeoutSeconds === undefined;
  const longer = isOwnTimeout ? chosen.timeoutSeconds : timeout;
  const numbers = {
    ...(graceSeconds !== undefined && { terminationGracePeriodSeconds: graceSeconds }),
    ...enough,
    ...safe,
    ...(longer > (given.timeoutSeconds ?? DEFAULT_TIMING.timeoutSeconds) && { timeoutSeconds: longer }),
  };
  const probe = probeWith(handler, numbers);
  const seconds = Math.min(budget.seconds, guaranteedStartSeconds(probeTiming(probe)));
  return { probe, budget: { ...budget, seconds }, ...(safe && { isMadeSafe: true }) };
}

const secondsOf = ({ periodSeconds, failureThreshold }: StartupNumbers): number =>
  (failureThreshold - 1) * periodSeconds;

/** A startup probe with numbers that are safe beside a liveness probe. Undefined when its own numbers are safe. */
export function safeStartupProbe({ probe, budget }: GivenProbe, liveness: ProbeTiming): ProbeJson | undefined {
  const safe = safeAfterRestart(probeTiming(probe), liveness, budget?.seconds ?? 0);
  return safe && { ...probe, ...safe };
}
