import { commandHelp, programHelp } from './flags/help.ts';
import { COMMAND_DEFINITIONS, COMMAND_TABLE, isCommandName, PROGRAM } from './command-table.ts';
import { EXIT_OK } from './io.ts';
import type { CommandIo } from './io.ts';

/** `probewright help`, and `probewright help COMMAND`. */
export function runHelp({ positionals: [name] }: { readonly positionals: readonly string[] }, io: CommandIo): number {
  io.stdout.write(
    name !== undefined && isCommandName(name)
      ? commandHelp(PROGRAM, COMMAND_TABLE[name])
      : programHelp(PROGRAM, COMMAND_DEFINITIONS),
  );
  return EXIT_OK;
}
