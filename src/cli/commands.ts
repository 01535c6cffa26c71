import { programHelp } from './flags/help.ts';
import { quote } from '../base/text/quote.ts';
import { didYouMean } from '../base/text/suggestion.ts';
import { COMMAND_DEFINITIONS, COMMAND_TABLE, isCommandName, PROGRAM } from './command-table.ts';
import { EXIT_USAGE, printLine } from './io.ts';
import { runnable } from './runnable-command.ts';
import type { CommandName } from './command-table.ts';
import type { CommandIo } from './io.ts';
import type { RunnableCommand } from './runnable-command.ts';

/** Each command is loaded when it is run, so that a server does not load what only the other commands need. */
const COMMANDS: Readonly<Record<CommandName, RunnableCommand>> = {
  serve: runnable(COMMAND_TABLE.serve, async () => (await import('./serve.ts')).runServe),
  observe: runnable(COMMAND_TABLE.observe, async () => (await import('./observe.ts')).runObserve),
  check: runnable(COMMAND_TABLE.check, async () => (await import('./check.ts')).runCheck),
  fix: runnable(COMMAND_TABLE.fix, async () => (await import('./fix.ts')).runFix),
  explain: runnable(COMMAND_TABLE.explain, async () => (await import('./explain.ts')).runExplain),
  plan: runnable(COMMAND_TABLE.plan, async () => (await import('./plan.ts')).runPlan),
  snapshot: runnable(COMMAND_TABLE.snapshot, async () => (await import('./snapshot.ts')).runSnapshot),
  starts: runnable(COMMAND_TABLE.starts, async () => (await import('./starts.ts')).runStarts),
  report: runnable(COMMAND_TABLE.report, async () => (await import('./report.ts')).runReport),
  'krm-function': runnable(
    COMMAND_TABLE['krm-function'],
    async () => (await import('./krm-function.ts')).runKrmFunction,
  ),
  checks: runnable(COMMAND_TABLE.checks, async () => (await import('./checks.ts')).runChecks),
  completion: runnable(COMMAND_TABLE.completion, async () => (await import('./completion.ts')).runCompletion),
  help: runnable(COMMAND_TABLE.help, async () => (await import('./help.ts')).runHelp),
  version: runnable(COMMAND_TABLE.version, async () => (await import('./version.ts')).runVersion),
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
  if (written.startsWith('-')) {
    printLine(io.stderr, `${PROGRAM}: ${written}: write a command before its flags`);
    printLine(io.stderr, `Run "${PROGRAM} help" for the commands.`);
    return EXIT_USAGE;
  }
  const hint = didYouMean(written, Object.keys(COMMAND_TABLE));
  printLine(io.stderr, `${PROGRAM}: unknown command ${quote(written)}${hint}`);
  printLine(io.stderr, `Run "${PROGRAM} help" for the commands.`);
  return EXIT_USAGE;
}
