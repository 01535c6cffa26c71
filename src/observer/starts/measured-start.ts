import { textAt } from '../../base/json/field-path.ts';
import { objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { shortHash } from '../../base/text/utf8.ts';
import { PROFILE_BOUNDS } from '../../engine/policy/bounds.ts';
import type { StartSample } from '../../engine/facts/read-startup-profile.ts';
import { mayHaveProbes } from '../../engine/workload/pod.ts';
import { isBeingDeleted } from '../../engine/workload/kinds.ts';
import { controllerOfPod } from '../observed-workload.ts';
import { conditionOf, instantOf, liveContainersOf, metadataOf } from '../live-pod.ts';
import type { LiveContainer, PodCondition } from '../live-pod.ts';
import { formatInstant } from '../../base/text/duration.ts';
import { overEstimate, startProbeOf, type StartProbe } from '../start-limits.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';

export interface StartPlace {
  readonly namespace: string;
  readonly workload: WorkloadReference;
  readonly container: string;
  readonly image: string;
}

export interface MeasuredStart extends StartPlace {
  readonly sample: StartSample;
}

/** A start that a probe has ended. */
export interface KilledStart extends StartPlace {
  readonly sample?: undefined;
  /** Identifies the start, so that two observers count it once. */
  readonly id: string;
  /** The time that the probe granted. */
  readonly boundSeconds: number;
}

/** The same, with the Pod, whose events say what the probe got. */
export interface StoppedStart extends KilledStart {
  readonly podUid: string;
}

export type SeenStart = MeasuredStart | KilledStart;

export function placeOf(pod: JsonObject, { name, image }: LiveContainer, workload: WorkloadReference): StartPlace {
  return { namespace: metadataOf(pod, 'namespace'), workload, container: name, image };
}

/** Identifies the start of a container of a Pod, so that two observers count the start once. */
export function startId(pod: JsonObject, containerID: string): string {
  return shortHash(`${metadataOf(pod, 'uid')}/${containerID}`);
}

export function nodeOf(pod: JsonObject): string {
  return textAt(pod, 'spec', 'nodeName') ?? '';
}

/** The start of the container that runs now. `rounding`: the error of the two instants, in seconds. */
export function startOf(
  pod: JsonObject,
  container: LiveContainer,
  probe: StartProbe,
  seconds: number,
  rounding: number,
): MeasuredStart | undefined {
  const { running, isRestart } = container;
  const workload = controllerOfPod(pod);
  if (workload === undefined || running === undefined || seconds > PROFILE_BOUNDS.seconds) return undefined;
  return {
    ...placeOf(pod, container, workload),
    sample: {
      seconds,
      within: Math.min(seconds, Math.ceil(overEstimate(probe, seconds, rounding))),
      basis: probe.basis,
      restart: isRestart,
      node: shortHash(nodeOf(pod)),
      at: formatInstant(running.startedAt),
      id: startId(pod, running.containerID),
      ...(container.image !== '' && { image: container.image }),
    },
  };
}

/** Seconds from the start to the condition ContainersReady, rounded up; undefined when the condition does not tell. */
export function secondsUntilReady(
  ready: PodCondition | undefined,
  one: LiveContainer,
  startedAt: number,
): number | undefined {
  if (ready?.isTrue !== true || !one.ready || ready.since < startedAt) return undefined;
  return Math.ceil((ready.since - startedAt) / 1000) + 1;
}

/** True when the container is ready only after a second probe, which may pass long after the startup probe. */
export function hasLaterProbe({ probes }: LiveContainer, { basis }: StartProbe): boolean {
  return basis === 'startup' && probes.readinessProbe !== undefined;
}

/** The sample with the instant of the condition, if the condition is earlier than the event that reported the start. */
export function better(
  start: MeasuredStart,
  one: LiveContainer,
  ready: PodCondition | undefined,
  startedAt: number,
): MeasuredStart {
  const seconds = secondsUntilReady(ready, one, startedAt);
  const { sample } = start;
  if (seconds === undefined || seconds >= sample.seconds) return start;
  const within = Math.max(0, sample.within - (sample.seconds - seconds));
  return { ...start, sample: { ...sample, seconds, within } };
}

/** A Pod that became ready later than this after its creation has probably been unready before. */
const LONGEST_START_MILLISECONDS = 3_600_000;
/** Older Pods say little about the application of today. */
const OLDEST_MILLISECONDS = 30 * 86_400_000;
/** A container without a probe is ready this soon after its start. */
const READY_AT_ONCE_MILLISECONDS = 3000;
const ROUNDING_SECONDS = 2;

/**
 * The start of a Pod, from one look at the Pod; undefined when the Pod may have been unready meanwhile. A list tells
 * far less than a watch: the condition ContainersReady has the instant of its last change only. So only Pods count that
 * never restarted, became ready within an hour, and have one container with a probe that shows the end of a start.
 *
 * @param now in milliseconds since the epoch
 */
export function startInSnapshot(pod: JsonObject, now: number): MeasuredStart | undefined {
  const ready = containersReady(pod);
  const created = instantOf(objectMember(pod, 'metadata') ?? {}, 'creationTimestamp');
  const containers = isBeingDeleted(pod) ? undefined : observedContainers(pod);
  if (ready?.isTrue !== true || created === undefined || containers === undefined) return undefined;
  if (ready.since - created >= LONGEST_START_MILLISECONDS || now - created >= OLDEST_MILLISECONDS) return undefined;
  if (containers.some(({ isRestart, running }) => isRestart || running === undefined)) return undefined;
  const [slow, ...others] = containers.filter((container) => startProbeOf(container) !== undefined);
  const probe = slow && startProbeOf(slow);
  if (slow?.running === undefined || probe === undefined || others.length > 0) return undefined;
  const { startedAt } = slow.running;
  // The condition also waits for containers without probes, which are ready as soon as they run.
  const latest = Math.max(...containers.map(({ running }) => running?.startedAt ?? 0));
  if (latest > startedAt && ready.since <= latest + READY_AT_ONCE_MILLISECONDS) return undefined;
  // Readiness comes after the startup probe, and may wait for other services.
  const hasReadiness = slow.probes.readinessProbe !== undefined;
  const seconds = secondsUntilReady(ready, slow, startedAt);
  const start = seconds === undefined ? undefined : startOf(pod, slow, probe, seconds, ROUNDING_SECONDS);
  return start && { ...start, sample: { ...start.sample, ...(hasReadiness && { basis: 'readiness' }) } };
}

/**
 * The containers of a Pod that may have probes, with their statuses. Undefined for a Pod whose containers run to
 * completion, because Probewright gives such containers no probes. Undefined also for a Pod with too many containers:
 * nobody learns from such a Pod, and each event of it would take long.
 */
export function observedContainers(pod: JsonObject): readonly LiveContainer[] | undefined {
  const live = liveContainersOf(pod, (container) => container.name !== '' && mayHaveProbes(container));
  if (live?.runsForever !== true || !live.areAll) return undefined;
  return live.containers.map((one) => (one.running?.containerID === '' ? { ...one, running: undefined } : one));
}

/** The condition ContainersReady. The condition Ready also waits for readiness gates. */
export function containersReady(pod: JsonObject): PodCondition | undefined {
  return conditionOf(pod, 'ContainersReady');
}
