/** A problem of an argument: where, and what to write instead. */
export interface InputProblem {
  /** The argument, such as `policies[0]`. */
  readonly place: string;
  /** The field and the problem, such as `spec.port: 70000 is not a port number`. */
  readonly message: string;
}

/** An argument cannot be used. Nothing has been decided. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';
  /** A fixed text for programs. */
  readonly code = 'PROBEWRIGHT_INVALID_INPUT';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super(problems.map(({ place, message }) => `${place}: ${message}`).join('\n'));
    this.problems = problems;
  }
}
