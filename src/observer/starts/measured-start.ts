import { isJsonObject, objectMember, stringMember } from '../../base/json/json-value.ts';
import { PROFILE_BOUNDS } from '../../engine/facts/startup-profile.ts';
import { ownProbe } from '../../engine/probe/probe.ts';
import { shortHash } from '../../base/text/short-hash.ts';
import { controllerOfPod } from '../pod-workload.ts';
import { overEstimate } from './start-probe.ts';
import type { StartSample } from '../../engine/facts/startup-profile.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { ObservedContainer, ReadyCondition } from './pod-status.ts';
import type { StartProbe } from './start-probe.ts';

/** A start whose time is known. */
export interface MeasuredStart {
  readonly namespace: string;
  readonly workload: WorkloadReference;
  readonly container: string;
  readonly image: string;
  readonly sample: StartSample;
}

/** Where a start was seen. */
export type StartPlace = Omit<MeasuredStart, 'sample'>;

/** The place of a start of a container of a Pod. */
export function placeOf(pod: JsonObject, container: JsonObject, workload: WorkloadReference): StartPlace {
  return {
    namespace: stringMember(objectMember(pod, 'metadata') ?? {}, 'namespace') ?? '',
    workload,
    container: stringMember(container, 'name') ?? '',
    image: stringMember(container, 'image') ?? '',
  };
}

/** Identifies the start of a container of a Pod, so that two observers count the start once. */
export function startId(uid: string, containerID: string): string {
  return shortHash(`${uid}/${containerID}`);
}

/** The name of the node, or ''. */
export function nodeOf(pod: JsonObject): string {
  return stringMember(objectMember(pod, 'spec') ?? {}, 'nodeName') ?? '';
}

/**
 * The start of the container that runs now. Undefined without a workload, and for a start longer than a profile takes.
 *
 * @param rounding error of the two instants, in seconds
 */
export function startOf(
  { pod, uid }: { readonly pod: JsonObject; readonly uid: string },
  { container, running, isRestart }: ObservedContainer,
  probe: StartProbe,
  seconds: number,
  rounding: number,
): MeasuredStart | undefined {
  const workload = controllerOfPod(pod);
  if (workload === undefined || running === undefined || seconds > PROFILE_BOUNDS.seconds) return undefined;
  return {
    ...placeOf(pod, container.spec, workload),
    sample: {
      seconds,
      within: Math.min(seconds, Math.ceil(overEstimate(probe, seconds, rounding))),
      basis: probe.basis,
      restart: isRestart,
      node: shortHash(nodeOf(pod)),
      at: new Date(running.startedAt * 1000).toISOString().replace('.000Z', 'Z'),
      id: startId(uid, running.containerID),
    },
  };
}

/** Seconds from the start to the condition ContainersReady, rounded up; undefined when the condition does not tell. */
export function secondsUntilReady(
  ready: ReadyCondition | undefined,
  one: ObservedContainer,
  startedAt: number,
): number | undefined {
  if (ready?.isTrue !== true || !one.ready || ready.since < startedAt) return undefined;
  return Math.ceil(ready.since - startedAt) + 1;
}

/** True when the container is ready only after a second probe, which may pass long after the startup probe. */
export function hasLaterProbe({ container }: ObservedContainer, { basis }: StartProbe): boolean {
  return basis === 'startup' && isJsonObject(ownProbe(container.spec, 'readinessProbe'));
}

/** The sample with the instant of the condition, if the condition is earlier than the event that reported the start. */
export function better(
  start: MeasuredStart,
  one: ObservedContainer,
  ready: ReadyCondition | undefined,
  startedAt: number,
): MeasuredStart {
  const seconds = secondsUntilReady(ready, one, startedAt);
  const { sample } = start;
  if (seconds === undefined || seconds >= sample.seconds) return start;
  const within = Math.max(0, sample.within - (sample.seconds - seconds));
  return { ...start, sample: { ...sample, seconds, within } };
}
