/** Answers about one subject, by the functions that computed them. */
export type Answers = Map<unknown, unknown>;

/** Computes an answer about a subject once. The key is the function, so a caller passes the same one each time. */
export function answerOnce<Subject, Answer>(
  answers: Answers,
  subject: Subject,
  work: (subject: Subject) => Answer,
): Answer {
  if (!answers.has(work)) answers.set(work, work(subject));
  return answers.get(work) as Answer;
}
