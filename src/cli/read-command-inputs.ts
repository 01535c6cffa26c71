import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { readInputs } from './input/inputs.ts';
import { PolicyFilesError } from '../cluster/sources/policy-source.ts';
import { clusterChoice } from './cluster-input.ts';
import { PROGRAM } from './command-table.ts';
import { printLine } from './io.ts';
import { Progress } from './progress.ts';
import { reportProblems } from './report-problems.ts';
import type { CommandLine } from './flags/command-definition.ts';
import type { InputNote } from './input/input-note.ts';
import type { Inputs } from './input/inputs.ts';
import type { ClusterLine } from './cluster-input.ts';
import type { PolicyChangeFiles } from './input/cluster-inputs.ts';
import type { INPUT_FLAGS } from './definitions/input-flags.ts';
import type { ClusterReadingWishes } from './read-cluster.ts';
import type { CommandIo } from './io.ts';

/**
 * The inputs that a command line names: a cluster or files. Undefined, after a report, when the command has nothing to
 * decide by.
 *
 * @param progress shows how far the reading is
 * @param wishes what to read of a cluster beside what verdicts depend on
 * @param change the policies that are to be applied. Policies of the command line then replace those of the cluster
 */
export async function readAnyInputs(
  command: string,
  line: ClusterLine,
  io: CommandIo,
  progress = new Progress(io),
  change?: PolicyChangeFiles,
  wishes: ClusterReadingWishes = {},
): Promise<Inputs | undefined> {
  const choice = await clusterChoice(line);
  const { flags, positionals } = line;
  if (choice === undefined) {
    const { namespace = 'default', ...others } = flags;
    const files = { flags: { ...others, namespace }, positionals };
    return await readCommandInputs(command, files, io, progress, change?.newPolicies);
  }
  if ('problem' in choice) {
    printLine(io.stderr, `${PROGRAM} ${command}: ${choice.problem}`);
    printLine(io.stderr, `Run "${PROGRAM} ${command} --help" for the flags.`);
    return undefined;
  }
  return await readingInputs(command, io, progress, async () => {
    // Most command lines name files, and need no client of the API server.
    const { readCluster } = await import('./read-cluster.ts');
    return await readCluster(line, choice.names, io, progress, change, wishes);
  });
}

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
  const { policies, namespace, exclude } = flags;
  const options = {
    files: positionals,
    ...{ policies, newPolicies, namespace, exclude },
    workloadKinds: flags['workload-kinds'],
    now: flags.now ?? io.now(),
    renderCharts: flags['render-charts'],
    allowRemoteBases: flags['allow-remote-bases'],
  };
  return await readingInputs(command, io, progress, async () => {
    const { notes, ...inputs } = await readInputs(CHECK_CATALOGUE, options, io.readStdin, (done, total) => {
      progress.show('reading', done, total);
    });
    progress.end();
    for (const note of notes) printLine(io.stderr, noteLine(note, command));
    return inputs;
  });
}

/** Reports the error by which a command has no inputs. */
async function readingInputs(
  command: string,
  io: CommandIo,
  progress: Progress,
  read: () => Promise<Inputs>,
): Promise<Inputs | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PolicyFilesError)) throw error;
    progress.end();
    reportProblems(error.problems, io);
    printLine(io.stderr, `${PROGRAM} ${command}: ${error.message}`);
    return undefined;
  } finally {
    progress.end();
  }
}

/** One line: `chart web: not rendered; helm template web charts/web | probewright check -`. */
function noteLine({ subject, state, command: rendering }: InputNote, command: string): string {
  return `${subject}: ${state}; ${rendering} | ${PROGRAM} ${command} - (or add --render-charts)`;
}
