import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { PROBE_INTEGERS, type ProbeJson, type ProbeKind } from '../probe/probe.ts';
import { STARTUP_PERIOD_SECONDS, type StartFigures } from '../probe/startup-budget.ts';
import { numbersFor, safeAfterRestart, type Integers } from '../probe/startup-numbers.ts';
import {
  failureThresholdFor,
  faultSpan,
  guaranteedStartSeconds,
  probeTiming,
  type ProbeTiming,
} from '../probe/timing.ts';
import { livenessHandler, type Evidence } from './handler.ts';
import { handlerFor, likeOwnLiveness } from './own-probes.ts';
import { slowStartRule, startBudget, type SlowStartRule, type StartEvidence } from './start-budget.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ProbeObject } from '../workload/pod.ts';
import type { HandlerDefault } from '../policy/probe-default.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { GivenProbe, HandlerProblem } from './injection.ts';

/** The source of a startup probe that protects an injected liveness probe and that no policy asked for. */
export const SAFETY_SOURCE = 'safety';

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
  starts?: StartFigures,
): StartupResult {
  const { handler: given, integers, removedBy } = policy.probes.startupProbe;
  const { ports } = evidence;
  const own = liveness?.own;
  const injected = own === undefined ? liveness?.numbers : undefined;
  const readiness = evidence.own.find(({ kind }) => kind === 'readinessProbe')?.numbers;
  const known = { liveness: own?.numbers, readiness, injectedLiveness: injected, starts };
  const asked = slowStartRule(policy, known);
  const fitted =
    given && (own === undefined ? handlerFor(evidence, given, policy.port) : likeOwnLiveness(evidence, own, given));
  const unfit = fitted?.code === undefined ? undefined : fitted;
  const likeOwn = own && ({ isLikeOwn: true } as const);
  if (given !== undefined && fitted !== undefined && fitted.code === undefined) {
    const { handler, follows, isPortAimed } = fitted;
    const copy = follows ? { follows } : own && COPY;
    const how = { ...copy, ...asked?.basis, ...likeOwn, ...(isPortAimed && { isPortAimed }) };
    return { ...timed(handler, policy, known, asked), ...how, source: given.layer.source };
  }
  if (asked === undefined && (injected === undefined || removedBy !== undefined))
    return unfit ?? withoutHandler(removedBy);
  if (liveness === undefined)
    return { code: 'no-liveness-probe', detail: 'a slow start is configured, but it has no livenessProbe to guard' };
  // A policy's own command runs from second 0 in the liveness probe, so the startup probe may run the command, too.
  const copied = own === undefined ? livenessHandler(ports, liveness.probe) : likeOwnLiveness(evidence, own);
  if (copied.code !== undefined) return copied;
  const timeoutSeconds = integers.timeoutSeconds ?? patientTimeout(liveness.numbers);
  const basis = asked?.basis ?? { source: SAFETY_SOURCE };
  const how = { ...COPY, ...basis, ...likeOwn, ...(liveness.isPortAimed && { isPortAimed: true as const }) };
  const made = timed(copied.handler, policy, known, asked, { timeoutSeconds });
  return { ...made, ...how, ...(unfit && { instead: unfit }) };
}

const COPY = { copiesLiveness: true } as const;

/** Why policies give no probe: the highest removes it, or none has a handler. */
export function withoutHandler(removedBy: string | undefined): HandlerProblem {
  return removedBy === undefined
    ? { code: 'no-endpoint', detail: 'no policy names an endpoint or another handler' }
    : { code: 'removed-by-policy', detail: `${removedBy} removes it` };
}

/** The probe with numbers that guarantee its budget, and that are safe beside the liveness probe. */
function timed(
  handler: HandlerDefault,
  policy: ContainerPolicy,
  known: StartEvidence,
  asked: SlowStartRule | undefined,
  more: Integers = {},
): Pick<GivenProbe, 'probe' | 'budget' | 'isMadeSafe'> {
  const given = policy.probes.startupProbe.integers;
  // Where only the budget counts, nobody meant the API server's default for the period and the failures.
  const isOurs = asked !== undefined || (given.failureThreshold === undefined && known.liveness === undefined);
  const integers = { ...(isOurs && OURS), ...given, ...more };
  const written = given.failureThreshold === undefined ? undefined : guaranteedStartSeconds(probeTiming(integers));
  const budget = startBudget(known, asked, written);
  const enough = numbersFor(integers, budget.seconds);
  const patient = known.liveness === undefined ? enough : asPatientAs(enough, known.liveness);
  const liveness = known.liveness ?? known.injectedLiveness;
  const safe = liveness && safeAfterRestart(probeTiming(patient), liveness, budget.seconds);
  return { probe: probeWith(handler, { ...patient, ...safe }), budget, ...(safe && { isMadeSafe: true }) };
}

const OURS: Integers = { periodSeconds: STARTUP_PERIOD_SECONDS, failureThreshold: 1 };

/** The startup probe asks what the author's liveness probe asks, so a policy's timeout must not be shorter. */
function asPatientAs(integers: Integers, liveness: ProbeTiming): Integers {
  const timeoutSeconds = patientTimeout(liveness);
  const isShorter = timeoutSeconds !== undefined && (integers.timeoutSeconds ?? 0) < timeoutSeconds;
  return isShorter ? { ...integers, timeoutSeconds } : integers;
}

/** A startup probe with numbers that are safe beside a liveness probe. Undefined when its own numbers are safe. */
export function safeStartupProbe({ probe, budget }: GivenProbe, liveness: ProbeTiming): ProbeJson | undefined {
  const safe = safeAfterRestart(probeTiming(probe), liveness, budget?.seconds ?? 0);
  return safe && { ...probe, ...ordered(safe) };
}

/** A liveness probe's timeout above the API server's default: the endpoint is no faster during the start. */
function patientTimeout({ timeoutSeconds }: ProbeTiming): number | undefined {
  return timeoutSeconds > DEFAULT_TIMING.timeoutSeconds ? timeoutSeconds : undefined;
}

function probeWith({ kind, fields }: HandlerDefault, integers: Integers): ProbeJson {
  return { [kind]: fields, ...ordered(integers) };
}

function ordered(integers: Integers): JsonObject {
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
  const { follows, isPortAimed } = fitted;
  const source = { source: handler.layer.source, ...(follows && { follows }), ...(isPortAimed && { isPortAimed }) };
  const startup = kind === 'livenessProbe' ? evidence.own.find((own) => own.kind === 'startupProbe') : undefined;
  const failureThreshold = startup && safeThreshold(probeTiming(integers), startup.numbers);
  if (failureThreshold === undefined) return { probe: probeWith(fitted.handler, integers), ...source };
  if (typeof failureThreshold !== 'number') return failureThreshold;
  return { probe: probeWith(fitted.handler, { ...integers, failureThreshold }), ...source, isMadeSafe: true };
}

/**
 * The failureThreshold of an injected liveness probe that cannot kill a restarted container before the author's startup
 * probe asks (kubernetes/kubernetes#141155): max(0, D-1) + (F-1)*P >= P of the startup probe. Undefined when the
 * policy's number is large enough; a problem where a safe number would find a deadlock too late.
 */
function safeThreshold(timing: ProbeTiming, { periodSeconds }: ProbeTiming): number | HandlerProblem | undefined {
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
