import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { containersOf } from '../../engine/workload/containers.ts';
import { podRunsForever } from '../../engine/workload/restart-policy.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Container } from '../../engine/workload/containers.ts';

/** The end of a container, as its status reports it. */
export interface ContainerEnd {
  readonly containerID: string;
  readonly isOutOfMemory: boolean;
  /** Undefined when an instant is missing. */
  readonly lifetimeSeconds: number | undefined;
}

/** A container of a Pod with its status. Instants are in seconds since the epoch, by the node's clock. */
export interface ObservedContainer {
  readonly container: Container;
  /** The container that runs now; undefined when none runs. */
  readonly running: { readonly containerID: string; readonly startedAt: number } | undefined;
  readonly started: boolean;
  readonly ready: boolean;
  readonly isRestart: boolean;
  /** The ends that the status still names: of the present container, and of the one before. */
  readonly ends: readonly ContainerEnd[];
}

/** Whether all containers are ready, and since when. */
export interface ReadyCondition {
  readonly isTrue: boolean;
  readonly since: number;
}

/** A Pod of 1.4 MB has thousands of containers. Nobody learns from such a Pod, and each event of it would take long. */
const MOST_CONTAINERS = 100;

/**
 * The containers of a Pod that may have probes, with their statuses. Undefined for a Pod whose containers run to
 * completion, because Probewright gives such containers no probes. Undefined also for a Pod with too many containers.
 */
export function observedContainers(pod: JsonObject): readonly ObservedContainer[] | undefined {
  const spec = objectMember(pod, 'spec');
  if (spec === undefined || !podRunsForever(spec)) return undefined;
  const status = objectMember(pod, 'status') ?? {};
  const found: ObservedContainer[] = [];
  for (const container of containersOf(spec)) {
    if (container.name === '' || container.role === 'init' || container.role === 'mesh') continue;
    const list = container.list === 'containers' ? 'containerStatuses' : 'initContainerStatuses';
    if (found.length >= MOST_CONTAINERS) return undefined;
    found.push(observed(container, statusNamed(member(status, list), container.name)));
  }
  return found;
}

/**
 * The condition ContainersReady. The condition Ready also waits for readiness gates, so it says less about containers.
 */
export function containersReady(pod: JsonObject): ReadyCondition | undefined {
  const conditions = member(objectMember(pod, 'status') ?? {}, 'conditions');
  if (!Array.isArray(conditions)) return undefined;
  for (const condition of conditions as unknown[]) {
    if (!isJsonObject(condition) || condition['type'] !== 'ContainersReady') continue;
    const since = secondsOf(condition, 'lastTransitionTime');
    return since === undefined ? undefined : { isTrue: condition['status'] === 'True', since };
  }
  return undefined;
}

/**
 * When the kubelet wrote the status last, in seconds since the epoch, by the API server's clock. Undefined without the
 * entry in `managedFields`.
 */
export function kubeletWriteOf(pod: JsonObject): number | undefined {
  const fields = member(objectMember(pod, 'metadata') ?? {}, 'managedFields');
  if (!Array.isArray(fields)) return undefined;
  const entry = (fields as unknown[]).find(
    (one): one is JsonObject => isJsonObject(one) && one['manager'] === 'kubelet' && one['subresource'] === 'status',
  );
  return entry && secondsOf(entry, 'time');
}

/** An RFC 3339 field in seconds since the epoch; undefined for anything else. */
export function secondsOf(object: JsonObject, field: string): number | undefined {
  const text = stringMember(object, field);
  const milliseconds = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

function statusNamed(list: unknown, name: string): JsonObject {
  if (!Array.isArray(list)) return {};
  return (list as unknown[]).find((one): one is JsonObject => isJsonObject(one) && one['name'] === name) ?? {};
}

function observed(container: Container, status: JsonObject): ObservedContainer {
  const state = objectMember(status, 'state') ?? {};
  const running = objectMember(state, 'running');
  const startedAt = running && secondsOf(running, 'startedAt');
  const containerID = stringMember(status, 'containerID') ?? '';
  const last = objectMember(objectMember(status, 'lastState') ?? {}, 'terminated');
  const restarts = member(status, 'restartCount');
  return {
    container,
    running: startedAt === undefined || containerID === '' ? undefined : { containerID, startedAt },
    started: status['started'] === true,
    ready: status['ready'] === true,
    // A restart of the node may reset the count, but then it also keeps the last state.
    isRestart: (typeof restarts === 'number' && restarts > 0) || last !== undefined,
    ends: [objectMember(state, 'terminated'), last].flatMap((end) => (end === undefined ? [] : [endOf(end)])),
  };
}

function endOf(terminated: JsonObject): ContainerEnd {
  const startedAt = secondsOf(terminated, 'startedAt');
  const finishedAt = secondsOf(terminated, 'finishedAt');
  return {
    containerID: stringMember(terminated, 'containerID') ?? '',
    isOutOfMemory: terminated['reason'] === 'OOMKilled',
    lifetimeSeconds: startedAt === undefined || finishedAt === undefined ? undefined : finishedAt - startedAt,
  };
}
