import type { CheckedWorkload } from '../check.ts';

/**
 * Makes a function compute its result once for each workload. The workload itself holds the result, because a WeakMap
 * would keep entries until V8's next full garbage collection.
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
