import { printLine } from './io.ts';
import { formatFileProblem } from '../sources/policy-documents.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { CommandIo } from './io.ts';

/** Prints what could not be read, a line each: `apps/web.yaml:12:5: ...`. */
export function reportProblems(problems: readonly FileProblem[], io: CommandIo): void {
  for (const problem of problems) printLine(io.stderr, formatFileProblem(problem));
}
