/**
 * One part of a process that runs until it is stopped: a port, a source of policies, the leader election.
 *
 * @typeParam Measures what the metrics of the process are made from; each part provides the members that it knows
 */
export interface Part<Measures extends object = object> {
  /**
   * Resolves once the parts that come later may rely on this one. Rejects when the part cannot start for a reason that
   * will not go away. A part that waits for a cluster may resolve before the cluster has answered.
   */
  start(): void | Promise<void>;
  /** Releases everything that the part holds. May be called during start, after a failed start, and more than once. */
  stop(): void | Promise<void>;
  /** This replica has become leader, or is leader no longer. May be called before start. */
  lead?(isLeader: boolean): void;
  readonly metrics?: Partial<Measures>;
}

/** The figures that all parts provide for the metrics, together. */
export function metricsOf<Measures extends object>(parts: readonly Part<Measures>[]): Partial<Measures> {
  return Object.assign({}, ...parts.map(({ metrics }) => metrics)) as Partial<Measures>;
}

/** Starts parts one after the other and stops them in reverse order. */
export class PartRunner {
  #parts: readonly Part[] = [];
  /** The parts whose start was called, in order. */
  readonly #begun: Part[] = [];
  /** The part whose start has not settled yet. */
  #inStart: Part | undefined;
  #isStopped = false;
  #started: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  /**
   * Starts each part once the one before it has started. When one fails, the parts begun so far are stopped, and the
   * promise rejects with the error of that part. A stop during the start makes the promise reject, too. To be called
   * once.
   */
  start(parts: readonly Part[]): Promise<void> {
    this.#parts = parts;
    this.#started = this.#startAll();
    return this.#started.catch(async (error: unknown) => {
      await this.stop().catch(() => undefined); // the error of the start says more
      throw error;
    });
  }

  /** Tells all parts, also those that have not started yet, whether this replica leads. */
  lead(isLeader: boolean): void {
    for (const part of this.#parts) part.lead?.(isLeader);
  }

  /**
   * Stops every part that was begun. The stops are called in reverse order and run side by side, so that a slow one
   * delays no other. Rejects with the first error of a stop, once all have settled. Further calls give the same
   * promise.
   */
  stop(): Promise<void> {
    // Set before any part stops: a part may call back while it stops.
    this.#isStopped = true;
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #startAll(): Promise<void> {
    for (const part of this.#parts) {
      if (this.#isStopped) break;
      this.#begun.push(part);
      this.#inStart = part;
      try {
        await part.start();
      } finally {
        this.#inStart = undefined;
      }
    }
    if (this.#isStopped) throw new Error('stopped before all parts had started');
  }

  async #stopAll(): Promise<void> {
    const inStart = this.#inStart;
    const stops = await Promise.allSettled(this.#begun.toReversed().map(stopped));
    if (inStart !== undefined) {
      // The part may open something after its stop, while its start is still under way.
      await this.#started.catch(() => undefined);
      stops.push(...(await Promise.allSettled([stopped(inStart)])));
    }
    const failed = stops.find((stop) => stop.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

/** Rejects also when stop throws, so that the stops of other parts are called all the same. */
async function stopped(part: Part): Promise<void> {
  await part.stop();
}
