import { formatFileProblem, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import { formatSourceProblem } from '../../cluster/sources/policy-source.ts';
import { isInCluster, type Origin } from '../input/cluster-object.ts';
import { printLine, type CommandIo } from '../io.ts';

/**
 * Prints what could not be read, a line each: `apps/web.yaml:12:5: ...`. Objects of a cluster have no lines:
 * `cluster:shop/pod/web: ...`.
 *
 * @param origin tells whether the problems are in a cluster
 */
export function reportProblems(problems: readonly FileProblem[], io: CommandIo, origin: Origin = {}): void {
  for (const problem of problems) {
    const { file: place, message } = problem;
    const isWithoutLine = isInCluster(place, origin);
    printLine(io.stderr, isWithoutLine ? formatSourceProblem({ place, message }) : formatFileProblem(problem));
  }
}
