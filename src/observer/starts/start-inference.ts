import type { JsonObject } from '../../base/json/json-value.ts';
import { isBeingDeleted } from '../../engine/workload/kinds.ts';
import { NamespaceShares } from '../namespace-shares.ts';
import { controllerOfPod } from '../observed-workload.ts';
import { conditionOf, metadataOf, type EndedRun, type LiveContainer, type PodCondition } from '../live-pod.ts';
import { KubeletRestarts, type ClosedGate } from './kubelet-restarts.ts';
import {
  better,
  containersReady,
  hasLaterProbe,
  nodeOf,
  observedContainers,
  placeOf,
  secondsUntilReady,
  startId,
  startOf,
} from './measured-start.ts';
import { startLimits, startProbeOf, type StartProbe } from '../start-limits.ts';
import type { MeasuredStart, StoppedStart } from './measured-start.ts';

type ContainerEnd = LiveContainer['ends'][number];

interface Starting {
  /** The container that runs; '' while none runs. */
  readonly containerID: string;
  /** Start by the node's clock, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** When a watch first told that the container runs, by our clock; undefined when it may have run before. */
  readonly runningSeenAt: number | undefined;
  /** The closed startup gate, if a status has shown it. */
  readonly gate: ClosedGate | undefined;
  /** Failures of an open gate, or of the run before, may end the container earlier than its probes grant. */
  readonly isUnsure: boolean;
  /** The measured start, while the next event may still show a better instant. */
  readonly provisional?: { readonly start: MeasuredStart; readonly at: number };
}

interface StartingPod {
  readonly node: string;
  readonly containers: ReadonlyMap<string, Starting>;
  /** Containers that were not ready when the Pod was seen last. */
  readonly unready: number;
  readonly seenAt: number;
}

interface PodEvent {
  readonly pod: JsonObject;
  readonly uid: string;
  readonly namespace: string;
  readonly node: string;
  /** About when the kubelet wrote this status, in seconds since the epoch. */
  readonly wroteAt: number;
  readonly containers: readonly LiveContainer[];
  readonly ready: PodCondition | undefined;
  readonly before: StartingPod | undefined;
  readonly receivedAt: number;
}

const NOTHING = { startedAt: 0, runningSeenAt: undefined, gate: undefined, isUnsure: false };
const NOT_RUNNING: Starting = { containerID: '', ...NOTHING };

/** The kubelet finds a new container within a relist (1 s) and a sync, and writes the status soon after. */
const RUNNING_SEEN_WITHIN_MILLISECONDS = 3000;
/** A container that is seen this soon after its start was not unseen for long. Our clock may be a little behind. */
const JUST_STARTED = { earliest: -2000, latest: 5000 };
/** Both instants of the kubelet are whole seconds, so their difference is off by less than one in both directions. */
const ROUNDING_SECONDS = 2;
/** Three seconds from the start to the first sight, one of rounding, and two by which a status may be written later. */
const EVENT_ERROR_SECONDS = 6;
/** From the kill to the end that the runtime reports, beyond the grace period and the slack of limits. */
const KILL_LAG_SECONDS = 4;
/** A node that writes nothing for this long counts as lost, and its Pods as unready (node-monitor-grace-period). */
const LONGEST_UNSEEN_SECONDS = 40;
/** The next event of a Pod, with a better instant, usually comes within a second. */
const PROVISIONAL_MILLISECONDS = 5000;

/** More starting Pods than any cluster has at one time. */
const MOST_PODS = 50_000;

/**
 * Infers how long containers take to start, from the events of a watch of Pods. Keeps one record for each Pod with
 * starting containers, and drops the record afterwards. A start of which a part was not seen gives no sample: a wrong
 * sample is worse than none.
 *
 * Sources of the rules: pkg/kubelet/status/status_manager.go, updateLastTransitionTime (instants of conditions are set
 * when a probe decides, by the node's clock); pkg/kubelet/prober/prober_manager.go, UpdatePodStatus (started and
 * ready).
 */
export class StartInference {
  readonly #tell: (start: MeasuredStart | StoppedStart) => void;
  readonly #pods = new NamespaceShares<StartingPod>(MOST_PODS);
  readonly #restarts: KubeletRestarts;
  #isListing = false;

  /** @param tell receives each start that has been measured, or that a probe has ended */
  constructor(tell: (start: MeasuredStart | StoppedStart) => void) {
    this.#tell = tell;
    this.#restarts = new KubeletRestarts(tell);
  }

  get size(): number {
    return this.#pods.size;
  }

  /** A list of all Pods begins. Changes before it were not seen. */
  listing(): void {
    this.#isListing = true;
  }

  /** The list has ended: Pods without a UID of the list are gone. */
  listed(uids: ReadonlySet<string>): void {
    this.#isListing = false;
    for (const [namespace, uid, { node }] of this.#pods.entries())
      if (!uids.has(uid)) this.#forget(namespace, uid, node);
  }

  gone(pod: JsonObject): void {
    const [namespace, uid] = [metadataOf(pod, 'namespace'), metadataOf(pod, 'uid')];
    const known = this.#pods.get(namespace, uid);
    if (known === undefined) return;
    for (const { provisional, ...one } of known.containers.values())
      if (provisional) this.#measured(known.node, provisional.start, one);
    this.#forget(namespace, uid, known.node);
  }

  /** A Pod of a list or of a watch. Nothing of the Pod is kept. */
  seen(pod: JsonObject, receivedAt: number): void {
    const uid = metadataOf(pod, 'uid');
    if (uid === '') return;
    const [namespace, node] = [metadataOf(pod, 'namespace'), nodeOf(pod)];
    const wroteAt = Math.floor(receivedAt / 1000);
    if (node !== '') this.#restarts.wrote(node, wroteAt);
    const containers = isBeingDeleted(pod) ? undefined : observedContainers(pod);
    if (containers === undefined) {
      this.gone(pod);
      return;
    }
    const before = this.#pods.get(namespace, uid);
    const ready = containersReady(pod);
    const event: PodEvent = { pod, uid, namespace, node, wroteAt, containers, ready, before, receivedAt };
    const starting = new Map<string, Starting>();
    let unready = 0;
    for (const one of containers) {
      if (!one.ready) unready += 1;
      const probe = startProbeOf(one);
      if (probe === undefined) continue;
      const next = this.#follow(event, one, probe);
      if (next !== undefined) starting.set(one.name, next);
    }
    if (starting.size === 0) this.#forget(namespace, uid, node);
    else this.#keep(event, { node, containers: starting, unready, seenAt: receivedAt });
  }

  /** Reports measured starts for which no better instant came. To be called now and then. */
  reportDue(now: number): void {
    for (const [namespace, uid, pod] of this.#pods.entries()) {
      const left = new Map(pod.containers);
      for (const [name, { provisional, ...one }] of pod.containers) {
        if (provisional === undefined || now - provisional.at < PROVISIONAL_MILLISECONDS) continue;
        this.#measured(pod.node, provisional.start, one);
        left.delete(name);
      }
      if (left.size === 0) this.#forget(namespace, uid, pod.node);
      else if (left.size < pod.containers.size) this.#pods.set(namespace, uid, { ...pod, containers: left });
    }
    this.#restarts.decideDue(now);
  }

  #keep({ namespace, uid }: PodEvent, pod: StartingPod): void {
    this.#pods.set(namespace, uid, pod);
    const gates = [...pod.containers.values()].flatMap(({ gate, provisional }) =>
      gate === undefined || provisional !== undefined ? [] : [gate.since],
    );
    this.#restarts.closed(pod.node, uid, gates.length === 0 ? undefined : Math.min(...gates));
  }

  #forget(namespace: string, uid: string, node: string): void {
    this.#pods.delete(namespace, uid);
    this.#restarts.closed(node, uid, undefined);
  }

  #measured(node: string, start: MeasuredStart, since: Starting): void {
    this.#restarts.report(node, start, beginOf(since));
  }

  /** The record to keep of a container; undefined when it is not starting, or when a part of its start was not seen. */
  #follow(event: PodEvent, one: LiveContainer, probe: StartProbe): Starting | undefined {
    const { running } = one;
    let known = this.#known(event, one, probe);
    if (known?.provisional !== undefined) {
      const start = better(known.provisional.start, one, event.ready, known.startedAt);
      this.#measured(event.node, start, known);
      if (running?.containerID === known.containerID) return undefined;
      // The next start may have begun already.
      known = this.#isListing ? undefined : NOT_RUNNING;
    }
    if (running === undefined) return NOT_RUNNING;
    const hasPassed = probe.basis === 'startup' ? one.started : one.ready;
    const isNew = known !== undefined && known.containerID !== running.containerID;
    if (known === undefined && (hasPassed || !isFromItsStart(event, running.startedAt))) return undefined;
    if (!hasPassed && hasBeenReady(event, running.startedAt)) return undefined;
    const now = known === undefined || isNew ? firstRecord(event, one, probe, running, isNew) : known;
    if (!hasPassed) {
      const gate = { since: now.gate?.since ?? event.wroteAt, seenAt: event.wroteAt };
      return probe.basis === 'startup' ? { ...now, gate } : now;
    }
    // After a liveness kill, the next container inherits the open gate (kubernetes/kubernetes#141155).
    if (probe.basis === 'startup' && one.isRestart && now.gate === undefined) return undefined;
    if (now.gate !== undefined) {
      const isReady = hasLaterProbe(one, probe) ? undefined : one.ready;
      this.#restarts.opened(event.node, event.uid, now.gate, isReady, event.receivedAt);
    }
    return this.#passed(event, one, probe, now);
  }

  /** The record of the container, after the end of the container that was starting. */
  #known(event: PodEvent, one: LiveContainer, probe: StartProbe): Starting | undefined {
    const known = event.before?.containers.get(one.name);
    if (known === undefined || known.containerID === '') return this.#isListing ? undefined : known;
    if (known.provisional !== undefined) return known;
    const end = one.ends.find(({ containerID }) => containerID === known.containerID);
    if (end === undefined && one.running?.containerID === known.containerID) {
      // Changes before a list were not seen. Only a startup probe passes once and for all.
      return this.#isListing && (probe.basis === 'readiness' || one.started) ? undefined : known;
    }
    if (this.#isListing) return undefined;
    if (end !== undefined) this.#ended(event, one, end, known);
    return NOT_RUNNING;
  }

  /** The start has ended. Reports the sample, or keeps it for a better instant. */
  #passed(event: PodEvent, one: LiveContainer, probe: StartProbe, now: Starting): Starting | undefined {
    const { before, receivedAt } = event;
    const byCondition = secondsUntilReady(event.ready, one, now.startedAt);
    const isOneEvent = now.runningSeenAt === receivedAt;
    if (byCondition !== undefined) {
      // Nothing tells whether the container was ready before, and lost it again, in a time that nobody saw.
      if (isOneEvent && byCondition > LONGEST_UNSEEN_SECONDS) return undefined;
      // The condition has the instant of the last probe that passed since the last event.
      const isLastProbe = before?.unready === 1 && !hasLaterProbe(one, probe);
      const sinceLastEvent = isOneEvent ? byCondition : (receivedAt - (before?.seenAt ?? 0)) / 1000;
      const gap = isLastProbe ? 0 : sinceLastEvent + EVENT_ERROR_SECONDS;
      const start = startOf(event.pod, one, probe, byCondition, ROUNDING_SECONDS + gap);
      if (start !== undefined) this.#measured(event.node, start, now);
      return undefined;
    }
    if (now.runningSeenAt === undefined) return undefined;
    const age = receivedAt - now.startedAt;
    if (isOneEvent && (age < JUST_STARTED.earliest || age > JUST_STARTED.latest)) return undefined;
    const seconds = Math.ceil((receivedAt - now.runningSeenAt + RUNNING_SEEN_WITHIN_MILLISECONDS) / 1000);
    const start = startOf(event.pod, one, probe, seconds, EVENT_ERROR_SECONDS);
    return start && { ...now, provisional: { start, at: receivedAt } };
  }

  /** A container has ended while it was starting. */
  #ended(
    { pod, uid, node }: PodEvent,
    container: LiveContainer,
    { containerID, run }: ContainerEnd,
    known: Starting,
  ): void {
    if (known.isUnsure || this.#restarts.isInterrupted(node, beginOf(known))) return;
    const workload = controllerOfPod(pod);
    const boundSeconds = boundOf(container, run);
    // A bound of 0 s says nothing. While the kubelet restarts all containers (KEP-5532), no probe has ended them.
    const isRestartOfAll = conditionOf(pod, 'AllContainersRestarting')?.isTrue === true;
    if (workload === undefined || boundSeconds === undefined || boundSeconds === 0 || isRestartOfAll) return;
    this.#tell({ ...placeOf(pod, container, workload), id: startId(pod, containerID), boundSeconds, podUid: uid });
  }
}

/**
 * The time that a probe granted to a start that the probe may have ended. A start that took no longer survives. A
 * container that ends earlier has ended by itself, one that ends later was alive.
 */
function boundOf(container: LiveContainer, { from, until, outOfMemory }: EndedRun): number | undefined {
  const limits = startLimits(container);
  const { earliestKillSeconds: earliest, longestStartSeconds: longest } = limits;
  const seconds = (until - from) / 1000;
  if (earliest === undefined || longest === undefined || outOfMemory || seconds < earliest) return undefined;
  return seconds > longest + limits.killSeconds + KILL_LAG_SECONDS ? undefined : earliest + ROUNDING_SECONDS / 2;
}

/** True when the Pod has stopped being ready since this start of a container: its container was ready before. */
function hasBeenReady({ ready }: Pick<PodEvent, 'ready'>, startedAt: number): boolean {
  return ready?.isTrue === false && ready.since > startedAt + RUNNING_SEEN_WITHIN_MILLISECONDS;
}

/**
 * True when a running container, of which nothing is known, has not been ready since its start: the Pod has not been
 * ready since, and has no other container with probes. Our clock does not tell: the clock of the node may be ahead.
 */
function isFromItsStart({ ready, containers }: PodEvent, startedAt: number): boolean {
  if (ready === undefined || ready.isTrue || hasBeenReady({ ready }, startedAt)) return false;
  return containers.filter((container) => startProbeOf(container) !== undefined).length === 1;
}

function firstRecord(
  { receivedAt }: PodEvent,
  container: LiveContainer,
  { basis }: StartProbe,
  running: { readonly containerID: string; readonly startedAt: number },
  isNew: boolean,
): Starting {
  const { isRestart, ends } = container;
  const hasLiveness = container.probes.livenessProbe !== undefined;
  const mayHaveBeenOpen = !isNew && hasLiveness;
  // The failures of a run that no probe has ended count in the next one (pkg/kubelet/prober/worker.go, doProbe).
  const [before] = ends;
  const inheritsFailures = before === undefined || boundOf(container, before.run) === undefined;
  return {
    ...running,
    runningSeenAt: isNew ? receivedAt : undefined,
    gate: undefined,
    isUnsure: isRestart && (basis === 'startup' ? mayHaveBeenOpen : inheritsFailures),
  };
}

/** When the container surely ran already, in milliseconds: the clock of the node may be ahead. */
function beginOf({ startedAt, runningSeenAt }: Starting): number {
  return Math.min(startedAt, runningSeenAt ?? Infinity);
}
