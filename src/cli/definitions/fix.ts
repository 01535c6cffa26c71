import { choice } from '../../command-line/value-types.ts';
import { withDefault } from '../../command-line/flag.ts';
import { INPUT_DESCRIPTION, INPUT_FILES, INPUT_FLAGS } from './input-flags.ts';
import type { CommandDefinition } from '../../command-line/command-definition.ts';

const FLAGS = {
  ...INPUT_FLAGS,
  output: withDefault({
    type: choice(['yaml', 'json']),
    default: 'yaml',
    summary: 'yaml keeps the text of the input and adds probes; json prints one List of all objects.',
  }),
} as const;

/** `probewright fix`. */
export const FIX: CommandDefinition<typeof FLAGS> = {
  name: 'fix',
  summary: 'Print manifests with the probes that policies add to their Pods',
  usage: 'FILE... [flags]',
  description: [
    `Prints manifests with the probes that policies add to their Pods. ${INPUT_DESCRIPTION}`,
    'Standard error says why a container got no probe.',
  ],
  positionals: INPUT_FILES,
  flags: FLAGS,
  readsEnvironment: false,
  exitCodes: [
    { code: 0, meaning: 'All manifests are printed.' },
    {
      code: 2,
      meaning:
        'A manifest cannot be read or edited; the others are printed. Or a policy cannot be read, or the command ' +
        'line is wrong; nothing is printed.',
    },
  ],
};
