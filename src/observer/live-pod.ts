import { objectsAt, textAt } from '../base/json/field-path.ts';
import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../base/json/json-value.ts';
import type { Kill } from '../engine/time/kill.ts';
import { PROBE_KINDS, type ProbeKind } from '../engine/probe/probe.ts';
import { probeTiming, type ProbeTiming } from '../engine/time/timing.ts';
import {
  hasHook,
  isSidecar,
  killEndsPod,
  mayBeRestarted,
  podGraceSeconds,
  probeGraceSeconds,
} from '../engine/workload/kill-settings.ts';
import { killOf } from '../engine/workload/pod.ts';
import { containersOf, runsForever, type PlacedContainer } from '../engine/workload/read-container.ts';

/** A Pod of 1.4 MB has thousands of containers. Only so many are looked at. */
const MOST_CONTAINERS = 100;

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

/** A condition of a Pod or of a workload, in the words of who wrote it. The API server may write one without a time. */
export interface ToldCondition {
  readonly type: string;
  readonly isTrue: boolean;
  readonly since: number | undefined;
  readonly reason: string | undefined;
  readonly words: string | undefined;
}

export function conditionsOf(object: JsonObject): readonly ToldCondition[] {
  return objectsAt(object, 'status', 'conditions').map((one) => ({
    type: stringMember(one, 'type') ?? '',
    isTrue: one['status'] === 'True',
    since: instantOf(one, 'lastTransitionTime'),
    reason: stringMember(one, 'reason'),
    words: stringMember(one, 'message'),
  }));
}

export function conditionOf(pod: JsonObject, type: string): PodCondition | undefined {
  const { isTrue, since } = conditionsOf(pod).find((one) => one.type === type) ?? {};
  return since === undefined || isTrue === undefined ? undefined : { isTrue, since };
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

/** A probe of a live container. */
interface LiveProbe {
  readonly written: JsonObject;
  readonly timing: ProbeTiming;
  /** Undefined when the grace period is malformed. */
  readonly kill: Kill | undefined;
}

/**
 * A container of a live Pod, with what its status tells: what the observer reads at each event of a watch. `readPod`
 * reads far more, and takes several times as long. Times are in milliseconds since the epoch, by the node's clock.
 */
export interface LiveContainer extends Pick<PlacedContainer, 'name' | 'role'> {
  /** `init`: the others wait until it has ended. `sidecar`: they wait until it has started. */
  readonly turn: 'init' | 'sidecar' | 'last';
  readonly image: string;
  readonly probes: Readonly<Partial<Record<ProbeKind, LiveProbe>>>;
  /** False for a container that the kubelet has told nothing about. */
  readonly hasStatus: boolean;
  /** The container that runs now; undefined when none runs. */
  readonly running: { readonly containerID: string; readonly startedAt: number } | undefined;
  readonly started: boolean;
  readonly ready: boolean;
  readonly isRestart: boolean;
  readonly restarts: number;
  /** Why no container runs, by the kubelet: `CrashLoopBackOff`, `ImagePullBackOff`. */
  readonly waiting: string | undefined;
  /** What the kubelet says about it. */
  readonly waitingWords: string | undefined;
  readonly hasPostStart: boolean;
  /** The ends that the status still names, the latest first: while no container runs, there may be two. */
  readonly ends: readonly { readonly containerID: string; readonly run: EndedRun }[];
  /** The kubelet does not start the container again after its last end. */
  readonly isLast: boolean;
}

/** The first containers of a live Pod, in the API server's order. */
interface LiveContainers {
  readonly containers: readonly LiveContainer[];
  /** False when the Pod has more of them. */
  readonly areAll: boolean;
  readonly runsForever: boolean;
}

/** Undefined for an object without a Pod spec. */
export function liveContainersOf(
  pod: JsonObject,
  isWanted: (container: PlacedContainer) => boolean = () => true,
): LiveContainers | undefined {
  const spec = objectMember(pod, 'spec');
  if (spec === undefined) return undefined;
  const all = ['initContainerStatuses', 'containerStatuses'].flatMap((list) => objectsAt(pod, 'status', list));
  // A name is unique among all containers of a Pod.
  const statuses = new Map(all.map((status) => [member(status, 'name'), status]));
  const wanted = containersOf(spec).filter(isWanted);
  const first = wanted.slice(0, MOST_CONTAINERS);
  return {
    containers: first.map((placed) => liveContainer(placed, spec, statuses.get(placed.name))),
    areAll: first.length === wanted.length,
    runsForever: runsForever(spec),
  };
}

export function liveContainer(
  { name, role, list, spec }: Pick<PlacedContainer, 'name' | 'role' | 'list' | 'spec'>,
  podSpec: JsonObject,
  status?: JsonObject,
): LiveContainer {
  const told = status ?? {};
  const running = stateOf(told, 'state', 'running');
  const startedAt = running && instantOf(running, 'startedAt');
  const waiting = stateOf(told, 'state', 'waiting') ?? {};
  const last = stateOf(told, 'lastState', 'terminated');
  const count = member(told, 'restartCount');
  const restarts = typeof count === 'number' ? count : 0;
  const ends = [stateOf(told, 'state', 'terminated'), last].flatMap((end) => (end && endOf(end)) ?? []);
  return {
    name,
    role,
    turn: list !== 'initContainers' ? 'last' : isSidecar(spec) ? 'sidecar' : 'init',
    image: stringMember(spec, 'image') ?? '',
    probes: liveProbes(spec, podSpec),
    hasStatus: status !== undefined,
    running: startedAt === undefined ? undefined : { containerID: idOf(told), startedAt },
    started: member(told, 'started') === true,
    ready: member(told, 'ready') === true,
    // A restart of the node may reset the count, but then it also keeps the last state.
    isRestart: restarts > 0 || last !== undefined,
    restarts,
    waiting: stringMember(waiting, 'reason'),
    waitingWords: stringMember(waiting, 'message'),
    hasPostStart: hasHook(spec, 'postStart'),
    ends,
    isLast: !mayBeRestarted(spec, podSpec, ends[0]?.run.exitCode),
  };
}

function liveProbes(spec: JsonObject, podSpec: JsonObject): LiveContainer['probes'] {
  const container = {
    killEndsPod: killEndsPod(spec, podSpec),
    hasPreStop: hasHook(spec, 'preStop'),
    pod: { graceSeconds: podGraceSeconds(podSpec) },
  };
  const probes: Partial<Record<ProbeKind, LiveProbe>> = {};
  for (const kind of PROBE_KINDS) {
    const written = member(spec, kind);
    if (!isJsonObject(written)) continue;
    const kill = killOf({ graceSeconds: probeGraceSeconds(written), container });
    probes[kind] = { written, timing: probeTiming(written), kill };
  }
  return probes;
}

const SIGKILL = 137;
const SIGNALS: readonly unknown[] = [SIGKILL, 143];

function endOf(end: JsonObject): LiveContainer['ends'][number] | undefined {
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
