import { bashCompletion, fishCompletion, zshCompletion } from './flags/completion.ts';
import { COMMAND_DEFINITIONS, PROGRAM } from './command-table.ts';
import { EXIT_OK } from './io.ts';
import type { CommandDefinition } from './flags/flag.ts';
import type { Shell } from './command-table.ts';
import type { CommandIo } from './io.ts';

const SCRIPTS: Readonly<Record<Shell, (program: string, commands: readonly CommandDefinition[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `probewright completion`. */
export function runCompletion({ positionals }: { readonly positionals: readonly string[] }, io: CommandIo): number {
  // The definition lets no other words through.
  const [shell] = positionals as readonly Shell[];
  if (shell !== undefined) io.stdout.write(SCRIPTS[shell](PROGRAM, COMMAND_DEFINITIONS));
  return EXIT_OK;
}
