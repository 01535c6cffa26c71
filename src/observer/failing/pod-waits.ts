import { instantOf, conditionsOf, type LiveContainer, type ToldCondition } from '../live-pod.ts';
import { objectsAt, textAt } from '../../base/json/field-path.ts';
import { objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { cut } from '../../base/text/cut.ts';
import { ownCopy } from '../../base/text/utf8.ts';
import type { ContainerWaitCause, PodWaitCause } from './wait-causes.ts';

/** What a Pod, a container or a workload waits for, without the help of a probe. Times are in milliseconds. */
export interface Wait {
  /** Undefined for a wait of the whole Pod. */
  readonly container: string | undefined;
  readonly cause: ContainerWaitCause | PodWaitCause;
  /** The word of the kubelet, the scheduler or a controller. */
  readonly reason?: string | undefined;
  /** What it says about the reason. */
  readonly words?: string | undefined;
  /** Since the epoch. */
  readonly since: number;
  /** Shorter waits are a part of each start. */
  readonly patience: number;
}

export const AT_ONCE = 0;
/** A wait that somebody gives a reason for. The reason may be gone in a moment: a node comes, a volume is attached. */
export const REASONED_MILLISECONDS = 30_000;
/** A wait that nobody gives a reason for: an image is pulled, an init container works. */
export const SILENT_MILLISECONDS = 120_000;

const MOST_WORDS = 300;

/** A text of a status or of an event, as far as a finding shows it. */
export function spokenWords(text: string | undefined): string | undefined {
  const words = text?.trim().replaceAll(/\s+/g, ' ');
  return words === undefined || words === '' ? undefined : ownCopy(cut(words, MOST_WORDS));
}

/**
 * What a Pod waits for, by its status alone: the first step on the way to Ready that is not done. A probe that fails is
 * no such step, because the kubelet's events tell more about it.
 *
 * @param containers the containers of the Pod in the order in which the kubelet starts them
 */
export function podWaits(pod: JsonObject, containers: readonly LiveContainer[]): Wait[] {
  const known = whatIsKnown(pod);
  if (textAt(pod, 'status', 'phase') === 'Failed') return [failedPod(pod, containers, known)];
  const isOnNode = (textAt(pod, 'spec', 'nodeName') ?? '') !== '' || known.of('PodScheduled')?.isTrue === true;
  // Only the kubelet of a node writes statuses of containers.
  if (!isOnNode && !containers.some(({ hasStatus }) => hasStatus)) return [unscheduled(pod, known)];
  const holding = containers.find((one) => one.turn !== 'last' && !isPassed(one, known));
  if (holding !== undefined) return containerWaits(holding, known);
  const unready = containers.filter(({ turn, role, ready }) => turn !== 'init' && role !== 'ephemeral' && !ready);
  if (unready.length > 0) return unready.flatMap((one) => containerWaits(one, known));
  return conditionWaits(pod, known);
}

type Known = ReturnType<typeof whatIsKnown>;

function whatIsKnown(pod: JsonObject) {
  const conditions = conditionsOf(pod);
  // Without any time, nothing is late.
  const createdAt = instantOf(objectMember(pod, 'metadata') ?? {}, 'creationTimestamp') ?? Infinity;
  const mayEnd = (textAt(pod, 'spec', 'restartPolicy') ?? 'Always') !== 'Always';
  const of = (type: string): ToldCondition | undefined => conditions.find((one) => one.type === type);
  const scheduledAt = of('PodScheduled')?.since ?? createdAt;
  return { createdAt, of, scheduledAt, mayEnd };
}

/**
 * A plain init container has passed when it has succeeded, and a sidecar when it has started. The kubelet may forget
 * the end of an init container after all of them have passed.
 */
function isPassed({ turn, started, ready, ends: [end], running }: LiveContainer, { of }: Known): boolean {
  if (of('Initialized')?.isTrue === true) return true;
  if (turn === 'sidecar') return started;
  return ready || (running === undefined && end?.run.exitCode === 0);
}

function unscheduled(pod: JsonObject, { of, createdAt }: Known): Wait {
  const told = of('PodScheduled');
  const gates = objectsAt(pod, 'spec', 'schedulingGates').map((gate) => stringMember(gate, 'name') ?? '');
  // The API server writes the condition without a time.
  const since = told?.since ?? createdAt;
  if (gates.length > 0)
    return {
      container: undefined,
      cause: 'scheduling-gated',
      words: spokenWords(`gates: ${gates.join(', ')}`),
      since,
      patience: AT_ONCE,
    };
  const scheduler = textAt(pod, 'spec', 'schedulerName') ?? 'default-scheduler';
  const words =
    spokenWords(told?.words) ?? `no scheduler has looked at it: spec.schedulerName is ${cut(scheduler, 63)}`;
  return {
    container: undefined,
    cause: 'not-scheduled',
    reason: told?.reason,
    words,
    since,
    patience: REASONED_MILLISECONDS,
  };
}

/** A Pod that has ended with a failure: the kubelet's reason, or the end of the container that failed. */
function failedPod(pod: JsonObject, containers: readonly LiveContainer[], { createdAt }: Known): Wait {
  const ends = containers.flatMap(({ name, ends: [end] }) => (end === undefined ? [] : [{ name, ...end.run }]));
  const failed = ends.find(({ exitCode }) => exitCode !== 0);
  const ofContainer = failed && `container ${failed.name} ended with exit code ${failed.exitCode}`;
  const reason = textAt(pod, 'status', 'reason') ?? (failed?.outOfMemory === true ? 'OOMKilled' : undefined);
  return {
    container: undefined,
    cause: 'pod-failed',
    reason,
    words: spokenWords(textAt(pod, 'status', 'message')) ?? ofContainer,
    since: Math.max(createdAt === Infinity ? 0 : createdAt, ...ends.map(({ until }) => until)),
    patience: AT_ONCE,
  };
}

/**
 * The words of the kubelet for a container that waits for its turn (pkg/kubelet/kubelet_pods.go,
 * convertToAPIContainerStatuses). Each other word is the reason of a failure.
 */
const USUAL: readonly unknown[] = [undefined, 'ContainerCreating', 'PodInitializing'];
export const CRASH_LOOP = 'CrashLoopBackOff';

function containerWaits(one: LiveContainer, known: Known): Wait[] {
  const { name: container, waiting, running, ends, isLast, turn } = one;
  // A loop is told with what ended the container.
  if (waiting === CRASH_LOOP) return [];
  const told = { container, reason: waiting, words: spokenWords(one.waitingWords) };
  const since = Math.max(known.scheduledAt, ends[0]?.run.until ?? 0);
  if (!USUAL.includes(waiting)) return [{ ...told, cause: 'cannot-start', since, patience: AT_ONCE }];
  const patience = SILENT_MILLISECONDS;
  if (running !== undefined) return runningWaits(one);
  if (waiting === undefined && ends.length > 0) {
    // One container of a Pod that runs to completion may end before the others.
    if (known.mayEnd && turn === 'last' && ends[0]?.run.exitCode === 0) return [];
    const cause = turn === 'init' ? 'init-failed' : 'ended-for-good';
    const isOver = isLast && turn === 'last';
    return [
      { ...told, words: endInWords(one), cause, since, patience: isOver ? REASONED_MILLISECONDS : SILENT_MILLISECONDS },
    ];
  }
  // The kubelet tells nothing of a container while its postStart hook runs.
  const isHook = one.hasPostStart && known.of('PodReadyToStartContainers')?.isTrue !== false;
  return [{ ...told, cause: isHook ? 'post-start-hook' : 'not-created', since, patience }];
}

function endInWords({ ends: [end] }: LiveContainer): string {
  return `it ended with exit code ${end?.run.exitCode ?? 0}`;
}

/** A container that runs. The events of a startup or readiness probe tell more. */
function runningWaits({ name: container, turn, running, probes }: LiveContainer): Wait[] {
  const wait = { container, since: running?.startedAt ?? Infinity, patience: SILENT_MILLISECONDS };
  if (turn === 'init') return [{ ...wait, cause: 'init-running' }];
  const hasGate = probes.startupProbe !== undefined || probes.readinessProbe !== undefined;
  return hasGate ? [] : [{ ...wait, cause: 'not-started' }];
}

/** All containers are ready: what keeps the Pod from being Ready. */
function conditionWaits(pod: JsonObject, { of, scheduledAt }: Known): Wait[] {
  const ready = of('Ready');
  if (ready === undefined || ready.isTrue) return [];
  const since = of('ContainersReady')?.since ?? scheduledAt;
  const gates = objectsAt(pod, 'spec', 'readinessGates').map((gate) => stringMember(gate, 'conditionType') ?? '');
  const open = gates.filter((type) => of(type)?.isTrue !== true);
  if (open.length > 0)
    return open.map((type) => {
      const words = spokenWords(of(type)?.words) ?? spokenWords(of(type)?.reason) ?? 'nobody has set it';
      const wait = { container: undefined, cause: 'readiness-gate', since, patience: REASONED_MILLISECONDS } as const;
      return { ...wait, words: `${cut(type, 100)}: ${words}` };
    });
  // A node that is not Ready makes its Pods not Ready (pkg/controller/util/node, MarkPodsNotReady).
  return [
    {
      container: undefined,
      cause: 'not-ready',
      reason: ready.reason,
      words: spokenWords(ready.words),
      since: ready.since ?? scheduledAt,
      patience: SILENT_MILLISECONDS,
    },
  ];
}
