import { CLUSTER_FLAGS, CLUSTER_INPUT_DESCRIPTION, CLUSTER_INPUT_FILES, CLUSTER_INPUT_FLAGS } from './cluster-flags.ts';
import { optional, toggle } from '../flags/flag.ts';
import { someText } from '../flags/value-types.ts';
import { INPUT_DESCRIPTION } from './input-flags.ts';
import type { CommandDefinition } from '../flags/command-definition.ts';

/** Policies in files are inputs like all others. */
const FLAGS = {
  anonymise: toggle({
    summary: 'Replace names by pseudonyms.',
    details: 'The same name gets the same pseudonym everywhere.',
    links: 'See [pseudonyms](#pseudonyms).',
  }),
  'anonymise-key': optional({
    type: someText('SECRET'),
    summary: 'A secret for the pseudonyms, so that nobody can confirm the guess of a name.',
    otherwise: 'no secret',
  }),
  namespace: CLUSTER_INPUT_FLAGS.namespace,
  'workload-kinds': CLUSTER_INPUT_FLAGS['workload-kinds'],
  exclude: CLUSTER_INPUT_FLAGS.exclude,
  'render-charts': CLUSTER_INPUT_FLAGS['render-charts'],
  'allow-remote-bases': CLUSTER_INPUT_FLAGS['allow-remote-bases'],
  ...CLUSTER_FLAGS,
} as const;

/** `probewright snapshot`. */
export const SNAPSHOT: CommandDefinition<typeof FLAGS> = {
  name: 'snapshot',
  summary: 'Print what plan and check need of a cluster, as one file',
  usage: '[FILE...] [flags]',
  description: [
    'Prints one v1 List for standard output: workloads, policies, Namespaces and Services, without values of applications. ' +
      `The other commands read the list as a FILE. ${INPUT_DESCRIPTION}`,
    CLUSTER_INPUT_DESCRIPTION,
  ],
  positionals: CLUSTER_INPUT_FILES,
  flags: FLAGS,
  readsEnvironment: false,
  conflicts: ({ anonymise, 'anonymise-key': key }) =>
    key !== undefined && !anonymise ? ['--anonymise-key: only with --anonymise'] : [],
  exitCodes: [
    { code: 0, meaning: 'The snapshot is complete.' },
    { code: 2, meaning: 'An input cannot be read, so the snapshot lacks it, or the command line is wrong.' },
  ],
};
