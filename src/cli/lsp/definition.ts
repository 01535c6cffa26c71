import { optional, toggle, type CommandDefinition } from '../flags/flag.ts';
import { choice } from '../flags/value-types.ts';
import { INPUT_FLAGS } from '../input/input-flags.ts';
import { LEVELS } from '../../engine/verdict/levels.ts';

const FLAGS = {
  stdio: toggle('Speak on standard input and output: editors pass this.'),
  policies: INPUT_FLAGS.policies,
  'workload-kinds': INPUT_FLAGS['workload-kinds'],
  'min-level': optional(choice(LEVELS), 'The lowest level of findings that are shown.', {
    otherwise: 'warning',
  }),
} as const;

export const LSP: CommandDefinition<typeof FLAGS> = {
  name: 'lsp',
  summary: 'Check manifests in an editor, as a language server',
  usage: '--stdio [flags]',
  description: [
    'Shows the findings of check in an editor, with the fixes of fix --advice and the times of explain. ' +
      'The project file and the policies of the workspace count.',
  ],
  flags: FLAGS,
  exitCodes: {
    0: 'The editor has ended the session.',
    2: 'The command line is wrong.',
  },
};
