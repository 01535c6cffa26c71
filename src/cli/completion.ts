import { bashCompletion } from './flags/completion/bash.ts';
import { fishCompletion } from './flags/completion/fish.ts';
import { zshCompletion } from './flags/completion/zsh.ts';
import { COMMAND_DEFINITIONS, PROGRAM } from './command-table.ts';
import { EXIT_OK } from './io.ts';
import type { CommandDefinition } from './flags/command-definition.ts';
import type { Shell } from './definitions/completion.ts';
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
