import { loadWorkloadKinds } from '../sources/workload-kinds.ts';
import { PolicyFilesError } from '../sources/policy-source.ts';
import { KNOWN_KINDS } from '../workload/custom-kinds.ts';
import { printLine } from './io.ts';
import { reportProblems } from './report-problems.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { CommandIo } from './io.ts';

/** The kinds that a command looks into: the known ones, or those of `--workload-kinds`. Undefined when the file is bad, after saying so. */
export async function chosenKinds(
  command: string,
  file: string | undefined,
  io: CommandIo,
): Promise<readonly WorkloadKind[] | undefined> {
  if (file === undefined) return KNOWN_KINDS;
  try {
    return await loadWorkloadKinds(file);
  } catch (error) {
    if (!(error instanceof PolicyFilesError)) throw error;
    reportProblems(error.problems, io);
    printLine(io.stderr, `probewright ${command}: ${error.message}`);
    return undefined;
  }
}
