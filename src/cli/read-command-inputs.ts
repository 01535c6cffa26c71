import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { readInputs } from '../manifests/inputs.ts';
import { PolicyFilesError } from '../sources/policy-source.ts';
import { PROGRAM } from './command-table.ts';
import { printLine } from './io.ts';
import { Progress } from './progress.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from '../command-line/command-definition.ts';
import type { InputNote } from '../manifests/input-note.ts';
import type { Inputs } from '../manifests/inputs.ts';
import type { INPUT_FLAGS } from './definitions/input-flags.ts';
import type { CommandIo } from './io.ts';

/**
 * The inputs that a command line names. Undefined, after a report, when the command has nothing to decide by.
 *
 * @param progress shows how far the reading is
 * @param newPolicies a file or a directory of policies that are to be applied over the others
 */
export async function readCommandInputs(
  command: string,
  { flags, positionals }: CommandLine<typeof INPUT_FLAGS>,
  io: CommandIo,
  progress = new Progress(io),
  newPolicies?: string,
): Promise<Inputs | undefined> {
  const { policies, namespace, exclude, 'workload-kinds': workloadKinds, 'render-charts': renderCharts } = flags;
  const options = { files: positionals, policies, newPolicies, namespace, workloadKinds, exclude, renderCharts };
  try {
    const { notes, ...inputs } = await readInputs(CHECK_CATALOGUE, options, io.readStdin, (done, total) => {
      progress.show('reading', done, total);
    });
    progress.end();
    for (const note of notes) printLine(io.stderr, noteLine(note, command));
    return inputs;
  } catch (error) {
    progress.end();
    if (!(error instanceof PolicyFilesError)) throw error;
    reportProblems(error.problems, io);
    printLine(io.stderr, `${PROGRAM} ${command}: ${error.message}`);
    return undefined;
  }
}

/** One line: `chart web: not rendered; helm template web charts/web | probewright check -`. */
function noteLine({ subject, state, command: rendering }: InputNote, command: string): string {
  return `${subject}: ${state}; ${rendering} | ${PROGRAM} ${command} - (or add --render-charts)`;
}
