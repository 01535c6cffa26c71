import { CHECK } from './definitions/check.ts';
import { CHECKS } from './definitions/checks.ts';
import { COMPLETION } from './definitions/completion.ts';
import { EXPLAIN } from './definitions/explain.ts';
import { FIX } from './definitions/fix.ts';
import { OBSERVE } from './definitions/observe.ts';
import { KRM_FUNCTION } from './definitions/krm-function.ts';
import { PLAN } from './definitions/plan.ts';
import { REPORT } from './definitions/report.ts';
import { SNAPSHOT } from './definitions/snapshot.ts';
import { STARTS } from './definitions/starts.ts';
import { SERVE } from './definitions/serve.ts';
import type { CommandDefinition, NoFlags } from './flags/command-definition.ts';

/** The name of the program in help, messages and completion. */
export const PROGRAM = 'probewright';

const VERSION: CommandDefinition<NoFlags> = {
  name: 'version',
  summary: 'Print the version',
  usage: '',
  description: ['Prints the version of Probewright.'],
  positionals: undefined,
  flags: {},
  readsEnvironment: false,
  exitCodes: [],
};

const COMMANDS = {
  serve: SERVE,
  observe: OBSERVE,
  check: CHECK,
  fix: FIX,
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
  readsEnvironment: false,
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
