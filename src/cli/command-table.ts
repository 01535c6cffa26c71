import { CHECK } from './check/definition.ts';
import { EXPLAIN } from './explain/definition.ts';
import { EXPORT } from './export/definition.ts';
import { FIX } from './fix/definition.ts';
import { LSP } from './lsp/definition.ts';
import { PLAN } from './plan/definition.ts';
import { OBSERVE } from './process/observe-definition.ts';
import { SERVE } from './process/serve-definition.ts';
import { REPORT } from './report/definition.ts';
import { SNAPSHOT } from './snapshot/definition.ts';
import { STARTS } from './starts/definition.ts';
import { TRY } from './try/definition.ts';
import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { withDefault, type CommandDefinition, type NoFlags } from './flags/flag.ts';
import { choice } from './flags/value-types.ts';

const KRM_FUNCTION: CommandDefinition<NoFlags> = {
  name: 'krm-function',
  summary: 'Check or fix a ResourceList, as a function of kustomize or kpt',
  usage: '',
  description: [
    'Reads a ResourceList from standard input, and prints a ResourceList with results.',
    'The functionConfig of the list says what to do: check or fix.',
  ],
  flags: {},
  exitCodes: {
    0: 'The ResourceList is printed.',
    1: 'The ResourceList is printed; a violation is denied, with strict also: there is a warning.',
    2: 'Standard input, a policy or the functionConfig cannot be read; nothing is printed.',
  },
};

const CHECKS_FLAGS = {
  output: withDefault(choice(['text', 'json']), 'text', 'Format of the list.'),
} as const;

export const LIST_CHECKS: CommandDefinition<typeof CHECKS_FLAGS> = {
  name: 'checks',
  summary: 'List the checks, or explain one',
  usage: '[CHECK] [flags]',
  description: [
    'Lists the checks with their default actions. With the id of a check, prints its parameters and an example policy.',
  ],
  positionals: { name: 'CHECK', minimum: 0, maximum: 1, suggestions: Object.keys(CHECK_CATALOGUE), missing: '' },
  flags: CHECKS_FLAGS,
  exitCodes: {
    0: 'The list is printed.',
    2: 'There is no such check, or the command line is wrong.',
  },
};

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const COMPLETION: CommandDefinition<NoFlags> = {
  name: 'completion',
  summary: 'Print a completion script for a shell',
  usage: SHELLS.join('|'),
  description: [
    'Prints a script that completes commands, flags and values in a shell.',
    'For bash: source <(probewright completion bash)',
  ],
  positionals: {
    name: 'SHELL',
    minimum: 1,
    maximum: 1,
    suggestions: SHELLS,
    missing: `name one of ${SHELLS.join(', ')}`,
  },
  flags: {},
  exitCodes: {},
};

const VERSION: CommandDefinition<NoFlags> = {
  name: 'version',
  summary: 'Print the version',
  usage: '',
  description: ['Prints the version of Probewright.'],
  flags: {},
  exitCodes: {},
};

const COMMANDS = {
  serve: SERVE,
  observe: OBSERVE,
  check: CHECK,
  fix: FIX,
  try: TRY,
  explain: EXPLAIN,
  plan: PLAN,
  export: EXPORT,
  report: REPORT,
  snapshot: SNAPSHOT,
  starts: STARTS,
  lsp: LSP,
  'krm-function': KRM_FUNCTION,
  checks: LIST_CHECKS,
  completion: COMPLETION,
} as const;
const OTHER_COMMANDS = [...Object.keys(COMMANDS), VERSION.name];

const HELP: CommandDefinition<NoFlags> = {
  name: 'help',
  summary: 'Print the commands, or the flags of a command',
  usage: '[COMMAND]',
  description: ['Prints the commands, or the flags of a command.'],
  positionals: { name: 'COMMAND', minimum: 0, maximum: 1, suggestions: OTHER_COMMANDS, missing: '' },
  flags: {},
  exitCodes: {},
};

/**
 * Every command with its flags and texts, in the order of help. Parsing, help, completion and the tables in docs/ come
 * from here.
 */
export const COMMAND_TABLE = { ...COMMANDS, help: HELP, version: VERSION } as const;
export type CommandName = keyof typeof COMMAND_TABLE;

export const COMMAND_DEFINITIONS: readonly CommandDefinition[] = Object.values(COMMAND_TABLE);

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMAND_TABLE, name);
}
