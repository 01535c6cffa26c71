import { isDeepStrictEqual } from 'node:util';
import { PodConditions, kubeletConditions, podStatus } from './pod-status.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Agenda } from './agenda.ts';
import type { EventWrite } from './event-recorder.ts';
import type { SimulatedContainer } from './simulated-container.ts';
import type { PodTruth, TrueStart } from './truth.ts';

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

/** What is written of the status of one Pod, by the scheduler, the kubelet and the controllers of readiness gates. */
export class StatusHistory {
  readonly writes: StatusWrite[] = [];
  readonly #agenda: Agenda;
  readonly #containers: readonly SimulatedContainer[];
  readonly #restartPolicy: string;
  /** Types of readiness gates. */
  readonly #gates: readonly string[];
  readonly #openGates: string[] = [];
  readonly #conditions = new PodConditions();
  readonly #writer: StatusWriter;

  constructor(
    agenda: Agenda,
    containers: readonly SimulatedContainer[],
    podSpec: JsonObject,
    restartPolicy: string,
    writeMilliseconds: number,
  ) {
    this.#agenda = agenda;
    this.#containers = containers;
    this.#restartPolicy = restartPolicy;
    const gates = podSpec['readinessGates'];
    this.#gates = (Array.isArray(gates) ? (gates as JsonObject[]) : []).map((gate) => String(gate['conditionType']));
    this.#writer = new StatusWriter(agenda, writeMilliseconds, (status) => {
      this.writes.push({ at: agenda.now, manager: 'kubelet', status: this.#withOpenGates(status) });
    });
  }

  scheduled(): void {
    this.#conditions.set([{ type: 'PodScheduled', status: 'True' }], this.#agenda.now);
    const status = { phase: 'Pending', conditions: this.#conditions.list(), qosClass: 'BestEffort' };
    this.writes.push({ at: this.#agenda.now, manager: 'kube-scheduler', status });
  }

  setCondition(type: string, isTrue: boolean, nodeNow: number): void {
    this.#conditions.set([{ type, status: isTrue ? 'True' : 'False' }], nodeNow);
  }

  /** Works the conditions out of the containers, and writes. */
  sync(hasSandbox: boolean, startTime: string, nodeNow: number): void {
    const opened = new Set(this.#conditions.list().map(({ type }) => type));
    const gates = this.#gates.map((type) => ({ type, isTrue: opened.has(type) }));
    this.#conditions.set(kubeletConditions(this.#containers, gates, hasSandbox, this.#restartPolicy), nodeNow);
    this.write(startTime);
  }

  /** Writes the containers as they are, and the conditions as the last sync made them. */
  write(startTime: string): void {
    this.#writer.set(podStatus(this.#containers, this.#conditions, startTime, this.#restartPolicy));
  }

  /** The controller of a readiness gate writes one condition. All else stays as the API server has it. */
  openGate(type: string): void {
    this.#conditions.set([{ type, status: 'True' }], this.#agenda.now);
    this.#openGates.push(type);
    const stored = this.writes.at(-1)?.status ?? { phase: 'Pending', qosClass: 'BestEffort' };
    this.writes.push({ at: this.#agenda.now, manager: 'gate-controller', status: this.#withOpenGates(stored) });
  }

  /** The kubelet's patch leaves conditions of others alone, also those that it has not seen yet. */
  #withOpenGates(status: JsonObject): JsonObject {
    const conditions = (status['conditions'] ?? []) as readonly JsonObject[];
    const open = this.#conditions.list().filter(({ type }) => this.#openGates.includes(String(type)));
    const others = conditions.filter(({ type }) => !this.#openGates.includes(String(type)));
    return { ...status, conditions: [...others, ...open] };
  }
}

/**
 * The kubelet's status manager (pkg/kubelet/status/status_manager.go): one write at a time, always of the newest status. A status that was
 * replaced before its turn is never written.
 */
class StatusWriter {
  readonly #agenda: Agenda;
  readonly #milliseconds: number;
  readonly #wrote: (status: JsonObject) => void;
  #newest: JsonObject | undefined;
  #written: JsonObject | undefined;
  #busy = false;

  constructor(agenda: Agenda, milliseconds: number, wrote: (status: JsonObject) => void) {
    this.#agenda = agenda;
    this.#milliseconds = milliseconds;
    this.#wrote = wrote;
  }

  set(status: JsonObject): void {
    this.#newest = status;
    if (!this.#busy) this.#write();
  }

  #write(): void {
    const status = this.#newest;
    if (status === undefined || isDeepStrictEqual(status, this.#written)) return;
    this.#busy = true;
    this.#written = status;
    this.#agenda.after(this.#milliseconds, () => {
      this.#busy = false;
      this.#wrote(status);
      this.#write();
    });
  }
}
