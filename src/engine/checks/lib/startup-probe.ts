import { isPresent, without, type JsonObject } from '../../../base/json/json-value.ts';
import { DEFAULT_TIMING, HANDLER_DEFAULTS } from '../../probe/api-defaults.ts';
import { PROBE_INTEGERS } from '../../probe/probe.ts';
import { holdsCut } from '../../workload/bounded-container.ts';
import {
  DEFAULT_LEARNED,
  LEAST_START_SECONDS,
  STARTUP_PERIOD_SECONDS,
  learnedSeconds,
} from '../../probe/startup-budget.ts';
import { failureThresholdFor, guaranteedStartSeconds } from '../../probe/timing.ts';
import { MOST_FAILURES, PERIODS, patientAdvice } from './round-numbers.ts';
import { leastExecPeriodSeconds, PATIENT_TIMEOUT_SECONDS } from './heavy-client.ts';
import { yamlFlow, type Advice } from '../check.ts';
import { oncePerWorkload, type CheckedWorkload } from '../checked-workload.ts';
import type { Container, Probe, TimedProbe } from '../../workload/pod.ts';
import { startsOfContainer, startsOfWorkload, type ContainerStarts } from '../../facts/startup-profile.ts';
import { workloadNameOf } from '../../workload/workload-of-pod.ts';

/** A shorter wait in place of a startup probe is a note. Nobody changes a delay of 30 s (issue 30). */
export const WARNED_DELAY_SECONDS = 60;

/**
 * A startup probe with the handler of the liveness probe, or of readiness without one. It guarantees the start that
 * the other guarantees, and `leastSeconds`. The text is YAML on one line; a handler that is too long for a message is
 * only named. Undefined when no round numbers guarantee it.
 */
export function startupProbeFor(
  source: TimedProbe,
  leastSeconds = 0,
): Readonly<{ yaml: string; guaranteedSeconds: number; advice: Required<Advice> }> | undefined {
  const { kind, handler, timing, container } = source;
  const timeoutSeconds = Math.max(timing.timeoutSeconds, handler.kind === 'exec' ? PATIENT_TIMEOUT_SECONDS : 0);
  const seconds = Math.max(guaranteedStartSeconds(timing), LEAST_START_SECONDS, leastSeconds);
  const leastPeriod = Math.max(timeoutSeconds, leastExecPeriodSeconds(source));
  const given = (timing.failureThreshold - 1) * timing.periodSeconds;
  const periodSeconds = startupPeriod(seconds, leastPeriod, kind === 'livenessProbe' ? given : Infinity);
  if (periodSeconds === undefined) return undefined;
  const allowed = Math.min(timing.failureThreshold, MOST_FAILURES.startupProbe);
  const failureThreshold = Math.max(failureThresholdFor(seconds, 0, periodSeconds), allowed);
  const numbers = {
    periodSeconds,
    ...(timeoutSeconds > DEFAULT_TIMING.timeoutSeconds && { timeoutSeconds }),
    failureThreshold,
    ...graceOf(source),
  };
  const probe = { [handler.kind]: withoutDefaults(handler.spec), ...numbers };
  const yaml = holdsCut(handler.spec)
    ? `a startupProbe with the handler of the ${kind} and ${yamlFlow(numbers).slice(2, -2)}`
    : `startupProbe: ${yamlFlow(probe)}`;
  const otherwise = `first correct the handler of the ${kind}, then write a startupProbe with the same handler`;
  return {
    yaml,
    guaranteedSeconds: (failureThreshold - 1) * periodSeconds,
    advice: {
      remedy: `write ${yaml}`,
      edits: [{ path: container.place.path('startupProbe'), value: probe }],
      copied: { probe: kind, otherwise },
    },
  };
}

/**
 * Chooses the period of a new startup probe: the shortest from 5 s on with up to 60 failures. The period is shorter if
 * only that closes the gate. If no period closes the gate, the gate does not count.
 * @param seconds the time to start that the probe must guarantee, without a delay
 * @param longestGate seconds that the liveness probe alone gives a start. After a liveness kill, Kubernetes 1.35 to
 * 1.37 may probe liveness for up to one period of the startup probe (kubernetes#141155)
 */
function startupPeriod(seconds: number, least: number, longestGate: number): number | undefined {
  const possible = PERIODS.filter(
    (P) => P >= least && failureThresholdFor(seconds, 0, P) <= MOST_FAILURES.startupProbe,
  );
  const usual = possible.filter((P) => P >= STARTUP_PERIOD_SECONDS);
  return usual.find((P) => P <= longestGate) ?? possible.findLast((P) => P <= longestGate) ?? usual[0];
}

/**
 * Advises a startup probe in place of the delays of other probes. The startup probe copies the first probe and
 * guarantees each of the delays.
 * @param delayed the probes that wait for the start, first the one to copy
 */
export function startupInPlaceOfDelays(
  workload: CheckedWorkload,
  ...delayed: readonly [TimedProbe, ...TimedProbe[]]
): Advice {
  const [source] = delayed;
  const longest = Math.max(...delayed.map(({ timing }) => timing.initialDelaySeconds));
  const needed = atLeastObserved(source.container, workload, longest);
  const startup = startupProbeFor(source, needed);
  if (startup === undefined) return { remedy: `guard the start with a startupProbe that allows ${needed} s` };
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

function graceOf(source: Probe): JsonObject {
  if (source.kind === 'readinessProbe') return {};
  const own = source.graceSeconds;
  const pods = source.container.pod.graceSeconds;
  return typeof own !== 'number' || pods === undefined || own > pods ? {} : { terminationGracePeriodSeconds: own };
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
  const least = Math.max(own + 1, leastExecPeriodSeconds(gate));
  return patientAdvice(gate, least, (period) => failureThresholdFor(minimum, D, period), rest);
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
