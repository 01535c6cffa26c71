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

/** The counts with the same first labels. */
interface Branch {
  /** By the value of the next label. */
  readonly next: Map<string, Branch>;
  /** Behind the value of the last label. */
  count: Count | undefined;
}

/**
 * A counter that adds up its own sums, and passes the sums to prom-client at each scrape. For each increment,
 * prom-client builds and hashes an object of labels. These objects cost more than the other metrics work of a review.
 */
export class Tally {
  readonly #labelNames: readonly string[];
  readonly #counts: Count[] = [];
  /** A value is found faster label by label than as one joined text, which would be made and hashed each time. */
  readonly #root: Branch = { next: new Map(), count: undefined };

  constructor({ name, help, labelNames, registers }: TallyOptions) {
    this.#labelNames = labelNames;
    const counts = this.#counts;
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const count of counts) {
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
    let branch = this.#root;
    for (const value of values) {
      let next = branch.next.get(value);
      if (next === undefined) branch.next.set(value, (next = { next: new Map(), count: undefined }));
      branch = next;
    }
    return (branch.count ??= this.#newCount(values));
  }

  #newCount(values: readonly string[]): Count {
    const labels = Object.fromEntries(this.#labelNames.map((name, index) => [name, values[index] ?? '']));
    const count = { labels, added: 0 };
    this.#counts.push(count);
    return count;
  }
}
