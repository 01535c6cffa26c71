/** The text of a thrown value: the message of an Error, or any other value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The change of a problem: the problem began, its text changed, or the problem ended. */
export type ProblemNews = 'began' | 'changed' | 'ended';

/**
 * A problem that is checked repeatedly, and should be reported only after a change. The text of a problem may change at
 * every check, for example with a port number. The caller decides whether such a change needs a report.
 */
export class CurrentProblem {
  #text: string | undefined;

  /** The current problem. Undefined without a problem. */
  get text(): string | undefined {
    return this.#text;
  }

  /**
   * Records the result of a check.
   *
   * @param text undefined without a problem
   * @returns the change; undefined without a change
   */
  note(text: string | undefined): ProblemNews | undefined {
    const before = this.#text;
    this.#text = text;
    if (text === before) return undefined;
    if (text === undefined) return 'ended';
    return before === undefined ? 'began' : 'changed';
  }
}
