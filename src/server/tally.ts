import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

/** The options with which a tally is registered. */
export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly registers: Registry[];
}

interface Count {
  readonly labels: Readonly<Record<string, string>>;
  added: number;
}

/**
 * A counter that adds up its own sums, and passes the sums to prom-client at each scrape. For each increment,
 * prom-client builds and hashes an object of labels. These objects cost more than the other metrics work of a review.
 */
export class Tally {
  readonly #labelNames: readonly string[];
  readonly #counts = new Map<string, Count>();

  constructor({ name, help, labelNames, registers }: TallyOptions) {
    this.#labelNames = labelNames;
    const counts = this.#counts;
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const count of counts.values()) {
          this.inc(count.labels, count.added);
          count.added = 0;
        }
      },
    });
  }

  /** @param values one value for each label, in the order of the label names */
  inc(...values: readonly string[]): void {
    this.#count(values).added += 1;
  }

  /** Creates a series at the start, so that rate() sees the first increase. */
  zero(...values: readonly string[]): void {
    this.#count(values);
  }

  #count(values: readonly string[]): Count {
    let key = values[0] ?? '';
    for (let index = 1; index < values.length; index++) key += `\n${values[index] ?? ''}`;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = {
        labels: Object.fromEntries(this.#labelNames.map((name, index) => [name, values[index] ?? ''])),
        added: 0,
      };
      this.#counts.set(key, count);
    }
    return count;
  }
}
