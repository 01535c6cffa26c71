import type { ProcessorMeter } from './processor-meter.ts';

/** A piece of work. Does the work, and returns the next step, if any. */
export type Step = () => Step | undefined;

/** Work that has arrived. */
export interface Task {
  /** The size, in the unit of the limit. */
  readonly size: number;
  /**
   * The next step: at first the start, then the result of the previous step. A finished step is released with all
   * memory that the step holds.
   */
  step: Step | undefined;
  /** True if other requests wait for the task: the task must run at once. */
  readonly isUrgent: boolean;
  /**
   * Called with the task's share of its batch's processor time, in milliseconds. The share is proportional to the
   * task's size.
   */
  charge(milliseconds: number): void;
  /**
   * Called with the error of a step. No further step follows. An error from `failed` itself is ignored, because no
   * other receiver exists.
   */
  failed(error: unknown): void;
}

export interface TaskBatchesLimit {
  /** The total size of the tasks of a batch. A larger task is its own batch. */
  readonly most: number;
  /** The minimum size of a task: every task costs something. */
  readonly least: number;
  readonly meter: ProcessorMeter;
  /** Runs work after all data that has already arrived is received: setImmediate. */
  readonly later: (work: () => void) => void;
}

/**
 * Does work in batches. For all tasks that arrive in one turn of the event loop, the first steps run before any second
 * step, and so on. A processor that does one kind of work for many requests in a row keeps the code and tables in its
 * caches. A processor that takes each request from TLS to the log loads all code again for every request. Source: J.
 * Larus, M. Parkes: Using Cohort Scheduling to Enhance Server Performance, USENIX 2002. A single task only waits for
 * the end of its turn.
 *
 * At most one batch waits. When a task exceeds the batch's limit, the batch runs at once, before further reads from the
 * network. Otherwise a client that sends faster than the server answers would fill the memory with waiting tasks.
 */
export class TaskBatches {
  readonly #limit: TaskBatchesLimit;
  #arrived: Task[] = [];
  #size = 0;

  constructor(limit: TaskBatchesLimit) {
    this.#limit = limit;
  }

  /**
   * Adds a task, to run in order of arrival at the end of the turn. If the task would exceed the batch's limit, the
   * tasks before run at once. An urgent task, or a task too large for a batch, runs at once too.
   */
  add(task: Task): void {
    const { most, least, later } = this.#limit;
    const size = Math.max(task.size, least);
    if (this.#size + size > most) this.hurry();
    this.#size += size;
    const count = this.#arrived.push(task);
    if (task.isUrgent || size > most) this.hurry();
    else if (count === 1) later(this.hurry);
  }

  /** Runs all arrived tasks at once. The list of tasks may be empty. */
  readonly hurry = (): void => {
    const tasks = this.#arrived;
    if (tasks.length === 0) return;
    const { meter, least } = this.#limit;
    const size = this.#size;
    this.#arrived = [];
    this.#size = 0;
    meter.lap();
    while (goOn(tasks));
    const perSize = meter.lap() / size;
    for (const task of tasks) task.charge(Math.max(task.size, least) * perSize);
  };
}

/** Runs the next step of each task. Returns true if any task has a further step. */
function goOn(tasks: readonly Task[]): boolean {
  let isMore = false;
  for (const task of tasks) {
    const { step } = task;
    if (step === undefined) continue;
    try {
      task.step = step();
      isMore ||= task.step !== undefined;
    } catch (error) {
      task.step = undefined;
      tell(task, error);
    }
  }
  return isMore;
}

function tell(task: Task, error: unknown): void {
  try {
    task.failed(error);
  } catch {
    // An error in the report must not stop the other tasks of the batch.
  }
}
