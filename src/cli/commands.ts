import { commandHelp, programHelp } from './flags/help.ts';
import { parseCommandLine } from './flags/parse-command-line.ts';
import { VERSION } from '../base/version.ts';
import { quote } from '../base/text/cut.ts';
import { didYouMean } from '../base/text/suggestion.ts';
import { COMMAND_DEFINITIONS, COMMAND_TABLE, isCommandName, type CommandName, type Shell } from './command-table.ts';
import { EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from './io.ts';
import type { CommandDefinition, CommandLine, Flags } from './flags/flag.ts';

/** Each command is loaded when it is run, so that a server does not load what only the other commands need. */
const COMMANDS: Readonly<Record<CommandName, RunnableCommand>> = {
  serve: runnable(COMMAND_TABLE.serve, async () => (await import('./process/serve.ts')).runServe),
  observe: runnable(COMMAND_TABLE.observe, async () => (await import('./process/observe.ts')).runObserve),
  check: runnable(COMMAND_TABLE.check, async () => (await import('./check/check.ts')).runCheck),
  fix: runnable(COMMAND_TABLE.fix, async () => (await import('./fix/fix.ts')).runFix),
  try: runnable(COMMAND_TABLE.try, async () => (await import('./try/try.ts')).runTry),
  explain: runnable(COMMAND_TABLE.explain, async () => (await import('./explain/explain.ts')).runExplain),
  plan: runnable(COMMAND_TABLE.plan, async () => (await import('./plan/plan.ts')).runPlan),
  snapshot: runnable(COMMAND_TABLE.snapshot, async () => (await import('./snapshot/snapshot.ts')).runSnapshot),
  starts: runnable(COMMAND_TABLE.starts, async () => (await import('./starts/starts.ts')).runStarts),
  report: runnable(COMMAND_TABLE.report, async () => (await import('./report/report.ts')).runReport),
  'krm-function': runnable(
    COMMAND_TABLE['krm-function'],
    async () => (await import('./krm/krm-function.ts')).runKrmFunction,
  ),
  checks: runnable(COMMAND_TABLE.checks, async () => (await import('./checks/checks.ts')).runChecks),
  completion: runnable(COMMAND_TABLE.completion, async () => {
    const { COMPLETIONS } = await import('./flags/completion.ts');
    // The definition lets no other words through.
    return ({ positionals: [shell] }, io) => print(io, COMPLETIONS[shell as Shell](PROGRAM, COMMAND_DEFINITIONS));
  }),
  help: runnable(COMMAND_TABLE.help, () =>
    Promise.resolve(({ positionals: [name] }, io) =>
      print(
        io,
        name !== undefined && isCommandName(name)
          ? commandHelp(PROGRAM, COMMAND_TABLE[name])
          : programHelp(PROGRAM, COMMAND_DEFINITIONS),
      ),
    ),
  ),
  version: runnable(COMMAND_TABLE.version, () => Promise.resolve((_line, io) => print(io, `${PROGRAM} ${VERSION}\n`))),
};

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
  const name = Object.hasOwn(ALIASES, written) ? ALIASES[written] : written;
  if (name !== undefined && isCommandName(name)) return COMMANDS[name](rest, io);
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

/** A command with the arguments after its name; resolves with the exit code. */
type RunnableCommand = (args: readonly string[], io: CommandIo) => Promise<number>;

type CommandRun<F extends Flags> = (line: CommandLine<F>, io: CommandIo) => Promise<number> | number;

/** A command that answers `--help` and reports what is wrong with its command line. */
function runnable<F extends Flags>(
  definition: CommandDefinition<F>,
  load: () => Promise<CommandRun<F>>,
): RunnableCommand {
  const { name } = definition;
  return async (args, io) => {
    const line = parseCommandLine(definition, args, io.env);
    if ('wantsHelp' in line) return print(io, commandHelp(PROGRAM, definition));
    if ('problems' in line) {
      for (const problem of line.problems) printLine(io.stderr, `${PROGRAM} ${name}: ${problem}`);
      printLine(io.stderr, `Run "${PROGRAM} ${name} --help" for the flags.`);
      return EXIT_USAGE;
    }
    return (await load())(line, io);
  };
}
