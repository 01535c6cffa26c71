import { probeTiming } from '../../src/engine/time/timing.ts';
import { outcomeOf, type Outcome } from './probe-outcome.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Agenda } from './agenda.ts';
import type { Answer, ProbeType } from './truth.ts';

/** What a worker knows of its container, and whom it tells. */
export interface WorkerSurroundings {
  readonly agenda: Agenda;
  /** The container that the kubelet's cache knows to run; undefined while there is none. */
  running(): { readonly containerID: string; readonly startedAtSecond: number; readonly started: boolean } | undefined;
  /** What holds for a container before its first result (worker.go, newWorker); a startup probe knows nothing then. */
  initialState(type: ProbeType): boolean | undefined;
  /** The node's clock, in milliseconds. */
  nodeNow(): number;
  answer(type: ProbeType): Answer;
  /** An outcome that is no plain success. */
  noticed(type: ProbeType, outcome: Outcome): void;
  /** The worker finds another container than at its last look. */
  metContainer(type: ProbeType): void;
  /** The state of the probe changed, or was set again. */
  decided(type: ProbeType, success: boolean): void;
}

/**
 * One probe worker of the kubelet (pkg/kubelet/prober/worker.go): one ticker, one probe at a time, a tick that comes while a probe runs is kept.
 * `reference/probe-timing.md` section 1 is the text that this class follows.
 */
export class ProbeWorker {
  readonly type: ProbeType;
  readonly #probe: JsonObject;
  readonly #container: JsonObject;
  readonly #surroundings: WorkerSurroundings;
  readonly #periodMilliseconds: number;
  #containerID = '';
  #state: boolean | undefined;
  #lastResult: boolean | undefined;
  #resultRun = 0;
  #onHold = false;
  #busy = false;
  #triggered = false;
  #nextTick: number;
  #generation = 0;
  #stopped = false;

  /** @param waitMilliseconds what a worker of a young kubelet sleeps first */
  constructor(
    type: ProbeType,
    probe: JsonObject,
    container: JsonObject,
    surroundings: WorkerSurroundings,
    waitMilliseconds = 0,
  ) {
    this.type = type;
    this.#probe = probe;
    this.#container = container;
    this.#surroundings = surroundings;
    this.#periodMilliseconds = probeTiming(probe).periodSeconds * 1000;
    this.#nextTick = surroundings.agenda.now + waitMilliseconds;
    this.#wait(this.#nextTick);
  }

  /** Looks at once, and begins a new period (prober_manager.go, UpdatePodStatus; worker.go, run). */
  trigger(): void {
    if (this.#stopped) return;
    if (this.#busy) this.#triggered = true;
    else this.#tickAt(this.#surroundings.agenda.now);
  }

  stop(): void {
    this.#stopped = true;
    this.#generation += 1;
  }

  #tickAt(time: number): void {
    this.#nextTick = time;
    this.#wait(time);
  }

  /** Looks at this time. The ticker goes on by itself. */
  #wait(time: number): void {
    const generation = (this.#generation += 1);
    this.#surroundings.agenda.at(time, () => {
      if (generation !== this.#generation) return;
      while (this.#nextTick <= this.#surroundings.agenda.now) this.#nextTick += this.#periodMilliseconds;
      this.#look();
    });
  }

  #look(): void {
    const running = this.#surroundings.running();
    if (running === undefined || this.#stopped) return this.#wait(this.#nextTick);
    if (running.containerID !== this.#containerID) {
      this.#containerID = running.containerID;
      this.#onHold = false;
      this.#state = this.#surroundings.initialState(this.type);
      this.#surroundings.metContainer(this.type);
    }
    const { initialDelaySeconds } = probeTiming(this.#probe);
    const age = Math.trunc((this.#surroundings.nodeNow() - running.startedAtSecond) / 1000);
    const gated = this.type === 'startup' ? running.started : !running.started;
    if (this.#onHold || age < initialDelaySeconds || gated) return this.#wait(this.#nextTick);
    this.#ask();
  }

  #ask(): void {
    const { agenda } = this.#surroundings;
    const outcome = outcomeOf(this.#surroundings.answer(this.type), this.#probe, this.#container, agenda.now);
    const containerID = this.#containerID;
    this.#busy = true;
    agenda.after(outcome.seconds * 1000, () => {
      this.#busy = false;
      if (this.#stopped) return;
      // One tick that came meanwhile is kept, the others are lost; the ticker keeps its phase.
      if (this.#triggered) this.#tickAt(agenda.now);
      else this.#wait(this.#nextTick);
      this.#triggered = false;
      // A container that ended while it was asked: its answer is for nobody.
      if (this.#surroundings.running()?.containerID !== containerID) return;
      this.#count(outcome);
    });
  }

  #count(outcome: Outcome): void {
    const { result } = outcome;
    if (result !== 'success') this.#surroundings.noticed(this.type, outcome);
    if (result === 'error' || result === 'failed-error') return;
    const success = result !== 'failure';
    this.#resultRun = this.#lastResult === success ? this.#resultRun + 1 : 1;
    this.#lastResult = success;
    const { failureThreshold, successThreshold } = probeTiming(this.#probe);
    if (this.#resultRun < (success ? successThreshold : failureThreshold)) return;
    // On hold until a new container; only then does the run of results begin again.
    if (this.type === 'startup' || (this.type === 'liveness' && !success)) {
      this.#onHold = true;
      this.#resultRun = 0;
    }
    // Only a change is told (results_manager.go, Set).
    if (this.#state === success) return;
    this.#state = success;
    this.#surroundings.decided(this.type, success);
  }
}
