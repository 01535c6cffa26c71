import type { CommandDefinition, NoFlags } from '../flags/command-definition.ts';

/** The shells that `probewright completion` knows. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** `probewright completion`. */
export const COMPLETION: CommandDefinition<NoFlags> = {
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
  readsEnvironment: false,
  exitCodes: [],
};
