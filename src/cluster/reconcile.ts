import { setImmediate } from 'node:timers/promises';
import { ApiError } from './client/api-client.ts';
import { Backoff, realTimer, type BackoffLimits, type Timer } from './client/timing.ts';
import type { RateLimiter } from './client/rate-limiter.ts';

/** An object of the cluster that may not be as it should be. A later task of the same key replaces an earlier one. */
export interface Task {
  readonly key: string;
  /** Lanes take turns, and each pauses alone. Absent: a lane of its own. */
  readonly lane?: string;
}

/** What a failure means: who pauses, and whether the task is tried again without being put again. */
export interface Setback {
  readonly pauses: 'all' | 'lane' | 'nobody';
  readonly isForLater: boolean;
}

export interface Reconciling<T extends Task> {
  /** Finds out what should be there by now and what is there, and writes the difference. May be called again. */
  readonly write: (task: T, signal: AbortSignal) => Promise<unknown>;
  readonly succeeded?: (task: T) => void;
  readonly failed: (task: T, error: unknown) => Setback;
  /** The pauses of all tasks, and those of a lane. */
  readonly pauses: { readonly all: BackoffLimits; readonly lane: BackoffLimits };
  /** The most attempts at once. Default 1. */
  readonly concurrency?: number;
  /** Absent: attempts begin as fast as earlier ones end. */
  readonly pace?: RateLimiter;
  readonly random: () => number;
  readonly timer?: Timer | undefined;
}

interface Lane<T> {
  readonly name: string;
  readonly waiting: Map<string, T>;
  readonly backoff: Backoff;
  underWay: number;
  endPause: (() => void) | undefined;
}

/** The longest Retry-After that is obeyed, in milliseconds. */
const LONGEST_RETRY_AFTER = 60_000;

/**
 * The queue through which statuses, reports, startup profiles and params are written. It is level-triggered: a task
 * says which object to look at, not what to do, and a key has at most one attempt under way. Only an active queue holds
 * tasks: whoever becomes the leader puts them all. There is no timer unless something waits.
 */
export class Reconciler<T extends Task> {
  readonly #reconciling: Reconciling<T>;
  readonly #timer: Timer;
  readonly #backoff: Backoff;
  readonly #lanes = new Map<string, Lane<T>>();
  /** The lanes with tasks and without a pause. The lane whose turn is next comes first. */
  readonly #ready = new Set<Lane<T>>();
  /** By key. An attempt that is no longer wanted counts until its end. */
  readonly #attempts = new Map<string, AbortController>();
  /** Tasks that were put during the attempt of their key. */
  readonly #next = new Map<string, T>();
  #isActive = false;
  #endPause: (() => void) | undefined;
  #endTurn: (() => void) | undefined;

  constructor(reconciling: Reconciling<T>) {
    this.#reconciling = reconciling;
    this.#timer = reconciling.timer ?? realTimer;
    this.#backoff = new Backoff(reconciling.pauses.all, reconciling.random);
  }

  /** The tasks that wait. */
  get size(): number {
    return [...this.#lanes.values()].reduce((sum, { waiting }) => sum + waiting.size, this.#next.size);
  }

  /** True while a task of this key waits or is under way. */
  has({ key, lane = key }: Task): boolean {
    return this.#attempts.has(key) || this.#lanes.get(lane)?.waiting.has(key) === true;
  }

  /** An end of the lead ends the attempts under way, and forgets all tasks and pauses. */
  setActive(isActive: boolean): void {
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    for (const attempt of this.#attempts.values()) attempt.abort();
    for (const end of [this.#endPause, this.#endTurn]) end?.();
    for (const { endPause } of this.#lanes.values()) endPause?.();
    for (const collection of [this.#lanes, this.#ready, this.#next]) collection.clear();
    this.#endPause = this.#endTurn = undefined;
    this.#backoff.reset();
  }

  /** Has the task tried when its turn comes, or after the attempt of the same key that is under way. */
  put(task: T): void {
    if (!this.#isActive) return;
    if (this.#attempts.has(task.key)) return void this.#next.set(task.key, task);
    const lane = this.#laneOf(task);
    lane.waiting.set(task.key, task);
    this.#settle(lane);
    // Tasks that are put together take turns from the first one on.
    queueMicrotask(() => this.#begin());
  }

  /** Forgets a task and ends its attempt: the object is gone. Without other tasks, the pause of its lane ends, too. */
  drop({ key, lane: name = key }: Task): void {
    this.#attempts.get(key)?.abort();
    this.#next.delete(key);
    const lane = this.#lanes.get(name);
    lane?.waiting.delete(key);
    if (lane === undefined || lane.waiting.size > 0) return;
    lane.endPause?.();
    lane.endPause = undefined;
    this.#settle(lane);
  }

  /** Shortens the pause of a lane to the shortest one: the object has changed. */
  hasten({ key, lane: name = key }: Task): void {
    const lane = this.#lanes.get(name);
    if (lane?.endPause === undefined) return;
    lane.backoff.reset();
    this.#pause(lane);
  }

  #laneOf({ key, lane: name = key }: Task): Lane<T> {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const backoff = new Backoff(this.#reconciling.pauses.lane, this.#reconciling.random);
    const lane = { name, waiting: new Map<string, T>(), backoff, underWay: 0, endPause: undefined };
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Notes whether the turn of a lane may come, and forgets a lane that is done. */
  #settle(lane: Lane<T>): void {
    const { name, waiting, underWay, endPause } = lane;
    if (endPause !== undefined || waiting.size === 0) this.#ready.delete(lane);
    else this.#ready.add(lane);
    if (endPause === undefined && waiting.size + underWay === 0) this.#lanes.delete(name);
  }

  #pause(lane: Lane<T>): void {
    lane.endPause?.();
    lane.endPause = this.#timer(lane.backoff.next(), () => {
      lane.endPause = undefined;
      this.#settle(lane);
      this.#begin();
    });
    this.#settle(lane);
  }

  #begin(): void {
    while (this.#endTurn === undefined && this.#mayBegin()) {
      const wait = this.#reconciling.pace?.take() ?? 0;
      if (wait === 0) this.#beginNext();
      else
        this.#endTurn = this.#timer(wait, () => {
          this.#endTurn = undefined;
          if (this.#mayBegin()) this.#beginNext();
          this.#begin();
        });
    }
  }

  #mayBegin(): boolean {
    const { concurrency = 1 } = this.#reconciling;
    return this.#endPause === undefined && this.#attempts.size < concurrency && this.#ready.size > 0;
  }

  #beginNext(): void {
    const [lane] = this.#ready;
    const [task] = lane?.waiting.values() ?? [];
    if (lane === undefined || task === undefined) return;
    lane.waiting.delete(task.key);
    lane.underWay += 1;
    this.#ready.delete(lane);
    this.#settle(lane);
    void this.#attempt(task, lane);
  }

  async #attempt(first: T, lane: Lane<T>): Promise<void> {
    const { key } = first;
    const attempt = new AbortController();
    const { signal } = attempt;
    this.#attempts.set(key, attempt);
    // To find out what should be there takes time, and thousands may have nothing to write.
    await setImmediate();
    const task = (!signal.aborted && this.#takeNext(key)) || first;
    try {
      if (!signal.aborted) await this.#reconciling.write(task, signal);
      if (!signal.aborted) this.#succeeded(task, lane);
    } catch (error) {
      if (!signal.aborted) this.#failed(task, lane, error);
    }
    this.#attempts.delete(key);
    lane.underWay -= 1;
    const next = this.#takeNext(key);
    if (next !== undefined) this.put(next);
    if (this.#lanes.get(lane.name) === lane) this.#settle(lane);
    this.#begin();
  }

  #takeNext(key: string): T | undefined {
    const next = this.#next.get(key);
    this.#next.delete(key);
    return next;
  }

  #succeeded(task: T, lane: Lane<T>): void {
    this.#backoff.reset();
    lane.backoff.reset();
    this.#reconciling.succeeded?.(task);
  }

  #failed(task: T, lane: Lane<T>, error: unknown): void {
    const { pauses, isForLater } = this.#reconciling.failed(task, error);
    if (isForLater && !this.#next.has(task.key)) this.#next.set(task.key, task);
    if (pauses === 'lane') this.#pause(lane);
    if (pauses !== 'all' || this.#endPause !== undefined) return;
    const asked = error instanceof ApiError ? Math.min(error.retryAfterMilliseconds, LONGEST_RETRY_AFTER) : 0;
    this.#endPause = this.#timer(Math.max(asked, this.#backoff.next()), () => {
      this.#endPause = undefined;
      this.#begin();
    });
  }
}
