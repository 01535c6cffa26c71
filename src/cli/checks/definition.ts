import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { withDefault, type CommandDefinition } from '../flags/flag.ts';
import { choice } from '../flags/value-types.ts';

const FLAGS = {
  output: withDefault({ type: choice(['text', 'json']), default: 'text', summary: 'Format of the list.' }),
} as const;

export const CHECKS: CommandDefinition<typeof FLAGS> = {
  name: 'checks',
  summary: 'List the checks, or explain one',
  usage: '[CHECK] [flags]',
  description: [
    'Lists the checks with their default actions. With the id of a check, prints its parameters and an example policy.',
  ],
  positionals: { name: 'CHECK', minimum: 0, maximum: 1, suggestions: Object.keys(CHECK_CATALOGUE), missing: '' },
  flags: FLAGS,
  exitCodes: [
    { code: 0, meaning: 'The list is printed.' },
    { code: 2, meaning: 'There is no such check, or the command line is wrong.' },
  ],
};
