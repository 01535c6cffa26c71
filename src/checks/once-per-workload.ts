import type { CheckedWorkload } from './check.ts';

/**
 * Makes a function work out its answer once a workload, however many containers ask for it. The workload itself carries the answer: a WeakMap
 * would keep every one that it has been given until V8's next full collection.
 */
export function oncePerWorkload<Answer>(
  work: (workload: CheckedWorkload) => Answer,
): (workload: CheckedWorkload) => Answer {
  return (workload) => {
    const { answers } = workload;
    if (answers.has(work)) return answers.get(work) as Answer;
    const answer = work(workload);
    answers.set(work, answer);
    return answer;
  };
}
