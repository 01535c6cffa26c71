/** What does not work now, by the part that it concerns. Each problem is told once, when it is news. */
export class CurrentProblems<Part extends string> {
  readonly #problems = new Map<Part, string>();
  readonly #tell: (problem: string) => void;

  constructor(tell: (problem: string) => void) {
    this.#tell = tell;
  }

  set(part: Part, problem: string | undefined): void {
    if (this.#problems.get(part) === problem) return;
    if (problem === undefined) this.#problems.delete(part);
    else {
      this.#problems.set(part, problem);
      this.#tell(problem);
    }
  }

  text(): string | undefined {
    return this.#problems.size === 0 ? undefined : [...this.#problems.values()].join('; ');
  }
}
