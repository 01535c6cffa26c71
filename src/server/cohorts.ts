import type { ProcessorMeter } from './processor-meter.ts';

/** A piece of work: does it, and gives what there is to do next. */
export type Step = () => Step | undefined;

/** Work that has arrived. */
export interface Task {
  /** In whatever unit the limit is. */
  readonly size: number;
  readonly first: Step;
  /** Others wait behind it: it is to be done at once. */
  readonly isUrgent: boolean;
  /** Told of the processor time, in milliseconds, that was spent on the task: of what its cohort took, the task's part by its size. */
  readonly charge: (milliseconds: number) => void;
  /** Told of what a step has thrown; no further one follows. What it throws itself is lost: there is nobody else to tell. */
  readonly failed: (error: unknown) => void;
}

export interface CohortLimit {
  /** What the tasks of a cohort may have of size together. A larger one is a cohort of its own. */
  readonly most: number;
  /** What a task counts for that says less: none comes for nothing. */
  readonly least: number;
  readonly meter: ProcessorMeter;
  /** Has something done when all that has arrived by now is taken in: setImmediate. */
  readonly later: (work: () => void) => void;
}

/**
 * Does work in cohorts: of all that arrives in one turn of the event loop, the first steps are done before any second one, and so on. A processor that
 * does one thing to many requests in a row has its code and tables at hand; one that takes each request through everything from TLS to the log
 * fetches all of them anew for every one (J. Larus, M. Parkes: Using Cohort Scheduling to Enhance Server Performance, USENIX 2002). A task that comes
 * alone waits for the end of its turn only.
 *
 * No more waits than one cohort: what is too much for it has it done at once, before anything else is read from the network. Otherwise whoever sends
 * faster than answers are made would fill the memory with what waits.
 */
export class Cohorts {
  readonly #limit: CohortLimit;
  #arrived: Task[] = [];
  #size = 0;

  constructor(limit: CohortLimit) {
    this.#limit = limit;
  }

  /** Takes a task in, to be begun in the order of arrival: at the end of the turn, or now when it is urgent or would be too much. */
  add(task: Task): void {
    const { most, least, later } = this.#limit;
    const size = Math.max(task.size, least);
    if (this.#size + size > most) this.hurry();
    this.#size += size;
    const count = this.#arrived.push(task);
    if (task.isUrgent || size > most) this.hurry();
    else if (count === 1) later(this.hurry);
  }

  /** Does at once what has arrived. There may be nothing. */
  readonly hurry = (): void => {
    if (this.#arrived.length === 0) return;
    const { meter, least } = this.#limit;
    // Without the tasks themselves: a first step holds what was received, which the ones after it do not need.
    let going = this.#arrived.map(({ first, failed }): Going => ({ step: first, failed }));
    const bills = this.#arrived.map(({ size, charge }): Bill => ({ size: Math.max(size, least), charge }));
    const size = this.#size;
    this.#arrived = [];
    this.#size = 0;
    meter.lap();
    while (going.length > 0) going = going.filter(goesOn);
    const perSize = meter.lap() / size;
    for (const bill of bills) bill.charge(bill.size * perSize);
  };
}

/** Who pays for a task. */
type Bill = Pick<Task, 'size' | 'charge'>;

interface Going {
  step: Step | undefined;
  readonly failed: (error: unknown) => void;
}

/** Does the step, and says whether there is another one. */
function goesOn(going: Going): boolean {
  try {
    going.step = going.step?.();
    return going.step !== undefined;
  } catch (error) {
    tell(going, error);
    return false;
  }
}

function tell({ failed }: Going, error: unknown): void {
  try {
    failed(error);
  } catch {
    // The others of the cohort are not to suffer.
  }
}
