import { textAt } from '../../base/json/field-path.ts';
import { objectMember, stringMap, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { injectedBy, type InjectedBy } from '../../engine/defaulting/injected-by.ts';
import { readProvenance } from '../../engine/defaulting/patch.ts';
import { INJECTED_ANNOTATION } from '../../engine/policy/annotations.ts';
import { firstProbeSpan } from '../../engine/time/timing.ts';
import { PROBE_KINDS, type ProbeKind } from '../../engine/probe/probe.ts';
import { cut } from '../../base/text/cut.ts';
import { ownCopy } from '../../base/text/utf8.ts';
import { isLeftPlain, MESH_PROXIES } from '../../engine/workload/mesh.ts';
import { isBeingDeleted } from '../../engine/workload/kinds.ts';
import { conditionOf, instantOf, liveContainersOf } from '../live-pod.ts';
import { CRASH_LOOP, podWaits, type Wait } from './pod-waits.ts';
import { startLimits, type StartLimits } from '../start-limits.ts';
import { handlerText } from '../../engine/probe/handler-text.ts';
import type { EndedRun, LiveContainer, PodCondition } from '../live-pod.ts';

export interface DescribedProbe {
  /** `httpGet /healthz on port http` */
  readonly asks: string;
  readonly timeoutSeconds?: number;
  /** False for httpGet without TLS; undefined for other handlers. */
  readonly isHttps?: boolean;
  /** Under strict mTLS, the proxy of the mesh refuses the kubelet's connection. */
  readonly isRefusedByMesh?: boolean;
  /** The first success may come so long after the start, at the latest. */
  readonly firstSeconds?: number;
  /** Undefined for a probe of the author. */
  readonly injectedBy: InjectedBy | undefined;
}

export interface ContainerHealth extends Pick<
  LiveContainer,
  'name' | 'started' | 'ready' | 'restarts' | 'waiting' | 'isLast'
> {
  /** When the present run began; undefined while nothing runs. */
  readonly runningSince: number | undefined;
  /** The present run was ready before it stopped being ready. */
  readonly wasReady: boolean;
  readonly ended: EndedRun | undefined;
  readonly probes: Readonly<Partial<Record<ProbeKind, DescribedProbe>>>;
  readonly limits: StartLimits;
}

export interface PodHealth {
  readonly uid: string;
  readonly name: string;
  /** 0 = unknown. */
  readonly createdAt: number;
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
  /** What the Pod waits for, by its status alone. */
  readonly waits: readonly Wait[];
  /** The containers that may end again and again. Init containers and containers without probes are here, too. */
  readonly troubles: readonly ContainerHealth[];
}

/**
 * The health of a Pod. Undefined for one that is being deleted or has succeeded, and for one without probes that waits
 * for nothing.
 */
export function podHealth(pod: JsonObject): PodHealth | undefined {
  const phase = textAt(pod, 'status', 'phase');
  const metadata = objectMember(pod, 'metadata') ?? {};
  const uid = stringMember(metadata, 'uid');
  const live = liveContainersOf(pod);
  if (isBeingDeleted(pod) || phase === 'Succeeded' || uid === undefined || live === undefined) return undefined;
  const provenance = readProvenance(stringMap(metadata, 'annotations').get(INJECTED_ANNOTATION));
  const isInMesh = live.containers.some(({ name }) => MESH_PROXIES.get(name)?.redirects === true);
  const isMeshPlain = isInMesh && isLeftPlain(stringMap(metadata, 'annotations'));
  // The condition is False from the Pod's first second on.
  const change = conditionOf(pod, 'ContainersReady');
  const known = live.containers.filter(({ role, hasStatus }) => role !== 'ephemeral' && hasStatus);
  const all = known.map((one) => ({
    one,
    health: containerHealth(one, provenance.get(one.name), change, isMeshPlain),
  }));
  const containers = all.flatMap(({ one, health }) => (one.role === 'init' ? [] : [health]));
  const troubles = all.flatMap(({ one, health }) =>
    mayNotRun(one, live.runsForever && one.role !== 'init') ? [health] : [],
  );
  const waits = podWaits(pod, live.containers);
  const hasProbes = containers.some(({ probes }) => Object.keys(probes).length > 0);
  if (troubles.length === 0 && waits.length === 0 && !hasProbes) return undefined;
  return {
    uid,
    name: ownCopy(stringMember(metadata, 'name') ?? ''),
    createdAt: instantOf(metadata, 'creationTimestamp') ?? 0,
    isReady: containers.every(({ ready }) => ready),
    // A plain init container that has ended is ready, and one that has not keeps the others from starting.
    hasTrouble: waits.length > 0 || known.some(({ ready, isRestart }) => !ready || isRestart),
    hasEnded: phase === 'Failed',
    changedAt: change?.since,
    unreadySince: containers.every(({ wasReady }) => wasReady) ? change?.since : undefined,
    containers,
    waits,
    troubles,
  };
}

/** One crash may be chance. */
const FEWEST_RESTARTS = 2;

/** @param isStartedAlways the kubelet starts the container again also after a success */
function mayNotRun({ waiting, restarts, running, ends: [end] }: LiveContainer, isStartedAlways: boolean): boolean {
  const mayLoop = restarts >= FEWEST_RESTARTS && end !== undefined;
  if (waiting !== CRASH_LOOP && !mayLoop) return false;
  return waiting !== undefined || running !== undefined || end?.run.exitCode !== 0 || isStartedAlways;
}

/** Less than this after the start of a container, the Pod was never ready since. */
const NEVER_READY_MILLISECONDS = 2000;

function containerHealth(
  container: LiveContainer,
  injected: ReadonlyMap<string, string> | undefined,
  change: PodCondition | undefined,
  isMeshPlain: boolean,
): ContainerHealth {
  const probes: Partial<Record<ProbeKind, DescribedProbe>> = {};
  for (const kind of PROBE_KINDS) {
    const probe = container.probes[kind];
    if (probe === undefined) continue;
    const asks = ownCopy(cut(handlerText(probe.written), MOST_ASKED));
    const { timeoutSeconds } = probe.timing;
    const firstSeconds = firstProbeSpan(probe.timing).latest;
    const http = objectMember(probe.written, 'httpGet');
    probes[kind] = {
      asks,
      timeoutSeconds,
      firstSeconds,
      ...(http !== undefined && { isHttps: stringMember(http, 'scheme') === 'HTTPS' }),
      ...(isMeshPlain && objectMember(probe.written, 'exec') === undefined && { isRefusedByMesh: true }),
      injectedBy: injectedBy(injected, kind),
    };
  }
  const { name, running, started, ready, restarts, waiting, isLast, ends } = container;
  const runningSince = running?.startedAt;
  const unreadySince = change?.isTrue === false ? change.since : undefined;
  return {
    name,
    runningSince,
    started,
    ready,
    wasReady:
      runningSince !== undefined &&
      unreadySince !== undefined &&
      unreadySince - runningSince >= NEVER_READY_MILLISECONDS,
    isLast,
    restarts,
    waiting,
    ended: ends[0]?.run,
    probes,
    limits: startLimits(container),
  };
}

/** A message quotes at most this many characters of a handler. */
const MOST_ASKED = 80;
