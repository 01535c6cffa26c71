import { setImmediate } from 'node:timers/promises';
import type { Timer } from '../../src/cluster/client/timing.ts';

/** A clock that a test moves, and its timers. */
export class FakeTime {
  now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly ring: () => void }>();

  readonly timer: Timer = (milliseconds, ring) => {
    const entry = { at: this.now + milliseconds, ring };
    this.#timers.add(entry);
    return () => void this.#timers.delete(entry);
  };

  /** How long it is until each timer rings, the next one first. */
  get waits(): readonly number[] {
    return [...this.#timers].map(({ at }) => at - this.now).sort((one, other) => one - other);
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 6; turn++) await setImmediate();
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    await this.settle();
    for (let wait = this.waits[0]; wait !== undefined && this.now + wait <= end; wait = this.waits[0]) {
      this.now += wait;
      for (const entry of [...this.#timers])
        if (entry.at <= this.now && this.#timers.delete(entry)) {
          entry.ring();
          await this.settle();
        }
    }
    this.now = end;
  }
}
