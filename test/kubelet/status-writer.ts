import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Agenda } from './agenda.ts';

/**
 * The kubelet's status manager (pkg/kubelet/status/status_manager.go): one write at a time, always of the newest status. A status that was
 * replaced before its turn is never written.
 */
export class StatusWriter {
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
