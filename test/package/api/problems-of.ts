import { InvalidInputError } from '../../../src/package/api/index.ts';

/** The problems of invalid input with which a call ends. Undefined for a call that returns. */
export function problemsOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidInputError) return error.problems;
    throw error;
  }
  return undefined;
}
