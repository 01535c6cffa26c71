import { httpError } from './http-error.ts';
import type { Steps } from '../../base/steps.ts';
import type { Address } from '../../process/addresses.ts';
import type { ProcessorMeter } from './processor-meter.ts';

/** Long work for a client. */
export interface Job {
  readonly address: Address;
  /**
   * The memory, in bytes, that the job takes from its first step to its last. Called once. An error from the call ends
   * the job.
   */
  readonly weigh: () => number;
  readonly steps: Steps<void>;
  /** True if the client no longer waits for the job. */
  readonly isAbandoned: () => boolean;
  /** Called with the error of a step. No further step follows. */
  readonly failed: (error: unknown) => void;
}

export interface FairQueueLimit {
  /** The weight limit of all started jobs together. A single job may always start. */
  readonly most: number;
  /** The weight limit of the started jobs of one address. The rest leaves room for another address. */
  readonly mostOfAddress: number;
  /** The time of all jobs in one turn of the event loop, in milliseconds: for one long job, or for several. */
  readonly slice: number;
  readonly meter: ProcessorMeter;
  /** Runs work in the next turn of the event loop: setImmediate. */
  readonly later: (work: () => void) => void;
}

interface Entry {
  readonly job: Job;
  weight: number | undefined;
  begun: boolean;
  /** Milliseconds of processor time. */
  used: number;
}

/**
 * Does long work in slices, one slice in each turn of the event loop. If a job leaves time in the slice, another job
 * uses the rest. The next job belongs to the address that used the least processor time lately. Of the jobs of that
 * address, the job that used the least time is next. So a client that sends much delays only itself.
 */
export class FairQueue {
  readonly #limit: FairQueueLimit;
  readonly #entries = new Set<Entry>();
  readonly #begunOf = new Map<Address, number>();
  #begunWeight = 0;
  #isRunning = false;

  constructor(limit: FairQueueLimit) {
    this.#limit = limit;
  }

  /** Whether a job of this weight could start at once. */
  hasRoomFor(address: Address, weight: number): boolean {
    const { most, mostOfAddress } = this.#limit;
    const ofAddress = this.#begunOf.get(address) ?? 0;
    return this.#begunWeight + weight <= most && ofAddress + weight <= mostOfAddress;
  }

  /** @param begunWeight the weight of a job that has already started; the job takes memory from now on */
  add(job: Job, begunWeight?: number): void {
    const begun = begunWeight !== undefined;
    if (begun) this.#count(job.address, begunWeight);
    this.#entries.add({ job, weight: begunWeight, begun, used: 0 });
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#limit.later(this.#turn);
  }

  readonly #turn = (): void => {
    const { meter, later, slice } = this.#limit;
    meter.lap();
    for (let left = slice; left > 0;) {
      const entry = this.#next();
      if (entry === undefined) break;
      const before = entry.used;
      this.#goOn(entry, left);
      entry.used += meter.lap();
      const spent = entry.used - before;
      entry.job.address.charge(spent);
      left -= spent;
    }
    this.#isRunning = this.#entries.size > 0;
    if (this.#isRunning) later(this.#turn);
  };

  /** Finds the next job. One job can always continue: a started job, or any job if no job has started. */
  #next(): Entry | undefined {
    const used = new Map<Address, number>();
    for (const { job } of this.#entries) if (!used.has(job.address)) used.set(job.address, job.address.used());
    const usedBy = ({ job }: Entry): number => used.get(job.address) ?? 0;
    const mayBegin = this.#mostUsedToBegin(usedBy);
    let best: Entry | undefined;
    for (const entry of this.#entries) {
      if (!entry.begun && !this.#hasRoom(entry)) continue;
      if (!entry.begun && usedBy(entry) > mayBegin) continue;
      if (
        best === undefined ||
        usedBy(entry) < usedBy(best) ||
        (usedBy(entry) === usedBy(best) && entry.used < best.used)
      )
        best = entry;
    }
    return best;
  }

  /**
   * Without this limit, a heavy job would never find room, because jobs of busier addresses would continue to start.
   */
  #mostUsedToBegin(usedBy: (entry: Entry) => number): number {
    let most = Infinity;
    for (const entry of this.#entries)
      if (!entry.begun && !this.#hasRoom(entry) && !this.#begunOf.has(entry.job.address))
        most = Math.min(most, usedBy(entry));
    return most;
  }

  #hasRoom({ weight, job }: Entry): boolean {
    return weight === undefined || this.#begunWeight === 0 || this.hasRoomFor(job.address, weight) || job.isAbandoned();
  }

  #goOn(entry: Entry, milliseconds: number): void {
    const { job } = entry;
    try {
      if (job.isAbandoned()) throw httpError(408, 'the caller hung up before the review had its turn');
      if (entry.weight === undefined) entry.weight = job.weigh();
      else if (this.#isDoneAfter(entry, milliseconds, entry.weight)) this.#end(entry);
    } catch (error) {
      this.#end(entry);
      tell(job, error);
    }
  }

  #isDoneAfter(entry: Entry, milliseconds: number, weight: number): boolean {
    if (!entry.begun) {
      entry.begun = true;
      this.#count(entry.job.address, weight);
    }
    const { meter } = this.#limit;
    const end = entry.used + milliseconds;
    while (entry.used < end) {
      if (entry.job.steps.next().done === true) return true;
      entry.used += meter.lap();
    }
    return false;
  }

  #end(entry: Entry): void {
    this.#entries.delete(entry);
    if (entry.begun) this.#count(entry.job.address, -(entry.weight ?? 0));
  }

  #count(address: Address, weight: number): void {
    this.#begunWeight += weight;
    const ofAddress = (this.#begunOf.get(address) ?? 0) + weight;
    if (ofAddress === 0) this.#begunOf.delete(address);
    else this.#begunOf.set(address, ofAddress);
  }
}

function tell({ failed }: Job, error: unknown): void {
  try {
    failed(error);
  } catch {
    // An error in the report must not stop the other jobs.
  }
}
