import { formatPath } from '../../base/json/field-path.ts';
import type { FieldPath } from '../../base/json/field-path.ts';

/** Something wrong with a document: where, and what to write instead. `path` is [] for the document itself. */
export interface Problem {
  readonly path: FieldPath;
  readonly message: string;
}

/** One line: `spec.port: 70000 is not a port number`. */
export function formatProblem(problem: Problem): string {
  return problem.path.length === 0 ? problem.message : `${formatPath(problem.path)}: ${problem.message}`;
}
