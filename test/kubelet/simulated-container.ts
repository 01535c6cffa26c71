import { objectMember, stringMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { isSidecar } from '../../src/engine/workload/kill-settings.ts';
import { BackOff } from './back-off.ts';
import { wholeSecond } from './event-recorder.ts';
import type { Answer, ContainerTruth, PodTruth, ProbeType, StartTruth, TrueStart } from './truth.ts';

const PROBE_FIELDS: Readonly<Record<ProbeType, string>> = {
  startup: 'startupProbe',
  liveness: 'livenessProbe',
  readiness: 'readinessProbe',
};

/** What the kubelet holds of one container, and what is true of it. */
export class SimulatedContainer {
  readonly name: string;
  readonly spec: JsonObject;
  readonly role: 'application' | 'sidecar' | 'init';
  readonly fieldPath: string;
  readonly truth: ContainerTruth;
  restartCount = 0;
  readonly backOff = new BackOff();
  /** The last exit that the kubelet knows, in true milliseconds. */
  knownExit: number | undefined;
  /** The status field `state`. */
  state: JsonObject;
  lastState: JsonObject = {};
  containerID = '';
  /** The kubelet's cache knows the running container. Until then, its status is `#cached`. */
  known = false;
  started = false;
  /** `started` is that of the container before, until the startup worker looks. */
  hasInheritedGate = false;
  readinessPassed = false;
  /** The status still says ready, although the gate is closed. */
  hasStaleReady = false;
  /** A kill is under way. */
  dying = false;
  /** SIGTERM was sent. */
  stopping = false;
  /** The container has ended, and the kubelet does not know. */
  gone = false;
  /** What is true of the present start; undefined while nothing runs. */
  current: TrueStart | undefined;
  #cached: JsonObject = {};

  constructor(spec: JsonObject, list: 'containers' | 'initContainers', truth: ContainerTruth | undefined) {
    this.name = stringMember(spec, 'name') ?? '';
    this.spec = spec;
    this.role = list === 'containers' ? 'application' : isSidecar(spec) ? 'sidecar' : 'init';
    this.fieldPath = `spec.${list}{${this.name}}`;
    this.truth = truth ?? { starts: [{}] };
    this.state = { waiting: { reason: 'PodInitializing' } };
  }

  get ready(): boolean {
    if (this.role === 'init') return objectMember(this.state, 'terminated')?.['exitCode'] === 0;
    return this.known && this.started && (this.probe('readiness') === undefined || this.readinessPassed);
  }

  probe(type: ProbeType): JsonObject | undefined {
    return this.role === 'init' ? undefined : objectMember(this.spec, PROBE_FIELDS[type]);
  }

  get startTruth(): StartTruth {
    const { starts } = this.truth;
    return starts[Math.min(this.restartCount, starts.length - 1)] ?? {};
  }

  /** @param seconds after the true start */
  answer(type: ProbeType, seconds: number): Answer {
    const { answersFrom = 0, readyFrom = answersFrom, before = { kind: 'refused' }, faults = [] } = this.startTruth;
    if (this.gone) return { kind: 'gone' };
    if (this.stopping) return this.startTruth.whileStopping ?? { kind: 'refused' };
    const fault = faults.find(
      ({ from, until, probes }) => from <= seconds && seconds < until && (probes?.includes(type) ?? true),
    );
    if (fault !== undefined) return fault.answer;
    const from = type === 'readiness' ? Math.max(readyFrom, answersFrom) : answersFrom;
    return seconds >= from ? { kind: 'ok' } : before;
  }

  begin(now: number, nodeNow: number, id: string): TrueStart {
    const { answersFrom = 0, readyFrom = answersFrom, endsAt = Infinity } = this.startTruth;
    const needed =
      this.probe('startup') === undefined && this.probe('readiness') !== undefined
        ? Math.max(readyFrom, answersFrom)
        : answersFrom;
    this.#cached = this.status();
    this.containerID = id;
    this.state = { running: { startedAt: wholeSecond(nodeNow) } };
    this.dying = false;
    this.stopping = false;
    this.current = {
      container: this.name,
      containerID: id,
      restart: this.restartCount > 0,
      startedAt: now,
      needed: needed < endsAt ? needed : undefined,
      passedAt: undefined,
      readyAt: undefined,
      endedAt: undefined,
      endedBy: undefined,
    };
    return this.current;
  }

  /** The container is gone; the kubelet's cache may still know it to run. */
  end(nodeNow: number, exitCode: number, reason: string): void {
    const startedAt = objectMember(this.state, 'running')?.['startedAt'];
    this.state = {
      terminated: { exitCode, reason, startedAt, finishedAt: wholeSecond(nodeNow), containerID: this.containerID },
    };
    this.forget();
  }

  /** Nothing runs any more, as far as the kubelet knows. */
  forget(): void {
    this.known = false;
    this.started = false;
    this.hasInheritedGate = false;
    this.readinessPassed = false;
    this.hasStaleReady = false;
    this.dying = false;
    this.stopping = false;
    this.gone = false;
    this.current = undefined;
  }

  status(): JsonObject {
    if (this.current !== undefined && !this.known) return this.#cached;
    const image = stringMember(this.spec, 'image') ?? '';
    return {
      name: this.name,
      state: this.state,
      lastState: this.lastState,
      ready: this.ready || this.hasStaleReady,
      restartCount: this.restartCount,
      image,
      imageID: this.containerID === '' ? '' : `${image}@sha256:0`,
      ...(this.containerID !== '' && { containerID: this.containerID }),
      started: this.role === 'init' ? false : this.known && this.started,
      ...(this.containerID !== '' && { resources: {} }),
    };
  }
}

/** The containers of a Pod, the init containers first. */
export function simulatedContainers({ pod, containers = {} }: PodTruth): SimulatedContainer[] {
  const spec = objectMember(pod, 'spec') ?? {};
  return (['initContainers', 'containers'] as const).flatMap((list) => {
    const entries = spec[list];
    return (Array.isArray(entries) ? (entries as JsonObject[]) : []).map(
      (one) => new SimulatedContainer(one, list, containers[stringMember(one, 'name') ?? '']),
    );
  });
}
