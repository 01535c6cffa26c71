/** A piece of work: does it, and gives what there is to do next. */
export type Step = () => Step | undefined;

/** Work that has arrived. */
export interface Task {
  /** In whatever unit the limit is. */
  readonly size: number;
  readonly first: Step;
  /** Told of what a step has thrown; no further one follows. */
  readonly failed: (error: unknown) => void;
}

export interface CohortLimit {
  /** What the tasks of a cohort may have of size together. A larger one is a cohort of its own. */
  readonly most: number;
  /** Has something done when all that has arrived by now is taken in: setImmediate. */
  readonly later: (work: () => void) => void;
}

/**
 * Does work in cohorts: of all that arrives in one turn of the event loop, the first steps are done before any second one, and so on. A processor that
 * does one thing to many requests in a row has its code and tables at hand; one that takes each request through everything from TLS to the log
 * fetches all of them anew for every one (J. Larus, M. Parkes: Using Cohort Scheduling to Enhance Server Performance, USENIX 2002). A task that comes
 * alone waits for the end of its turn only.
 */
export class Cohorts {
  readonly #limit: CohortLimit;
  #arrived: Task[] = [];

  constructor(limit: CohortLimit) {
    this.#limit = limit;
  }

  /** Takes a task in, to be begun in the order of arrival, but not now. */
  add(task: Task): void {
    if (this.#arrived.push(task) === 1) this.#limit.later(this.#turn);
  }

  readonly #turn = (): void => {
    const cohort = this.#next();
    // What arrives meanwhile goes behind these, and does not ask for another turn.
    if (this.#arrived.length > 0) this.#limit.later(this.#turn);
    let steps: (Step | undefined)[] = cohort.map(({ first }) => first);
    while (steps.some((step) => step !== undefined))
      steps = steps.map((step, index) => step && resultOf(step, cohort[index]));
  };

  /** As many of those that arrived first as may be together, and one at least. */
  #next(): Task[] {
    const arrived = this.#arrived;
    let count = 0;
    for (let size = 0; count < arrived.length; count += 1) {
      size += arrived[count]?.size ?? 0;
      if (size > this.#limit.most && count > 0) break;
    }
    this.#arrived = arrived.slice(count);
    return arrived.slice(0, count);
  }
}

function resultOf(step: Step, task: Task | undefined): Step | undefined {
  try {
    return step();
  } catch (error) {
    task?.failed(error);
    return undefined;
  }
}
