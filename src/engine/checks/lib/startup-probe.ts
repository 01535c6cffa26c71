import { member, isPresent, type JsonObject } from '../../../base/json/json-value.ts';
import { DEFAULT_GRPC_SERVICE, DEFAULT_SCHEME, DEFAULT_TIMING } from '../../probe/api-defaults.ts';
import { holdsCut } from '../../workload/bounded-container.ts';
import { podGraceSeconds, probeGraceSeconds } from '../../probe/grace-period.ts';
import {
  DEFAULT_LEARNED,
  LEAST_START_SECONDS,
  STARTUP_PERIOD_SECONDS,
  learnedSeconds,
} from '../../probe/startup-budget.ts';
import { failureThresholdFor, guaranteedStartSeconds, type ProbeTiming } from '../../probe/timing.ts';
import { MOST_FAILURES, PERIODS, isFastEnough, toWrite } from './round-numbers.ts';
import { leastExecPeriodSeconds, PATIENT_TIMEOUT_SECONDS } from './heavy-client.ts';
import { yamlFlow, type Advice, type Finding } from '../check.ts';
import { oncePerWorkload, type CheckedProbe, type CheckedContainer } from '../checked-workload.ts';
import { startsOfContainer, startsOfWorkload } from '../../facts/startup-profile.ts';
import type { ContainerStarts, WorkloadStarts } from '../../facts/startup-profile.ts';
import { workloadNameOf } from '../../workload/workload-of-pod.ts';
import type { FieldEdit } from '../../../base/json/field-path.ts';

interface StartupProbeToWrite {
  /** The probe with its field name, as YAML on one line. A handler that is too long for a message is only named. */
  readonly yaml: string;
  readonly guaranteedSeconds: number;
  /** Adds the probe to the container. */
  readonly edit: FieldEdit;
  /** Marks a finding that gives this advice (Finding.copied). */
  readonly copied: NonNullable<Finding['copied']>;
}

/** A shorter wait in place of a startup probe is a note. Nobody changes a delay of 30 s (issue 30). */
export const WARNED_DELAY_SECONDS = 60;

/**
 * A startup probe with the handler of the liveness probe, or of readiness without one. It guarantees the start that
 * the other guarantees, and `leastSeconds`. Undefined for malformed integers, or when no round numbers guarantee it.
 */
export function startupProbeFor(source: CheckedProbe, leastSeconds = 0): StartupProbeToWrite | undefined {
  const { timing } = source;
  if (timing === undefined) return undefined;
  const isExec = source.handlerKind === 'exec';
  const timeoutSeconds = Math.max(timing.timeoutSeconds, isExec ? PATIENT_TIMEOUT_SECONDS : 0);
  const chosen = startupNumbers({
    seconds: Math.max(guaranteedStartSeconds(timing), LEAST_START_SECONDS, leastSeconds),
    leastPeriod: Math.max(timeoutSeconds, leastExecPeriodSeconds(source)),
    leastFailures: timing.failureThreshold,
    longestGate: source.kind === 'livenessProbe' ? (timing.failureThreshold - 1) * timing.periodSeconds : Infinity,
  });
  if (chosen === undefined) return undefined;
  const { periodSeconds, failureThreshold } = chosen;
  const numbers = {
    periodSeconds,
    ...(timeoutSeconds > DEFAULT_TIMING.timeoutSeconds && { timeoutSeconds }),
    failureThreshold,
    ...graceOf(source),
  };
  const probe = { [source.handlerKind]: withoutDefaults(source.handler), ...numbers };
  return {
    yaml: holdsCut(source.handler)
      ? `a startupProbe with the handler of the ${source.kind} and ${yamlFlow(numbers).slice(2, -2)}`
      : `startupProbe: ${yamlFlow(probe)}`,
    guaranteedSeconds: (failureThreshold - 1) * periodSeconds,
    edit: { path: source.container.place.path('startupProbe'), value: probe },
    copied: {
      probe: source.kind,
      otherwise: `first correct the handler of the ${source.kind}, then write a startupProbe with the same handler`,
    },
  };
}

/**
 * Advises a startup probe in place of the delays of other probes. The startup probe copies the first probe and
 * guarantees each of the delays.
 * @param delayed the probes that wait for the start, first the one to copy
 */
export function startupInPlaceOfDelays(...delayed: readonly [CheckedProbe, ...CheckedProbe[]]): Advice {
  const [source] = delayed;
  const delays = delayed.map(({ timing }) => timing?.initialDelaySeconds ?? 0);
  const needed = atLeastObserved(source.container, Math.max(...delays));
  const startup = startupProbeFor(source, needed);
  if (startup === undefined) return { remedy: `guard the start with a startupProbe that allows ${needed} s` };
  const withDelay = delayed.filter((_, index) => delays[index] !== 0);
  const others = withDelay.filter((probe) => probe !== source).map(({ kind }) => ` of the ${kind}`);
  const removal =
    withDelay.length === 0
      ? ''
      : `remove initialDelaySeconds${withDelay.length === 1 ? (others[0] ?? '') : ' of both probes'} and `;
  return {
    remedy: `${removal}write ${startup.yaml} (guarantees ${startup.guaranteedSeconds} s to start)`,
    edits: [...withDelay.map(({ place }) => ({ path: place.path('initialDelaySeconds'), value: null })), startup.edit],
    copied: startup.copied,
  };
}

interface StartupNeeds {
  /** The time to start that the probe must guarantee, without a delay. */
  readonly seconds: number;
  readonly leastPeriod: number;
  /** The failures that the author allows the other probe. */
  readonly leastFailures: number;
  /**
   * Seconds that the liveness probe alone gives a start. After a liveness kill, Kubernetes 1.35 to 1.37 may probe
   * liveness for up to one period of the startup probe (kubernetes#141155).
   */
  readonly longestGate: number;
}

/**
 * Chooses the numbers of a new startup probe: the shortest period from 5 s on with up to 60 failures. The period is
 * shorter if only that closes the gate. If no period closes the gate, the gate does not count.
 */
function startupNumbers(needs: StartupNeeds): Pick<ProbeTiming, 'periodSeconds' | 'failureThreshold'> | undefined {
  const { seconds, leastPeriod, leastFailures, longestGate } = needs;
  const most = MOST_FAILURES.startupProbe;
  const possible = PERIODS.filter((P) => P >= leastPeriod && failureThresholdFor(seconds, 0, P) <= most);
  const usual = possible.filter((P) => P >= STARTUP_PERIOD_SECONDS);
  const closed = usual.find((P) => P <= longestGate) ?? possible.findLast((P) => P <= longestGate);
  const periodSeconds = closed ?? usual[0];
  if (periodSeconds === undefined) return undefined;
  const enough = failureThresholdFor(seconds, 0, periodSeconds);
  return { periodSeconds, failureThreshold: Math.max(enough, Math.min(leastFailures, most)) };
}

function graceOf(source: CheckedProbe): JsonObject {
  if (source.kind === 'readinessProbe') return {};
  const own = probeGraceSeconds(source.spec);
  const pods = podGraceSeconds(source.container.workload.podSpec);
  if (typeof own !== 'number' || pods === undefined || own > pods) return {};
  return { terminationGracePeriodSeconds: member(source.spec, 'terminationGracePeriodSeconds') };
}

function withoutDefaults(handler: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(handler).filter(
      ([key, value]) =>
        isPresent(value) &&
        !(key === 'scheme' && value === DEFAULT_SCHEME) &&
        !(key === 'service' && value === DEFAULT_GRPC_SERVICE),
    ),
  );
}

/**
 * Advises a higher failureThreshold, or also a longer period where that would take too many failures. A liveness probe
 * that needs more patience than a running container needs a startup probe instead.
 * @param minimum the seconds that the container should be guaranteed to start
 */
export function longerStart(gate: CheckedProbe, timing: ProbeTiming, minimum: number): Advice {
  const numbers = patientNumbers(gate, timing, minimum);
  if (numbers !== undefined) {
    const { words, edits } = toWrite(gate, numbers);
    return { remedy: `write ${words} for ${minimum} s`, edits };
  }
  const startup = gate.kind === 'livenessProbe' ? startupProbeFor(gate, minimum) : undefined;
  if (startup !== undefined) return { remedy: `write ${startup.yaml}`, edits: [startup.edit], copied: startup.copied };
  return { remedy: `let the ${gate.kind} allow ${minimum} s to start` };
}

function patientNumbers(
  gate: CheckedProbe,
  { initialDelaySeconds: D, periodSeconds: own, failureThreshold: F }: ProbeTiming,
  minimum: number,
): Pick<ProbeTiming, 'periodSeconds' | 'failureThreshold'> | undefined {
  const least = leastExecPeriodSeconds(gate);
  for (const periodSeconds of [own, ...PERIODS.filter((period) => period > own && period >= least)]) {
    const failureThreshold = Math.max(F, failureThresholdFor(minimum, D, periodSeconds));
    const isRound = failureThreshold === F || failureThreshold <= MOST_FAILURES[gate.kind];
    const numbers = { periodSeconds, failureThreshold };
    if (isRound && isFastEnough(gate, numbers)) return numbers;
  }
  return undefined;
}

const startsOfChecked = oncePerWorkload(({ facts, kind, namespace, object }): WorkloadStarts | undefined => {
  const itself = workloadNameOf(object, kind, false);
  return itself && startsOfWorkload(facts.starts, namespace, itself);
});

/** The measured starts of a container; undefined when nothing is known of them. */
export function observedStarts(container: CheckedContainer): ContainerStarts | undefined {
  const ofWorkload = startsOfChecked(container.workload);
  const starts = ofWorkload && startsOfContainer(ofWorkload, container.name);
  return starts !== undefined && (starts.longestSeconds > 0 || starts.boundSeconds > 0) ? starts : undefined;
}

/** The seconds that a probe should guarantee after these starts: what a learned budget guarantees by default. */
export function secondsToGuarantee(starts: ContainerStarts): number {
  return learnedSeconds(starts, DEFAULT_LEARNED, STARTUP_PERIOD_SECONDS);
}

/** The seconds that advice should guarantee: the given ones, or more where measured starts ask for more. */
export function atLeastObserved(container: CheckedContainer, seconds: number): number {
  const starts = observedStarts(container);
  return starts === undefined ? seconds : Math.max(seconds, secondsToGuarantee(starts));
}
