import { member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { containersOf, podRunsForever, type Container } from '../../engine/workload/containers.ts';
import { conditionOf, containerStatuses, instantOf, MOST_CONTAINERS, stateOf } from '../pod-status.ts';

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

/** Whether all containers are ready, and since when, in seconds since the epoch. */
export interface ReadyCondition {
  readonly isTrue: boolean;
  readonly since: number;
}

/**
 * The containers of a Pod that may have probes, with their statuses. Undefined for a Pod whose containers run to
 * completion, because Probewright gives such containers no probes. Undefined also for a Pod with too many containers:
 * nobody learns from such a Pod, and each event of it would take long.
 */
export function observedContainers(pod: JsonObject): readonly ObservedContainer[] | undefined {
  const spec = objectMember(pod, 'spec');
  if (spec === undefined || !podRunsForever(spec)) return undefined;
  const statuses = containerStatuses(pod);
  const found: ObservedContainer[] = [];
  for (const container of containersOf(spec)) {
    if (container.name === '' || container.role === 'init' || container.role === 'mesh') continue;
    if (found.length >= MOST_CONTAINERS) return undefined;
    found.push(observed(container, statuses.get(container.name) ?? {}));
  }
  return found;
}

/**
 * The condition ContainersReady. The condition Ready also waits for readiness gates, so it says less about containers.
 */
export function containersReady(pod: JsonObject): ReadyCondition | undefined {
  const condition = conditionOf(pod, 'ContainersReady');
  return condition?.since === undefined ? undefined : { isTrue: condition.isTrue, since: condition.since / 1000 };
}

/** An RFC 3339 field in seconds since the epoch; undefined for anything else. */
export function secondsOf(object: JsonObject, field: string): number | undefined {
  const milliseconds = instantOf(object, field);
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

function observed(container: Container, status: JsonObject): ObservedContainer {
  const running = stateOf(status, 'state', 'running');
  const startedAt = running && secondsOf(running, 'startedAt');
  const containerID = stringMember(status, 'containerID') ?? '';
  const last = stateOf(status, 'lastState', 'terminated');
  const restarts = member(status, 'restartCount');
  return {
    container,
    running: startedAt === undefined || containerID === '' ? undefined : { containerID, startedAt },
    started: status['started'] === true,
    ready: status['ready'] === true,
    // A restart of the node may reset the count, but then it also keeps the last state.
    isRestart: (typeof restarts === 'number' && restarts > 0) || last !== undefined,
    ends: [stateOf(status, 'state', 'terminated'), last].flatMap((end) => (end === undefined ? [] : [endOf(end)])),
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
