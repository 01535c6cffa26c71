/** A port, a source of policies, the leader election. */
export interface Part {
  /** Resolves once later parts may rely on this one. Rejects for a reason that will not go away. */
  start(): void | Promise<void>;
  /** Releases everything that the part holds. May be called during start, after a failed start, and more than once. */
  stop(): void | Promise<void>;
  lead?(isLeader: boolean): void;
}

/** Starts parts one after the other and stops them in reverse order. */
export class PartRunner {
  #parts: readonly Part[] = [];
  readonly #begun: Part[] = [];
  #inStart: Part | undefined;
  #isStopped = false;
  #started: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  /** Starts each part after the one before it. Rejects, with all parts stopped, when one fails, or after a stop. */
  async start(parts: readonly Part[]): Promise<void> {
    this.#parts = parts;
    this.#started = this.#startAll();
    try {
      await this.#started;
    } catch (error) {
      await this.stop().catch(() => undefined); // the error of the start says more
      throw error;
    }
  }

  /** Tells all parts, also those that have not started yet, whether this replica leads. */
  lead(isLeader: boolean): void {
    for (const part of this.#parts) part.lead?.(isLeader);
  }

  /** Calls the stops in reverse order, side by side. Rejects with the first error, once all have settled. */
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
