import { objectMember, stringMember } from '../../src/json/json-value.ts';
import { podGraceSeconds, probeGraceSeconds } from '../../src/probes/grace-period.ts';
import { probeTiming } from '../../src/probes/timing.ts';
import { Agenda } from './agenda.ts';
import { EventRecorder, wholeSecond } from './event-recorder.ts';
import { PodConditions, kubeletConditions, podStatus } from './pod-status.ts';
import { unhealthyMessage } from './probe-outcome.ts';
import { ProbeWorker } from './probe-worker.ts';
import { SimulatedContainer } from './simulated-container.ts';
import { StatusWriter } from './status-writer.ts';
import type { JsonObject } from '../../src/json/json-value.ts';
import type { EventWrite } from './event-recorder.ts';
import type { PodTruth, ProbeType, TrueStart } from './truth.ts';

/** One write of the Pod's status, at a true time in milliseconds: what a watch then tells. */
export interface StatusWrite {
  readonly at: number;
  readonly manager: 'kube-scheduler' | 'kubelet' | 'gate-controller';
  readonly status: JsonObject;
}

/** Everything that happened to a Pod: what the API server was told, and what is true. */
export interface PodHistory {
  readonly truth: PodTruth;
  readonly writes: readonly StatusWrite[];
  readonly events: readonly EventWrite[];
  readonly starts: readonly TrueStart[];
  readonly droppedEvents: number;
}

/** Seconds before the n-th restart, from the last exit (pkg/kubelet/kubelet.go, kuberuntime_manager.go doBackOff). */
const BACK_OFF_SECONDS = [0, 10, 20, 40, 80, 160, 300];
const BACK_OFF_FORGOTTEN_SECONDS = 600;
const MINIMUM_GRACE_SECONDS = 2;

/** @param random a number from 0 up to 1, as Math.random: all phases and small delays come from it */
export function simulatePod(truth: PodTruth, random: () => number): PodHistory {
  return new SimulatedPod(truth, random).run();
}

class SimulatedPod {
  readonly #truth: PodTruth;
  readonly #random: () => number;
  readonly #agenda: Agenda;
  readonly #containers: readonly SimulatedContainer[];
  readonly #conditions = new PodConditions();
  readonly #gates: readonly string[];
  readonly #recorder: EventRecorder;
  readonly #writer: StatusWriter;
  readonly #restartPolicy: string;
  readonly #writes: StatusWrite[] = [];
  readonly #starts: TrueStart[] = [];
  #workers = new Map<SimulatedContainer, ProbeWorker[]>();
  readonly #openGates: string[] = [];
  #hasSandbox = false;
  #startTime = '';

  constructor(truth: PodTruth, random: () => number) {
    this.#truth = truth;
    this.#random = random;
    this.#agenda = new Agenda(truth.createdAt);
    const spec = this.#podSpec;
    this.#restartPolicy = stringMember(spec, 'restartPolicy') ?? 'Always';
    this.#containers = [...this.#listed('initContainers'), ...this.#listed('containers')];
    const gates = spec['readinessGates'];
    this.#gates = (Array.isArray(gates) ? (gates as JsonObject[]) : []).map((gate) => String(gate['conditionType']));
    this.#recorder = new EventRecorder(objectMember(truth.pod, 'metadata') ?? {}, truth.node ?? 'node-1');
    this.#writer = new StatusWriter(this.#agenda, (truth.writeSeconds ?? 0.05) * 1000, (status) => {
      this.#writes.push({ at: this.#agenda.now, manager: 'kubelet', status: this.#withOpenGates(status) });
    });
  }

  run(): PodHistory {
    const {
      createdAt,
      scheduledAfter = 0.1,
      until,
      kubeletRestarts = [],
      restartsAllAt = [],
      gates = {},
    } = this.#truth;
    this.#agenda.at(createdAt + scheduledAfter * 1000, () => this.#schedule());
    for (const { at, keepsReady } of kubeletRestarts) {
      this.#agenda.at(createdAt + at * 1000, () => this.#restartKubelet(keepsReady));
    }
    for (const at of restartsAllAt) this.#agenda.at(createdAt + at * 1000, () => this.#restartAll());
    for (const [type, at] of Object.entries(gates)) this.#agenda.at(createdAt + at * 1000, () => this.#openGate(type));
    this.#agenda.runUntil(createdAt + until * 1000);
    return {
      truth: this.#truth,
      writes: this.#writes,
      events: this.#recorder.writes,
      starts: this.#starts,
      droppedEvents: this.#recorder.dropped,
    };
  }

  get #podSpec(): JsonObject {
    return objectMember(this.#truth.pod, 'spec') ?? {};
  }

  get #nodeNow(): number {
    return this.#agenda.now + (this.#truth.nodeClockAhead ?? 0) * 1000;
  }

  #listed(list: 'containers' | 'initContainers'): SimulatedContainer[] {
    const entries = this.#podSpec[list];
    return (Array.isArray(entries) ? (entries as JsonObject[]) : []).map(
      (spec) => new SimulatedContainer(spec, list, this.#truth.containers?.[stringMember(spec, 'name') ?? '']),
    );
  }

  #schedule(): void {
    this.#conditions.set([{ type: 'PodScheduled', status: 'True' }], this.#agenda.now);
    const status = { phase: 'Pending', conditions: this.#conditions.list(), qosClass: 'BestEffort' };
    this.#writes.push({ at: this.#agenda.now, manager: 'kube-scheduler', status });
    this.#agenda.after(50 + this.#random() * 150, () => this.#admit());
  }

  /** The kubelet takes the Pod: workers before containers (kubelet.go, SyncPod: probeManager.AddPod). */
  #admit(): void {
    this.#startTime = wholeSecond(this.#nodeNow);
    if (this.#containers.every(({ role }) => role === 'application')) {
      for (const one of this.#containers) one.state = { waiting: { reason: 'ContainerCreating' } };
    }
    this.#addWorkers(() => 0);
    this.#sync();
    this.#resync();
    this.#agenda.after(300 + this.#random() * 700, () => {
      this.#hasSandbox = true;
      this.#startFrom(0);
    });
  }

  #addWorkers(waitMilliseconds: (probe: JsonObject) => number): void {
    this.#workers = new Map(
      this.#containers.map((one) => [
        one,
        (['startup', 'readiness', 'liveness'] as const).flatMap((type) => {
          const probe = one.probe(type);
          if (probe === undefined) return [];
          return [new ProbeWorker(type, probe, one.spec, this.#surroundings(one), waitMilliseconds(probe))];
        }),
      ]),
    );
  }

  #surroundings(one: SimulatedContainer): ConstructorParameters<typeof ProbeWorker>[3] {
    return {
      agenda: this.#agenda,
      running: () => {
        const startedAt = objectMember(one.state, 'running')?.['startedAt'];
        if (!one.known || typeof startedAt !== 'string') return undefined;
        return { containerID: one.containerID, startedAtSecond: Date.parse(startedAt), started: one.started };
      },
      // readiness: what a restarted kubelet kept, else false.
      initialState: (type) => ({ startup: undefined, liveness: true, readiness: one.readinessPassed })[type],
      nodeNow: () => this.#nodeNow,
      answer: (type) => one.answer(type, (this.#agenda.now - (one.current?.startedAt ?? 0)) / 1000),
      unhealthy: (type, outcome) => this.#record('Warning', 'Unhealthy', unhealthyMessage(type, outcome), one),
      decided: (type, success) => this.#decided(one, type, success),
    };
  }

  /** Init containers one after the other, a sidecar until it is started; then all application containers. */
  #startFrom(index: number): void {
    const one = this.#containers[index];
    if (one === undefined) return;
    if (one.role === 'application') {
      // A Pod whose last init container has ended: the kubelet pulls and starts one application container after the other.
      this.#start(one, () => this.#startFrom(index + 1));
      return;
    }
    this.#start(one, () => {
      if (one.role === 'sidecar') return this.#whenStarted(one, index);
      this.#agenda.after((one.truth.runsSeconds ?? 0.5) * 1000, () => {
        one.end(this.#nodeNow, 0, 'Completed');
        this.#agenda.after(this.#relistDelay(), () => {
          this.#sync();
          this.#startFrom(index + 1);
        });
      });
    });
  }

  #whenStarted(sidecar: SimulatedContainer, index: number): void {
    if (sidecar.started) this.#startFrom(index + 1);
    else this.#agenda.after(100, () => this.#whenStarted(sidecar, index));
  }

  #start(one: SimulatedContainer, then: () => void = () => undefined): void {
    const pull = one.restartCount === 0 ? (one.truth.pullSeconds ?? 0.2) * 1000 : 20;
    this.#agenda.after(pull, () => {
      this.#record(
        'Normal',
        'Pulled',
        `Container image "${String(one.spec['image'])}" already present on machine`,
        one,
      );
      this.#record('Normal', 'Created', `Container created`, one);
      const start = one.begin(this.#agenda.now, this.#nodeNow, `containerd://${one.name}-${one.restartCount}`);
      this.#starts.push(start);
      this.#record('Normal', 'Started', `Container started`, one);
      const { endsAt, exitCode = 1, reason = exitCode === 0 ? 'Completed' : 'Error' } = one.startTruth;
      if (endsAt !== undefined) {
        this.#agenda.after(endsAt * 1000, () => this.#end(one, start, 'itself', exitCode, reason));
      }
      // The kubelet's cache learns of the container at the next relist and sync.
      this.#agenda.after(this.#relistDelay(), () => {
        if (one.current === start) one.known = true;
        this.#sync();
      });
      then();
    });
  }

  #relistDelay(): number {
    return 50 + this.#random() * 1000;
  }

  #decided(one: SimulatedContainer, type: ProbeType, success: boolean): void {
    if (!success && type !== 'readiness') return this.#kill(one, type);
    if (type === 'startup') {
      one.started = true;
      if (one.current) one.current.passedAt ??= this.#agenda.now;
    }
    if (type === 'readiness') one.readinessPassed = success;
    this.#sync();
  }

  #kill(one: SimulatedContainer, type: 'startup' | 'liveness'): void {
    const start = one.current;
    if (start === undefined || one.dying) return;
    one.dying = true;
    this.#record('Normal', 'Killing', `Container ${one.name} failed ${type} probe, will be restarted`, one);
    const own = probeGraceSeconds(one.probe(type) ?? {});
    const grace = Math.max(
      MINIMUM_GRACE_SECONDS,
      typeof own === 'number' ? own : (podGraceSeconds(this.#podSpec) ?? 30),
    );
    const { stopSeconds = 0.3 } = one.startTruth;
    this.#agenda.after(Math.min(stopSeconds, grace) * 1000, () => {
      this.#end(one, start, type, stopSeconds > grace ? 137 : 143, 'Error');
    });
  }

  #end(
    one: SimulatedContainer,
    start: TrueStart,
    by: NonNullable<TrueStart['endedBy']>,
    code: number,
    reason: string,
  ): void {
    if (one.current !== start) return;
    start.endedAt = this.#agenda.now;
    start.endedBy = by;
    const ran = (this.#agenda.now - start.startedAt) / 1000;
    one.end(this.#nodeNow, code, reason);
    if (ran > BACK_OFF_FORGOTTEN_SECONDS) one.backOffStep = 0;
    const again =
      this.#restartPolicy === 'Always' || one.role === 'sidecar' || (this.#restartPolicy === 'OnFailure' && code !== 0);
    // A kill and the next start are one sync; an end by itself is found by the next relist.
    this.#agenda.after(by === 'itself' ? this.#relistDelay() : 10, () => {
      if (!again) return this.#sync();
      if (by === 'itself') this.#sync();
      this.#restart(one);
    });
  }

  #restart(one: SimulatedContainer): void {
    const seconds = BACK_OFF_SECONDS[Math.min(one.backOffStep, BACK_OFF_SECONDS.length - 1)] ?? 0;
    one.backOffStep += 1;
    one.lastState = one.state;
    if (seconds > 0) {
      const message = `back-off ${seconds}s restarting failed container=${one.name}`;
      one.state = { waiting: { reason: 'CrashLoopBackOff', message } };
      this.#record('Warning', 'BackOff', `Back-off restarting failed container ${one.name}`, one);
      this.#sync();
    }
    this.#agenda.after(seconds * 1000, () => {
      one.restartCount += 1;
      this.#start(one);
    });
  }

  /** What the kubelet knows of each container becomes the status; readiness workers are triggered (prober_manager.go, UpdatePodStatus). */
  #sync(): void {
    for (const one of this.#containers) {
      if (one.known && one.probe('startup') === undefined) one.started = true;
      if (one.current && one.known && one.started) one.current.passedAt ??= this.#agenda.now;
      if (one.current && one.ready) one.current.readyAt ??= this.#agenda.now;
      if (!one.known || !one.started || one.ready) continue;
      for (const worker of this.#workers.get(one) ?? []) if (worker.type === 'readiness') worker.trigger();
    }
    const opened = new Set(this.#conditions.list().map(({ type }) => type));
    const gates = this.#gates.map((type) => ({ type, isTrue: opened.has(type) }));
    this.#conditions.set(kubeletConditions(this.#containers, gates, this.#hasSandbox), this.#nodeNow);
    this.#writer.set(podStatus(this.#containers, this.#conditions, this.#startTime, this.#restartPolicy));
  }

  /** Each Pod is synced about once a minute, also when nothing happens. */
  #resync(): void {
    this.#agenda.after(60_000 + this.#random() * 30_000, () => {
      this.#sync();
      this.#resync();
    });
  }

  /** The controller of the gate writes one condition. All else stays as the API server has it. */
  #openGate(type: string): void {
    this.#conditions.set([{ type, status: 'True' }], this.#agenda.now);
    this.#openGates.push(type);
    const stored = this.#writes.at(-1)?.status ?? { phase: 'Pending', qosClass: 'BestEffort' };
    this.#writes.push({ at: this.#agenda.now, manager: 'gate-controller', status: this.#withOpenGates(stored) });
    this.#agenda.after(this.#relistDelay(), () => this.#sync());
  }

  /** The kubelet's patch leaves conditions of others alone, also those that it has not seen yet. */
  #withOpenGates(status: JsonObject): JsonObject {
    const conditions = (status['conditions'] ?? []) as readonly JsonObject[];
    const open = this.#conditions.list().filter(({ type }) => this.#openGates.includes(String(type)));
    const others = conditions.filter(({ type }) => !this.#openGates.includes(String(type)));
    return { ...status, conditions: [...others, ...open] };
  }

  #restartKubelet(keepsReady: boolean): void {
    for (const workers of this.#workers.values()) for (const worker of workers) worker.stop();
    for (const one of this.#containers) {
      const ran = this.#agenda.now - (one.current?.startedAt ?? this.#agenda.now);
      if (keepsReady && ran > 10_000) continue;
      one.readinessPassed = false;
      if (one.probe('startup') !== undefined) one.started = false;
    }
    this.#addWorkers((probe) => this.#random() * probeTiming(probe).periodSeconds * 1000);
    this.#sync();
  }

  #restartAll(): void {
    this.#conditions.set([{ type: 'AllContainersRestarting', status: 'True' }], this.#nodeNow);
    for (const one of this.#containers) {
      if (one.role === 'init' || one.current === undefined) continue;
      one.backOffStep = 0;
      this.#end(one, one.current, 'restart of all', 137, 'Error');
    }
    this.#sync();
    this.#agenda.after(1000, () =>
      this.#conditions.set([{ type: 'AllContainersRestarting', status: 'False' }], this.#nodeNow),
    );
  }

  #record(type: 'Normal' | 'Warning', reason: string, message: string, one: SimulatedContainer): void {
    this.#recorder.record(this.#agenda.now, this.#nodeNow, type, reason, message, one.fieldPath);
  }
}
