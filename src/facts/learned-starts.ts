/** The learned start times of one workload. */
export interface WorkloadStarts {
  readonly name: string;
}

/** The learned start times of workloads. The value is immutable. */
export interface LearnedStarts {
  /** The start times of a workload. Undefined = none are known. */
  ofWorkload(namespace: string, kind: string, name: string): WorkloadStarts | undefined;
  /** Returns these start times with others: those of the same workload are replaced. */
  with(others: LearnedStarts): LearnedStarts;
}

export const NO_LEARNED_STARTS: LearnedStarts = { ofWorkload: () => undefined, with: (others) => others };
