import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { readInputs } from '../manifests/inputs.ts';
import { PolicyFilesError } from '../sources/policy-source.ts';
import { PROGRAM } from './command-table.ts';
import { printLine } from './io.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from '../command-line/command-definition.ts';
import type { Inputs } from '../manifests/inputs.ts';
import type { INPUT_FLAGS } from './definitions/input-flags.ts';
import type { CommandIo } from './io.ts';

/** The inputs that a command line names. Undefined, after a report, when the command has nothing to decide by. */
export async function readCommandInputs(
  command: string,
  { flags, positionals }: CommandLine<typeof INPUT_FLAGS>,
  io: CommandIo,
): Promise<Inputs | undefined> {
  const { policies, namespace, 'workload-kinds': workloadKinds } = flags;
  try {
    return await readInputs(CHECK_CATALOGUE, { files: positionals, policies, namespace, workloadKinds }, io.readStdin);
  } catch (error) {
    if (!(error instanceof PolicyFilesError)) throw error;
    reportProblems(error.problems, io);
    printLine(io.stderr, `${PROGRAM} ${command}: ${error.message}`);
    return undefined;
  }
}
