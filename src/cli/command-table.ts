import { CHECK } from './check/definition.ts';
import { CHECKS } from './checks/definition.ts';
import { EXPLAIN } from './explain/definition.ts';
import { FIX } from './fix/definition.ts';
import { KRM_FUNCTION } from './krm/definition.ts';
import { PLAN } from './plan/definition.ts';
import { OBSERVE } from './process/observe-definition.ts';
import { SERVE } from './process/serve-definition.ts';
import { REPORT } from './report/definition.ts';
import { SNAPSHOT } from './snapshot/definition.ts';
import { STARTS } from './starts/definition.ts';
import { TRY } from './try/definition.ts';
import type { CommandDefinition, NoFlags } from './flags/flag.ts';

export const PROGRAM = 'probewright';

/** The shells that `probewright completion` knows. */
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
  exitCodes: [],
};

const VERSION: CommandDefinition<NoFlags> = {
  name: 'version',
  summary: 'Print the version',
  usage: '',
  description: ['Prints the version of Probewright.'],
  flags: {},
  exitCodes: [],
};

const COMMANDS = {
  serve: SERVE,
  observe: OBSERVE,
  check: CHECK,
  fix: FIX,
  try: TRY,
  explain: EXPLAIN,
  plan: PLAN,
  report: REPORT,
  snapshot: SNAPSHOT,
  starts: STARTS,
  'krm-function': KRM_FUNCTION,
  checks: CHECKS,
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
  exitCodes: [],
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
