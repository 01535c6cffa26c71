import { PROFILE_BOUNDS } from '../../engine/facts/startup-profile.ts';
import { member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { shortHash } from '../../base/text/short-hash.ts';
import { isBeingDeleted } from '../../engine/workload/kinds.ts';
import { controllerOfPod } from '../pod-workload.ts';
import { containersReady, observedContainers, secondsOf } from './pod-status.ts';
import { overEstimate, startProbeOf } from './start-probe.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { MeasuredStart } from './measured-start.ts';

/** A Pod that became ready later than this after its creation has probably been unready before. */
const LONGEST_START_SECONDS = 3600;
/** Older Pods say little about the application of today. */
const OLDEST_SECONDS = 30 * 86_400;
/** A container without a probe is ready this soon after its start. */
const READY_AT_ONCE_SECONDS = 3;
const ROUNDING_SECONDS = 2;

/**
 * The start of a Pod, from one look at the Pod; undefined when the Pod may have been unready meanwhile. A list tells
 * far less than a watch: the condition ContainersReady has the instant of its last change only. So only Pods count that
 * never restarted, became ready within an hour, and have one container with a probe that shows the end of a start.
 *
 * @param now in milliseconds since the epoch
 */
export function startInSnapshot(pod: JsonObject, now: number): MeasuredStart | undefined {
  const workload = controllerOfPod(pod);
  const ready = containersReady(pod);
  const metadata = objectMember(pod, 'metadata') ?? {};
  const created = secondsOf(metadata, 'creationTimestamp');
  const containers = isBeingDeleted(pod) ? undefined : observedContainers(pod);
  if (workload === undefined || ready?.isTrue !== true || created === undefined || containers === undefined)
    return undefined;
  if (ready.since - created >= LONGEST_START_SECONDS || now / 1000 - created >= OLDEST_SECONDS) return undefined;
  if (containers.some(({ isRestart, running }) => isRestart || running === undefined)) return undefined;
  const [slow, ...others] = containers.filter(({ container }) => startProbeOf(container.spec) !== undefined);
  const probe = slow && startProbeOf(slow.container.spec);
  if (slow?.running === undefined || probe === undefined || others.length > 0) return undefined;
  const { containerID, startedAt } = slow.running;
  // The condition also waits for containers without probes, which are ready as soon as they run.
  const latest = Math.max(...containers.map(({ running }) => running?.startedAt ?? 0));
  if (ready.since < startedAt || (latest > startedAt && ready.since <= latest + READY_AT_ONCE_SECONDS))
    return undefined;
  const seconds = Math.ceil(ready.since - startedAt) + 1;
  if (seconds > PROFILE_BOUNDS.seconds) return undefined;
  const uid = stringMember(metadata, 'uid') ?? '';
  return {
    namespace: stringMember(metadata, 'namespace') ?? '',
    workload,
    container: slow.container.name,
    image: stringMember(slow.container.spec, 'image') ?? '',
    sample: {
      seconds,
      within: Math.min(seconds, overEstimate(probe, seconds, ROUNDING_SECONDS)),
      // Readiness comes after the startup probe, and may wait for other services.
      basis: member(slow.container.spec, 'readinessProbe') === undefined ? probe.basis : 'readiness',
      restart: false,
      node: shortHash(stringMember(objectMember(pod, 'spec') ?? {}, 'nodeName') ?? ''),
      at: new Date(startedAt * 1000).toISOString().replace('.000Z', 'Z'),
      id: shortHash(`${uid}/${containerID}`),
    },
  };
}
