import { optional, toggle, withDefault, type CommandDefinition, type FlagValues } from '../flags/flag.ts';
import { choice, path } from '../flags/value-types.ts';
import { INPUT_DESCRIPTION, INPUT_FILES, INPUT_FLAGS } from '../input/input-flags.ts';
import { SELECTION_FLAGS, selectionConflicts } from '../check/definition.ts';
import { COLOUR_FLAG } from '../output/screen.ts';

const FLAGS = {
  ...INPUT_FLAGS,
  advice: toggle('Also apply the advice of the findings that check shows with the same flags.', {
    links: 'See [advice](#advice).',
  }),
  ...SELECTION_FLAGS,
  diff: toggle('Print what would change, as a unified diff.'),
  write: toggle('Write the changes into the files.'),
  'output-dir': optional(
    path('DIR', 'directories'),
    'Write all files into this directory, with the folders of the input.',
    { otherwise: 'standard output' },
  ),
  output: withDefault(
    choice(['yaml', 'json']),
    'yaml',
    'yaml keeps the text of the input and adds probes; json prints one List of all objects.',
  ),
  color: COLOUR_FLAG,
} as const;

export const FIX: CommandDefinition<typeof FLAGS> = {
  name: 'fix',
  summary: 'Write the probes that policies add to Pods into manifests',
  usage: 'FILE... [flags]',
  description: [
    `Prints manifests with the probes that policies add to their Pods. ${INPUT_DESCRIPTION}`,
    'To change the files, use --write: a shell empties x.yaml before "fix x.yaml > x.yaml" starts.',
    'Standard error says why a container got no probe.',
  ],
  positionals: INPUT_FILES,
  flags: FLAGS,
  exitCodes: {
    0: 'All manifests are printed or written; with --diff: nothing would change.',
    1:
      'With --diff: something would change. With --write or --output-dir: rendered text needs an edit by hand. ' +
      'With --advice: an error is left, which needs a hand.',
    2:
      'A manifest cannot be read, edited or written; the others are printed or written. Or a policy cannot be ' +
      'read, or the command line is wrong; nothing is printed or written.',
  },
  conflicts,
};

function conflicts(values: FlagValues<typeof FLAGS>): string[] {
  return [...selectionConflicts(values), ...outputConflicts(values)];
}

/** One problem for all outputs that are given, because a person makes one mistake. */
function outputConflicts(values: FlagValues<typeof FLAGS>): string[] {
  const given = [
    ...(values.diff ? ['--diff'] : []),
    ...(values.write ? ['--write'] : []),
    ...(values['output-dir'] === undefined ? [] : ['--output-dir']),
    ...(values.output === 'json' ? ['--output json'] : []),
  ];
  return given.length > 1 ? [`${given.join(', ')}: only one of these flags can be given`] : [];
}
