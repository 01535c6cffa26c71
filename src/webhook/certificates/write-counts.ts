import type { SecretWriteStep } from './due-secret-write.ts';

/** How often one kind of write had one result. */
export interface WriteCount {
  readonly step: SecretWriteStep | 'bundle';
  readonly result: 'done' | 'conflict' | 'error';
  readonly count: number;
}

/** Counts the writes to the cluster, by kind and result. */
export class WriteCounts {
  readonly #counts = new Map<string, WriteCount>();

  add(step: WriteCount['step'], result: WriteCount['result']): void {
    const key = `${step} ${result}`;
    this.#counts.set(key, { step, result, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }

  all(): readonly WriteCount[] {
    return [...this.#counts.values()];
  }
}
