import { objectMember, stringMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { probeTiming } from '../../src/engine/time/timing.ts';
import { Agenda } from './agenda.ts';
import { backOffTexts } from './back-off.ts';
import { killOf, startsAgain } from './container-kill.ts';
import { EventRecorder, wholeSecond } from './event-recorder.ts';
import { probeEvent } from './probe-outcome.ts';
import { ProbeWorker } from './probe-worker.ts';
import { simulatedContainers, type SimulatedContainer } from './simulated-container.ts';
import { StatusHistory, type PodHistory } from './status-history.ts';
import type { PodTruth, ProbeType, TrueStart } from './truth.ts';

/** From the end of a kubelet to the first sync of the next one. */
const DOWN_MILLISECONDS = 5000;

/** @param random a number from 0 up to 1, as Math.random: all phases and small delays come from it */
export const simulatePod = (truth: PodTruth, random: () => number): PodHistory => new SimulatedPod(truth, random).run();

class SimulatedPod {
  readonly #truth: PodTruth;
  readonly #random: () => number;
  readonly #agenda: Agenda;
  readonly #containers: readonly SimulatedContainer[];
  readonly #recorder: EventRecorder;
  readonly #status: StatusHistory;
  readonly #restartPolicy: string;
  readonly #starts: TrueStart[] = [];
  #workers = new Map<SimulatedContainer, ProbeWorker[]>();
  #hasSandbox = false;
  #startTime = '';
  /** The kubelet is down until then. */
  #upAt = 0;

  constructor(truth: PodTruth, random: () => number) {
    this.#truth = truth;
    this.#random = random;
    this.#agenda = new Agenda(truth.createdAt);
    const spec = this.#podSpec;
    this.#restartPolicy = stringMember(spec, 'restartPolicy') ?? 'Always';
    this.#containers = simulatedContainers(truth);
    const lag = (): number => (truth.eventLagSeconds ?? 0) * 1000 * random();
    this.#recorder = new EventRecorder(objectMember(truth.pod, 'metadata') ?? {}, truth.node ?? 'node-1', lag);
    const writeMilliseconds = (truth.writeSeconds ?? 0.05) * 1000;
    this.#status = new StatusHistory(this.#agenda, this.#containers, spec, this.#restartPolicy, writeMilliseconds);
  }

  run(): PodHistory {
    const { createdAt, scheduledAfter = 0.1, until, ...truth } = this.#truth;
    const at = (second: number, act: () => void): void => this.#agenda.at(createdAt + second * 1000, act);
    at(scheduledAfter, () => this.#schedule());
    for (const { at: second, keepsReady } of truth.kubeletRestarts ?? [])
      at(second, () => this.#restartKubelet(keepsReady));
    for (const second of truth.restartsAllAt ?? []) at(second, () => this.#restartAll());
    for (const [type, second] of Object.entries(truth.gates ?? {})) at(second, () => this.#openGate(type));
    this.#agenda.runUntil(createdAt + until * 1000);
    return {
      truth: this.#truth,
      writes: this.#status.writes,
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

  #schedule(): void {
    this.#status.scheduled();
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
      this.#sync();
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
      noticed: (type, outcome) => {
        const { reason, message } = probeEvent(type, outcome);
        this.#record('Warning', reason, message, one);
      },
      metContainer: (type) => {
        if (type === 'startup' && one.hasInheritedGate) this.#closeGate(one);
      },
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
      const image = `Container image "${String(one.spec['image'])}" already present on machine`;
      this.#record('Normal', 'Pulled', `${image} and can be accessed by the pod`, one);
      this.#record('Normal', 'Created', `Container created`, one);
      const start = one.begin(this.#agenda.now, this.#nodeNow, `containerd://${one.name}-${one.restartCount}`);
      this.#starts.push(start);
      this.#record('Normal', 'Started', `Container started`, one);
      const { endsAt, exitCode = 1, reason = exitCode === 0 ? 'Completed' : 'Error' } = one.startTruth;
      if (endsAt !== undefined)
        this.#agenda.after(endsAt * 1000, () => this.#end(one, start, 'itself', exitCode, reason));
      // The kubelet's cache learns of the container at the next relist and sync.
      this.#agenda.after(this.#relistDelay(), () => {
        if (one.current === start && !one.gone) one.known = true;
        this.#whenUp(() => this.#sync());
      });
      then();
    });
  }

  #relistDelay(): number {
    return 50 + this.#random() * 1000;
  }

  /** Runs at once, or at the first sync of a kubelet that is down. */
  #whenUp(run: () => void): void {
    this.#agenda.at(this.#upAt, run);
  }

  #decided(one: SimulatedContainer, type: ProbeType, success: boolean): void {
    if (!success && type !== 'readiness') return this.#kill(one, type);
    if (type === 'readiness') {
      one.readinessPassed = success;
      return this.#sync();
    }
    if (type !== 'startup') return this.#sync();
    one.started = true;
    if (one.current) one.current.passedAt ??= this.#agenda.now;
    // The status says started first, and ready with the next sync. In half of the cases, one write has both.
    if (this.#random() < 0.5) this.#status.write(this.#startTime);
    this.#agenda.after(this.#random() * 20, () => this.#whenUp(() => this.#sync()));
  }

  /** The startup worker finds a container that inherited `started`. The status says ready until the next sync. */
  #closeGate(one: SimulatedContainer): void {
    one.hasStaleReady = one.ready;
    one.hasInheritedGate = false;
    one.started = false;
    one.readinessPassed = false;
    this.#status.write(this.#startTime);
    this.#agenda.after(10 + this.#random() * 700, () =>
      this.#whenUp(() => {
        one.hasStaleReady = false;
        this.#sync();
      }),
    );
  }

  #kill(one: SimulatedContainer, type: 'startup' | 'liveness'): void {
    const start = one.current;
    if (start === undefined || one.dying || one.gone) return;
    one.dying = true;
    const others = this.#containers.filter((other) => other !== one);
    const { message, hookSeconds, hookFails, leftSeconds } = killOf(one, type, this.#podSpec, others);
    this.#record('Normal', 'Killing', message, one);
    const { stopSeconds = 0.3, stopCode = 143 } = one.startTruth;
    this.#agenda.after(hookSeconds * 1000, () => {
      if (one.current !== start || one.gone) return;
      if (hookFails) this.#record('Warning', 'FailedPreStopHook', 'PreStopHook failed', one);
      one.stopping = true;
      this.#agenda.after(Math.min(stopSeconds, leftSeconds) * 1000, () => {
        const code = stopSeconds > leftSeconds ? 137 : stopCode;
        this.#end(one, start, type, code, code === 0 ? 'Completed' : 'Error');
      });
    });
  }

  #end(
    one: SimulatedContainer,
    start: TrueStart,
    by: NonNullable<TrueStart['endedBy']>,
    code: number,
    reason: string,
  ): void {
    if (one.current !== start || one.gone) return;
    const [endedAt, nodeEnd] = [this.#agenda.now, this.#nodeNow];
    start.endedAt = endedAt;
    start.endedBy = by;
    one.gone = true;
    // A kill and the next start are one sync, which does not know the exit code. An end by itself is found by the next
    // relist.
    const again = startsAgain(one, this.#restartPolicy, by === 'itself' ? code : 1);
    const inherits = by === 'liveness' && one.started && (this.#truth.inheritsStarted ?? true);
    this.#agenda.after(by === 'itself' ? this.#relistDelay() : 10, () =>
      this.#whenUp(() => {
        one.end(nodeEnd, code, reason);
        const knownExit = by === 'itself' ? endedAt : one.knownExit;
        one.knownExit = endedAt;
        if (!again) return this.#sync();
        if (by === 'itself') this.#sync();
        this.#restart(one, code, endedAt, by === 'restart of all' ? undefined : knownExit, inherits);
      }),
    );
  }

  /** @param knownExit the last exit that the kubelet knew when it found that the container has to start again */
  #restart(
    one: SimulatedContainer,
    code: number,
    endedAt: number,
    knownExit: number | undefined,
    inherits: boolean,
  ): void {
    const seconds = one.backOff.holds(this.#agenda.now, knownExit);
    if (seconds > 0 && !startsAgain(one, this.#restartPolicy, code)) return this.#sync();
    one.lastState = one.state;
    if (seconds > 0) {
      const { message, event } = backOffTexts(seconds, one.name, objectMember(this.#truth.pod, 'metadata') ?? {});
      one.state = { waiting: { reason: 'CrashLoopBackOff', message } };
      this.#record('Warning', 'BackOff', event, one);
      this.#sync();
    }
    const at = seconds > 0 ? endedAt + seconds * 1000 : this.#agenda.now;
    this.#agenda.at(Math.max(at, this.#upAt), () => {
      one.backOff.next(this.#agenda.now, seconds > 0 ? endedAt : knownExit);
      one.restartCount += 1;
      // A status that was written meanwhile has said that nothing runs.
      one.started = one.hasInheritedGate = inherits && seconds === 0;
      this.#start(one);
    });
  }

  /** What the kubelet knows of each container becomes the status; readiness workers are triggered (prober_manager.go, UpdatePodStatus). */
  #sync(): void {
    if (this.#agenda.now < this.#upAt) return;
    for (const one of this.#containers) {
      if (one.known && one.probe('startup') === undefined) one.started = true;
      const hasPassed = one.known && one.started && !one.hasInheritedGate;
      if (one.current && hasPassed) one.current.passedAt ??= this.#agenda.now;
      if (one.current && one.ready) one.current.readyAt ??= this.#agenda.now;
      if (!one.known || !one.started || one.ready) continue;
      for (const worker of this.#workers.get(one) ?? []) if (worker.type === 'readiness') worker.trigger();
    }
    this.#status.sync(this.#hasSandbox, this.#startTime, this.#nodeNow);
  }

  /** Each Pod is synced about once a minute, also when nothing happens. */
  #resync(): void {
    this.#agenda.after(60_000 + this.#random() * 30_000, () => {
      this.#sync();
      this.#resync();
    });
  }

  #openGate(type: string): void {
    this.#status.openGate(type);
    this.#agenda.after(this.#relistDelay(), () => this.#whenUp(() => this.#sync()));
  }

  #restartKubelet(keepsReady: boolean): void {
    for (const workers of this.#workers.values()) for (const worker of workers) worker.stop();
    this.#upAt = this.#agenda.now + DOWN_MILLISECONDS;
    this.#whenUp(() => {
      for (const one of this.#containers) {
        const ran = this.#agenda.now - DOWN_MILLISECONDS - (one.current?.startedAt ?? this.#agenda.now);
        if (!keepsReady || ran <= 10_000) one.readinessPassed = false;
        // The first status is made before there are workers, so no startup probe is known.
        if (one.probe('startup') !== undefined) one.started = keepsReady && one.known;
        one.hasInheritedGate = false;
      }
      this.#addWorkers((probe) => this.#random() * probeTiming(probe).periodSeconds * 1000);
      this.#sync();
    });
  }

  #restartAll(): void {
    this.#status.setCondition('AllContainersRestarting', true, this.#nodeNow);
    for (const one of this.#containers) {
      if (one.role === 'init' || one.current === undefined) continue;
      this.#end(one, one.current, 'restart of all', 137, 'Error');
    }
    this.#sync();
    this.#agenda.after(1000, () => this.#status.setCondition('AllContainersRestarting', false, this.#nodeNow));
  }

  #record(type: 'Normal' | 'Warning', reason: string, message: string, one: SimulatedContainer): void {
    this.#recorder.record(this.#agenda.now, this.#nodeNow, type, reason, message, one.fieldPath);
  }
}
