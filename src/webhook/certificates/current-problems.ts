import { CurrentProblem } from '../../base/text/current-problem.ts';

/**
 * The present problems, by the part with the problem. A problem is reported when it begins and when its text changes.
 */
export class CurrentProblems<Part extends string> {
  readonly #problems = new Map<Part, CurrentProblem>();
  readonly #report: (problem: string) => void;

  constructor(report: (problem: string) => void) {
    this.#report = report;
  }

  /** @param text undefined when nothing is wrong with the part */
  set(part: Part, text: string | undefined): void {
    const problem = this.#problems.get(part) ?? new CurrentProblem();
    const news = problem.note(text);
    // The problem that began last stands last in the list.
    if (news === 'began') this.#problems.set(part, problem);
    if (news === 'ended') this.#problems.delete(part);
    if (text !== undefined && news !== undefined) this.#report(text);
  }

  /** All of them in one line; undefined when there is none. */
  text(): string | undefined {
    return this.#problems.size === 0 ? undefined : [...this.#problems.values()].map(({ text }) => text).join('; ');
  }
}
