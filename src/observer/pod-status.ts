import { objectsAt, textAt } from '../base/json/field-path.ts';
import { member, objectMember, stringMember, type JsonObject } from '../base/json/json-value.ts';

/** A Pod of 1.4 MB has thousands of containers. Only so many are looked at. */
export const MOST_CONTAINERS = 100;

/** An RFC 3339 field in milliseconds since the epoch; undefined for anything else. */
export function instantOf(object: JsonObject, field: string): number | undefined {
  const at = Date.parse(stringMember(object, field) ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** A member of a Pod's metadata as text, or ''. */
export function metadataOf(pod: JsonObject, field: 'name' | 'namespace' | 'uid'): string {
  return textAt(pod, 'metadata', field) ?? '';
}

/** A condition of a Pod, and since when it is so, in milliseconds since the epoch. */
export interface PodCondition {
  readonly isTrue: boolean;
  readonly since: number;
}

export function conditionOf(pod: JsonObject, type: string): PodCondition | undefined {
  const found = objectsAt(pod, 'status', 'conditions').find((one) => one['type'] === type);
  const since = found && instantOf(found, 'lastTransitionTime');
  return since === undefined ? undefined : { isTrue: found?.['status'] === 'True', since };
}

/** The statuses of a Pod's containers, by name. A name is unique among all containers of a Pod. */
export function containerStatuses(pod: JsonObject): ReadonlyMap<string, JsonObject> {
  const all = ['initContainerStatuses', 'containerStatuses'].flatMap((list) => objectsAt(pod, 'status', list));
  return new Map(
    all.flatMap((one) => {
      const name = stringMember(one, 'name');
      return name === undefined ? [] : [[name, one] as const];
    }),
  );
}

/** A run of a container that has ended. Times are in milliseconds since the epoch. */
export interface EndedRun {
  readonly from: number;
  readonly until: number;
  /** SIGTERM or SIGKILL ended it: the kubelet, or somebody on the node. */
  readonly bySignal: boolean;
  /** SIGKILL ended it: the grace period was over. */
  readonly isForced: boolean;
  readonly outOfMemory: boolean;
  readonly exitCode: number;
}

/** What a status tells of a container. Times are in milliseconds since the epoch, by the node's clock. */
export interface ContainerState {
  /** The container that runs now; undefined when none runs. */
  readonly running: { readonly containerID: string; readonly startedAt: number } | undefined;
  readonly started: boolean;
  readonly ready: boolean;
  readonly isRestart: boolean;
  readonly restarts: number;
  /** Why no container runs, by the kubelet: `CrashLoopBackOff`, `ImagePullBackOff`. */
  readonly waiting: string | undefined;
  /** The ends that the status still names, the latest first: while no container runs, there may be two. */
  readonly ends: readonly { readonly containerID: string; readonly run: EndedRun }[];
}

const SIGKILL = 137;
const SIGNALS: readonly unknown[] = [SIGKILL, 143];

export function containerState(status: JsonObject): ContainerState {
  const running = stateOf(status, 'state', 'running');
  const startedAt = running && instantOf(running, 'startedAt');
  const last = stateOf(status, 'lastState', 'terminated');
  const count = member(status, 'restartCount');
  const restarts = typeof count === 'number' ? count : 0;
  return {
    running: startedAt === undefined ? undefined : { containerID: idOf(status), startedAt },
    started: member(status, 'started') === true,
    ready: member(status, 'ready') === true,
    // A restart of the node may reset the count, but then it also keeps the last state.
    isRestart: restarts > 0 || last !== undefined,
    restarts,
    waiting: stringMember(stateOf(status, 'state', 'waiting') ?? {}, 'reason'),
    ends: [stateOf(status, 'state', 'terminated'), last].flatMap((end) => (end && endOf(end)) ?? []),
  };
}

function endOf(end: JsonObject): ContainerState['ends'][number] | undefined {
  const [from, until, code] = [instantOf(end, 'startedAt'), instantOf(end, 'finishedAt'), member(end, 'exitCode')];
  if (from === undefined || until === undefined) return undefined;
  const outOfMemory = member(end, 'reason') === 'OOMKilled';
  const exitCode = typeof code === 'number' ? code : 0;
  const run = { from, until, bySignal: SIGNALS.includes(code), isForced: code === SIGKILL, outOfMemory, exitCode };
  return { containerID: idOf(end), run };
}

function idOf(status: JsonObject): string {
  return stringMember(status, 'containerID') ?? '';
}

function stateOf(
  status: JsonObject,
  when: 'state' | 'lastState',
  which: 'running' | 'waiting' | 'terminated',
): JsonObject | undefined {
  return objectMember(objectMember(status, when) ?? {}, which);
}

/** A container that may not run, as its status tells. Plain init containers and Pods without probes have these, too. */
export interface ContainerTrouble {
  readonly container: string;
  /** Why no container runs, by the kubelet: `CrashLoopBackOff`. */
  readonly waiting: string | undefined;
  readonly restarts: number;
  readonly runningSince: number | undefined;
  readonly ended: EndedRun | undefined;
  /** A probe may stop the container. */
  readonly mayBeKilled: boolean;
}

export const CRASH_LOOP = 'CrashLoopBackOff';
/** pkg/kubelet/images/types.go and pkg/kubelet/kuberuntime/kuberuntime_container.go. */
export const NOT_STARTED: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
  'CreateContainerConfigError',
  'CreateContainerError',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
  'RunContainerError',
]);
/** One crash may be chance. */
export const FEWEST_RESTARTS = 2;

/** @param isStartedAlways the kubelet starts the container again also after a success */
export function containerTrouble(
  container: string,
  status: JsonObject,
  isStartedAlways: boolean,
  mayBeKilled: boolean,
): ContainerTrouble | undefined {
  const { waiting, restarts, running, ends } = containerState(status);
  const ended = ends[0]?.run;
  const mayLoop = restarts >= FEWEST_RESTARTS && ended !== undefined;
  if (waiting !== CRASH_LOOP && !NOT_STARTED.has(waiting ?? '') && !mayLoop) return undefined;
  const isDone = waiting === undefined && running === undefined && ended?.exitCode === 0 && !isStartedAlways;
  return isDone ? undefined : { container, waiting, restarts, runningSince: running?.startedAt, ended, mayBeKilled };
}
