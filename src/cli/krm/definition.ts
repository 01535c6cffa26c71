import type { CommandDefinition, NoFlags } from '../flags/flag.ts';

/** `probewright krm-function`. */
export const KRM_FUNCTION: CommandDefinition<NoFlags> = {
  name: 'krm-function',
  summary: 'Check or fix a ResourceList, as a function of kustomize or kpt',
  usage: '',
  description: [
    'Reads a ResourceList from standard input, and prints a ResourceList with results.',
    'The functionConfig of the list says what to do: check or fix.',
  ],
  flags: {},
  exitCodes: [
    { code: 0, meaning: 'The ResourceList is printed.' },
    { code: 1, meaning: 'The ResourceList is printed; a violation is denied, with strict also: there is a warning.' },
    { code: 2, meaning: 'Standard input, a policy or the functionConfig cannot be read; nothing is printed.' },
  ],
};
