import { isPresent, without, type JsonObject } from '../../../base/json/json-value.ts';
import { DEFAULT_TIMING, HANDLER_DEFAULTS } from '../../probe/api-defaults.ts';
import { PROBE_INTEGERS, type ProbeKind } from '../../probe/probe.ts';
import { holdsCut } from '../../workload/bounded-container.ts';
import {
  expectedStartSeconds,
  LEAST_START_SECONDS,
  MOST_DRAIN_SECONDS,
  MOST_FAILURES,
  PERIODS,
  STARTUP_PERIOD_SECONDS,
} from '../../time/bounds.ts';
import { DEFAULT_LEARNED, learnedSeconds } from '../../time/learned-start.ts';
import { endsInTime, endsInTimeOrMust, isSeenInTime, startupNumbers } from '../../time/startup-numbers.ts';
import { failureThresholdFor, guaranteedStartSeconds, probeTiming, type ProbeTiming } from '../../time/timing.ts';
import { startupGraceSeconds } from '../../workload/kill-settings.ts';
import { drainRace, failuresBeyond, shortestPeriod } from './drain-race.ts';
import { patientAdvice } from './round-numbers.ts';
import { yamlFlow, type Advice } from '../check.ts';
import { oncePerWorkload, type CheckedWorkload } from '../checked-workload.ts';
import {
  isTimed,
  mayAct,
  probeOf,
  startGateOf,
  type Container,
  type Probe,
  type TimedProbe,
} from '../../workload/pod.ts';
import { startsOfContainer, startsOfWorkload, type ContainerStarts } from '../../facts/startup-profile.ts';
import { workloadNameOf } from '../../workload/workload-of-pod.ts';

/**
 * A startup probe with the handler of the liveness probe, or of readiness without one. It guarantees the start that
 * the other guarantees, `leastSeconds`, and what the readiness probe expects. The text is YAML on one line; a handler
 * that is too long for a message is only named. Undefined when no round numbers guarantee it, or Ready would come late.
 */
export function startupProbeFor(
  source: TimedProbe,
  leastSeconds = 0,
): Readonly<{ yaml: string; guaranteedSeconds: number; advice: Required<Advice> }> | undefined {
  const { kind, handler, timing, container } = source;
  const numbersOf = (of: ProbeKind): ProbeTiming | undefined => probeOf(container, of)?.numbers;
  const readiness = numbersOf('readinessProbe');
  const liveness = numbersOf('livenessProbe');
  const expected = readiness === undefined ? 0 : expectedStartSeconds(readiness);
  const seconds = Math.max(guaranteedStartSeconds(timing), leastSeconds, expected);
  const setting = { handler: handler.kind, timeout: timing.timeoutSeconds, gate: liveness, today: liveness, readiness };
  const chosen = startupNumbers(seconds, setting);
  const { timeoutSeconds, ...rhythm } = chosen;
  const isRound = rhythm.failureThreshold <= MOST_FAILURES.startupProbe && PERIODS.includes(rhythm.periodSeconds);
  if (!isRound || !isSeenInTime(rhythm, readiness) || !endsInTimeOrMust(liveness, chosen, seconds)) return undefined;
  const grace = kind === 'readinessProbe' ? undefined : startupGraceSeconds(source.graceSeconds, container.pod);
  const numbers = {
    periodSeconds: rhythm.periodSeconds,
    ...(timeoutSeconds > DEFAULT_TIMING.timeoutSeconds && { timeoutSeconds }),
    failureThreshold: rhythm.failureThreshold,
    ...(grace !== undefined && { terminationGracePeriodSeconds: grace }),
  };
  const probe = { [handler.kind]: withoutDefaults(handler.spec), ...numbers };
  const yaml = holdsCut(handler.spec)
    ? `a startupProbe with the handler of the ${kind} and ${yamlFlow(numbers).slice(2, -2)}`
    : `startupProbe: ${yamlFlow(probe)}`;
  const otherwise = `first correct the handler of the ${kind}, then write a startupProbe with the same handler`;
  return {
    yaml,
    guaranteedSeconds: (rhythm.failureThreshold - 1) * rhythm.periodSeconds,
    advice: {
      remedy: `write ${yaml}`,
      edits: [{ path: container.place.path('startupProbe'), value: probe }],
      copied: { probe: kind, otherwise },
    },
  };
}

/**
 * Advises a startup probe in place of the delays of other probes. The startup probe copies the first probe and
 * guarantees the start that its own delay guarantees, and each of the other delays.
 * @param delayed the probes that wait for the start, first the one to copy
 */
export function startupInPlaceOfDelays(
  workload: CheckedWorkload,
  ...delayed: readonly [TimedProbe, ...TimedProbe[]]
): Advice {
  const [source, ...waiting] = delayed;
  const longest = Math.max(0, ...waiting.map(({ timing }) => timing.initialDelaySeconds));
  const needed = atLeastObserved(source.container, workload, longest);
  const startup = startupProbeFor(source, needed);
  if (startup === undefined) {
    const least = Math.max(needed, guaranteedStartSeconds(source.timing));
    return { remedy: `guard the start with a startupProbe that allows ${least} s` };
  }
  const withDelay = delayed.filter(({ timing }) => timing.initialDelaySeconds !== 0);
  const [only, ...others] = withDelay.map((probe) => (probe === source ? '' : ` of the ${probe.kind}`));
  const whose = others.length === 0 ? only : ' of both probes';
  const removal = whose === undefined ? '' : `remove initialDelaySeconds${whose} and `;
  const { remedy, edits, copied } = startup.advice;
  return {
    remedy: `${removal}${remedy} (guarantees ${startup.guaranteedSeconds} s to start)`,
    edits: [...withDelay.map(({ place }) => ({ path: place.path('initialDelaySeconds'), value: null })), ...edits],
    copied,
  };
}

/** The startup probe in place of the delay of liveness, and of readiness, as in the advice of delayed-readiness. */
export function startupInPlaceOfLiveness(liveness: TimedProbe, workload: CheckedWorkload): Advice {
  const isMovable = (probe: Probe): probe is TimedProbe =>
    probe.kind === 'readinessProbe' && isTimed(probe) && !mayAct(probe);
  return startupInPlaceOfDelays(workload, liveness, ...liveness.container.probes.filter(isMovable));
}

/**
 * Advice for a liveness probe, with the start as it is. A more patient liveness probe ends a failed start later, so a
 * startup probe with the numbers of today takes over the start. Where another check asks for a longer start, the advice
 * stays.
 */
export function withStartKept<Given extends Advice | undefined>(
  probe: TimedProbe,
  workload: CheckedWorkload,
  advice: Given,
): Given | Advice {
  const { kind, timing, container } = probe;
  if (advice?.edits === undefined || kind !== 'livenessProbe' || startGateOf(container) !== kind) return advice;
  const numbers = Object.fromEntries(advice.edits.map(({ path, value }) => [String(path.at(-1)), value]));
  if (guaranteedStartSeconds(timing) < leastStartSeconds(probe, workload)) return advice;
  if (endsInTime(timing, probeTiming({ ...timing, ...numbers }))) return advice;
  if (mayAct(probe))
    return { remedy: `guard the start with a startupProbe that only asks, and then ${String(advice.remedy)}` };
  // The copy needs the time that the advice gives the probe.
  const { timeoutSeconds: T } = { ...timing, ...numbers };
  const startup = startupInPlaceOfLiveness({ ...probe, timing: { ...timing, timeoutSeconds: T } }, workload);
  if (startup.edits === undefined) return { remedy: `${String(startup.remedy)}, and then ${String(advice.remedy)}` };
  return {
    copied: { probe: kind, otherwise: `first correct the handler of the ${kind}, then ${String(advice.remedy)}` },
    remedy: `${String(advice.remedy)}, and to keep the start as it is, ${String(startup.remedy)}`,
    edits: [...advice.edits, ...startup.edits],
  };
}

const { scheme, service } = HANDLER_DEFAULTS;
const LEFT_OUT: JsonObject = { scheme, service };

/** Without the numbers of a probe that stand in its handler by mistake, too. */
function withoutDefaults(handler: JsonObject): JsonObject {
  const given = Object.entries(handler).filter(([key, value]) => isPresent(value) && value !== LEFT_OUT[key]);
  return without(Object.fromEntries(given), ...PROBE_INTEGERS);
}

/**
 * Advises a higher failureThreshold, or also a longer period where that would take too many failures.
 * @param minimum the seconds that the container should be guaranteed to start
 * @param rest the end of the remedy
 */
export function moreFailures(gate: TimedProbe, minimum: number, rest?: string): Advice | undefined {
  const { initialDelaySeconds: D, periodSeconds: own } = gate.timing;
  const shortest = shortestPeriod(gate);
  // The checks of a race with readiness find the same field, so their number is this one.
  const drainedAfter = gate.kind === 'livenessProbe' ? (drainRace(gate.container)?.drainedAfter ?? 0) : 0;
  const forBoth =
    drainedAfter === 0 || drainedAfter > MOST_DRAIN_SECONDS
      ? undefined
      : patientAdvice(gate, shortest, failuresBeyond(gate, drainedAfter, minimum), rest);
  const longer = Math.max(shortest, own + 1);
  return forBoth ?? patientAdvice(gate, longer, (period) => failureThresholdFor(minimum, D, period), rest);
}

/** The seconds to start that a probe should guarantee. 0 if another probe guards the start. */
export function leastStartSeconds({ container, kind }: Probe, workload: CheckedWorkload): number {
  return startGateOf(container) === kind ? atLeastObserved(container, workload, LEAST_START_SECONDS) : 0;
}

/** The same. A liveness probe that needs more patience than a running container needs a startup probe instead. */
export function longerStart(gate: TimedProbe, minimum: number): Advice {
  const startup = gate.kind === 'livenessProbe' ? startupProbeFor(gate, minimum) : undefined;
  const otherwise = startup?.advice ?? { remedy: `let the ${gate.kind} allow ${minimum} s to start` };
  return moreFailures(gate, minimum, ` for at least ${minimum} s`) ?? otherwise;
}

const startsOfChecked = oncePerWorkload(({ facts, kind, namespace, object }) => {
  const itself = workloadNameOf(object, kind, false);
  return itself && startsOfWorkload(facts.starts, namespace, itself);
});

/** The measured starts of a container; undefined when nothing is known of them. */
export function observedStarts({ name }: Container, workload: CheckedWorkload): ContainerStarts | undefined {
  const ofWorkload = startsOfChecked(workload);
  const starts = ofWorkload && startsOfContainer(ofWorkload, name);
  return starts !== undefined && (starts.longestSeconds > 0 || starts.boundSeconds > 0) ? starts : undefined;
}

/** The seconds that a probe should guarantee after these starts: what a learned budget guarantees by default. */
export function secondsToGuarantee(starts: ContainerStarts): number {
  return learnedSeconds(starts, DEFAULT_LEARNED, STARTUP_PERIOD_SECONDS);
}

/** The seconds that advice should guarantee: the given ones, or more where measured starts ask for more. */
export function atLeastObserved(container: Container, workload: CheckedWorkload, seconds: number): number {
  const starts = observedStarts(container, workload);
  return starts === undefined ? seconds : Math.max(seconds, secondsToGuarantee(starts));
}
