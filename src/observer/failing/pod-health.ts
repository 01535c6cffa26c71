import { textAt } from '../../base/json/field-path.ts';
import { objectMember, stringMap, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { injectedBy, type InjectedBy } from '../../engine/defaulting/injected-by.ts';
import { readProvenance } from '../../engine/defaulting/patch.ts';
import { INJECTED_ANNOTATION } from '../../engine/policy/annotations.ts';
import { PROBE_KINDS, type ProbeKind } from '../../engine/probe/probe.ts';
import { cut } from '../../base/text/cut.ts';
import { ownCopy } from '../../base/text/utf8.ts';
import { isBeingDeleted } from '../../engine/workload/kinds.ts';
import { conditionOf, containerState, containerStatuses, containerTrouble, MOST_CONTAINERS } from '../pod-status.ts';
import { liveContainersOf, type LiveContainer } from '../live-container.ts';
import { startLimits, type StartLimits } from '../start-limits.ts';
import { handlerText } from '../../engine/probe/handler-text.ts';
import type { ContainerTrouble, EndedRun, PodCondition } from '../pod-status.ts';

export interface DescribedProbe {
  /** `httpGet /healthz on port http` */
  readonly asks: string;
  readonly timeoutSeconds?: number;
  /** Undefined for a probe of the author. */
  readonly injectedBy: InjectedBy | undefined;
}

export interface ContainerHealth {
  readonly name: string;
  /** When the present run began; undefined while nothing runs. */
  readonly runningSince: number | undefined;
  readonly started: boolean;
  readonly ready: boolean;
  /** The present run was ready before it stopped being ready. */
  readonly wasReady: boolean;
  /** The kubelet does not start the container again after its last end. */
  readonly isLast: boolean;
  readonly restarts: number;
  readonly ended: EndedRun | undefined;
  readonly probes: Readonly<Partial<Record<ProbeKind, DescribedProbe>>>;
  readonly limits: StartLimits;
}

export interface PodHealth {
  readonly uid: string;
  readonly isReady: boolean;
  /** A container is not ready, or has been restarted. */
  readonly hasTrouble: boolean;
  /** The Pod has failed, and its containers do not start again. */
  readonly hasEnded: boolean;
  /** When the containers became ready, or stopped being ready; undefined when the status does not tell. */
  readonly changedAt: number | undefined;
  /** When the containers stopped being ready after they had been; undefined when they are ready or never were. */
  readonly unreadySince: number | undefined;
  readonly containers: readonly ContainerHealth[];
  /** Absent without any. */
  readonly troubles?: readonly ContainerTrouble[];
}

/**
 * The health of a Pod. Undefined for one that is being deleted or has succeeded, and for one without probes whose
 * containers run.
 */
export function podHealth(pod: JsonObject): PodHealth | undefined {
  const phase = textAt(pod, 'status', 'phase');
  const metadata = objectMember(pod, 'metadata') ?? {};
  const uid = stringMember(metadata, 'uid');
  const live = liveContainersOf(pod);
  if (isBeingDeleted(pod) || phase === 'Succeeded' || uid === undefined || live === undefined) return undefined;
  const statuses = containerStatuses(pod);
  const provenance = readProvenance(stringMap(metadata, 'annotations').get(INJECTED_ANNOTATION));
  // The condition is False from the Pod's first second on.
  const change = conditionOf(pod, 'ContainersReady');
  const containers: ContainerHealth[] = [];
  const troubles: ContainerTrouble[] = [];
  for (const container of live.containers.slice(0, MOST_CONTAINERS)) {
    const found = statuses.get(container.name);
    if (container.role === 'ephemeral' || found === undefined) continue;
    const isInit = container.role === 'init';
    const mayBeKilled = !isInit && startLimits(container).earliestKillSeconds !== undefined;
    const trouble = containerTrouble(container.name, found, live.runsForever && !isInit, mayBeKilled);
    if (trouble !== undefined) troubles.push(trouble);
    if (isInit) continue;
    containers.push(containerHealth(container, found, provenance.get(container.name), change));
  }
  if (troubles.length === 0 && containers.every(({ probes }) => Object.keys(probes).length === 0)) return undefined;
  return {
    uid,
    isReady: containers.every(({ ready }) => ready),
    // A plain init container that has ended is ready, and one that has not keeps the others from starting.
    hasTrouble: [...statuses.values()].map(containerState).some(({ ready, isRestart }) => !ready || isRestart),
    hasEnded: phase === 'Failed',
    changedAt: change?.since,
    unreadySince: containers.every(({ wasReady }) => wasReady) ? change?.since : undefined,
    containers,
    ...(troubles.length > 0 && { troubles }),
  };
}

/** Less than this after the start of a container, the Pod was never ready since. */
const NEVER_READY_MILLISECONDS = 2000;

function containerHealth(
  container: LiveContainer,
  status: JsonObject,
  injected: ReadonlyMap<string, string> | undefined,
  change: PodCondition | undefined,
): ContainerHealth {
  const probes: Partial<Record<ProbeKind, DescribedProbe>> = {};
  for (const kind of PROBE_KINDS) {
    const probe = container.probes[kind];
    if (probe === undefined) continue;
    const asks = ownCopy(cut(handlerText(probe.written), MOST_ASKED));
    probes[kind] = { asks, timeoutSeconds: probe.timing.timeoutSeconds, injectedBy: injectedBy(injected, kind) };
  }
  const { running, started, ready, restarts, ends } = containerState(status);
  const runningSince = running?.startedAt;
  const ended = ends[0]?.run;
  const unreadySince = change?.isTrue === false ? change.since : undefined;
  return {
    name: container.name,
    runningSince,
    started,
    ready,
    wasReady:
      runningSince !== undefined &&
      unreadySince !== undefined &&
      unreadySince - runningSince >= NEVER_READY_MILLISECONDS,
    isLast: !container.mayBeRestarted(ended?.exitCode),
    restarts,
    ended,
    probes,
    limits: startLimits(container),
  };
}

/** A message quotes at most this many characters of a handler. */
const MOST_ASKED = 80;
