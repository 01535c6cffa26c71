import { clusterChoice, type ClusterLine } from './input/cluster-choice.ts';
import { projectInForce, readProjectFile } from './input/project-file.ts';
import { urlProblem } from './input/url-input.ts';
import { commandHelp, programHelp } from './flags/help.ts';
import { parseCommandLine } from './flags/parse-command-line.ts';
import { VERSION } from '../base/version.ts';
import { quote } from '../base/text/cut.ts';
import { didYouMean } from '../base/text/suggestion.ts';
import { COMMAND_DEFINITIONS, COMMAND_TABLE, isCommandName, type CommandName, type Shell } from './command-table.ts';
import { PolicyFilesError } from '../cluster/sources/policy-source.ts';
import { EXIT_OK, EXIT_USAGE, PROGRAM, printLine, UsageError, type CommandIo } from './io.ts';
import { reportProblems } from './output/messages.ts';
import type { CommandDefinition, ParsedCommandLine, Flags } from './flags/flag.ts';

/** Runs a command line that is right, and returns the exit code. */
type CommandRun<F extends Flags> = (line: ParsedCommandLine<F>, io: CommandIo) => Promise<number> | number;

/** Each command is loaded when it is run, so that a server does not load what only the other commands need. */
const COMMANDS: {
  readonly [Name in CommandName]: () => Promise<CommandRun<(typeof COMMAND_TABLE)[Name]['flags']>>;
} = {
  serve: async () => (await import('./process/serve.ts')).runServe,
  observe: async () => (await import('./process/observe.ts')).runObserve,
  check: async () => (await import('./check/check.ts')).runCheck,
  fix: async () => (await import('./fix/fix.ts')).runFix,
  try: async () => (await import('./try/try.ts')).runTry,
  explain: async () => (await import('./explain/explain.ts')).runExplain,
  plan: async () => (await import('./plan/plan.ts')).runPlan,
  export: async () => (await import('./export/export.ts')).runExport,
  snapshot: async () => (await import('./snapshot/snapshot.ts')).runSnapshot,
  starts: async () => (await import('./starts/starts.ts')).runStarts,
  report: async () => (await import('./report/report.ts')).runReport,
  lsp: async () => (await import('./lsp/lsp.ts')).runLsp,
  'krm-function': async () => (await import('./krm/krm-function.ts')).runKrmFunction,
  checks: async () => (await import('./checks/checks.ts')).runChecksCommand,
  completion: async () => {
    const { COMPLETIONS } = await import('./flags/completion.ts');
    // The definition lets no other words through.
    return ({ positionals: [shell] }, io) => print(io, COMPLETIONS[shell as Shell]);
  },
  help: () => Promise.resolve(({ positionals: [name] }, io) => print(io, helpOf(name))),
  version: () => Promise.resolve((_line, io) => print(io, `${PROGRAM} ${VERSION}\n`)),
};

function helpOf(name = ''): string {
  const isKnown = isCommandName(name);
  return isKnown ? commandHelp(PROGRAM, COMMAND_TABLE[name]) : programHelp(PROGRAM, COMMAND_DEFINITIONS);
}

/** Flags in the place of a command. */
const ALIASES: Readonly<Record<string, CommandName>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
};

/** Runs a command line (without the program's name) and resolves with the exit code. */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  const [written, ...rest] = args;
  if (written === undefined) {
    io.stderr.write(programHelp(PROGRAM, COMMAND_DEFINITIONS));
    return EXIT_USAGE;
  }
  if (written === '__complete') {
    const { completionsOf } = await import('./flags/completion.ts');
    return print(io, completionsOf(COMMAND_DEFINITIONS, rest));
  }
  const name = Object.hasOwn(ALIASES, written) ? ALIASES[written] : written;
  if (name !== undefined && isCommandName(name)) return await runCommand(name, rest, io);
  const problem = written.startsWith('-')
    ? `${written}: write a command before its flags`
    : `unknown command ${quote(written)}${didYouMean(written, Object.keys(COMMAND_TABLE))}`;
  printLine(io.stderr, `${PROGRAM}: ${problem}`);
  printLine(io.stderr, `Run "${PROGRAM} help" for the commands.`);
  return EXIT_USAGE;
}

function print(io: CommandIo, text: string): number {
  io.stdout.write(text);
  return EXIT_OK;
}

/** Runs a command with the arguments after its name. Answers `--help`, and reports why the command cannot begin. */
async function runCommand(name: CommandName, args: readonly string[], io: CommandIo): Promise<number> {
  const definition: CommandDefinition = COMMAND_TABLE[name];
  const written = parseCommandLine(definition, args, io.env);
  // Users of kubectl mean the cluster where they name nothing.
  const isCluster = io.isKubectlPlugin === true && written.kind === 'problems' && readsCluster(definition);
  const line = isCluster ? parseCommandLine(definition, ['--cluster', ...args], io.env) : written;
  if (line.kind === 'help') return print(io, commandHelp(PROGRAM, definition));
  try {
    if (line.kind === 'problems') return refused(line.problems, name, io);
    const readsManifests = Object.hasOwn(definition.flags, 'no-project-file');
    const url = readsManifests ? urlProblem(name, line.positionals, args) : undefined;
    if (url !== undefined) {
      printLine(io.stderr, `${PROGRAM} ${name}: ${url}`);
      return EXIT_USAGE;
    }
    const whole = readsManifests ? await withProjectFile(line, definition, args, io) : line;
    return await ((await COMMANDS[name]()) as CommandRun<Flags>)(whole, io);
  } catch (error) {
    if (error instanceof UsageError) return refused([error.message], name, io);
    if (!(error instanceof PolicyFilesError)) throw error;
    reportProblems(error.problems, io);
    printLine(io.stderr, `${PROGRAM} ${name}: ${error.message}`);
    return EXIT_USAGE;
  }
}

function readsCluster({ positionals }: CommandDefinition): boolean {
  return positionals?.replacedBy?.includes('cluster') === true;
}

/** The command line with what the project file says. The file is about manifests in files, not about a cluster. */
async function withProjectFile(
  line: ParsedCommandLine<Flags>,
  definition: CommandDefinition,
  args: readonly string[],
  io: CommandIo,
): Promise<ParsedCommandLine<Flags>> {
  if (line.flags['no-project-file'] === true || (await clusterChoice(line as ClusterLine)).kind !== 'files')
    return line;
  const given = line.flags['project-file'] as string | undefined;
  const project = await readProjectFile(Object.hasOwn(definition.flags, 'from') ? 'from' : 'policies', given);
  if (project === undefined) return line;
  const again = parseCommandLine(definition, args, io.env, defaultsOf(project.flags, line.flags));
  if (again.kind === 'problems') throw new UsageError(again.problems.join('; '));
  return again.kind === 'help' ? line : { ...again, project: projectInForce(project, line.flags, again.flags) };
}

/** What a project file sets. A command line that selects checks replaces the whole selection of the file. */
function defaultsOf(
  project: ReadonlyMap<string, readonly string[]>,
  given: ParsedCommandLine<Flags>['flags'],
): ReadonlyMap<string, readonly string[]> {
  const selection = ['only', 'skip'];
  const isGiven = selection.some((name) => Array.isArray(given[name]) && given[name].length > 0);
  return isGiven ? new Map([...project].filter(([name]) => !selection.includes(name))) : project;
}

function refused(problems: readonly string[], name: CommandName, io: CommandIo): number {
  for (const problem of problems) printLine(io.stderr, `${PROGRAM} ${name}: ${problem}`);
  printLine(io.stderr, `Run "${PROGRAM} ${name} --help" for the flags.`);
  return EXIT_USAGE;
}
