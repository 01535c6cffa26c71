import { commandHelp } from './flags/help.ts';
import { parseCommandLine } from './flags/parse-command-line.ts';
import { PROGRAM } from './command-table.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';
import type { CommandDefinition, CommandLine } from './flags/command-definition.ts';
import type { Flags } from './flags/flag.ts';
import type { CommandIo } from './io.ts';

/** A command with the arguments after its name; resolves with the exit code. */
export type RunnableCommand = (args: readonly string[], io: CommandIo) => Promise<number>;

/** The work of a command, with a command line that is right. */
export type CommandRun<F extends Flags> = (line: CommandLine<F>, io: CommandIo) => Promise<number> | number;

/** A command that answers `--help` and reports what is wrong with its command line. */
export function runnable<F extends Flags>(
  definition: CommandDefinition<F>,
  load: () => Promise<CommandRun<F>>,
): RunnableCommand {
  const { name } = definition;
  return async (args, io) => {
    const line = parseCommandLine(definition, args, io.env);
    if ('wantsHelp' in line) {
      io.stdout.write(commandHelp(PROGRAM, definition));
      return EXIT_OK;
    }
    if ('problems' in line) {
      for (const problem of line.problems) printLine(io.stderr, `${PROGRAM} ${name}: ${problem}`);
      printLine(io.stderr, `Run "${PROGRAM} ${name} --help" for the flags.`);
      return EXIT_USAGE;
    }
    return (await load())(line, io);
  };
}
