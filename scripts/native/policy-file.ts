import { stringify } from 'yaml';
import { nativeTier } from '../../src/native/objects.ts';

/** The file of the chart with the native policy, so that a review also shows each change of the law. */
export const POLICY_FILE = 'charts/probewright/files/native.yaml';

const HEAD = '# What probewright export prints for everybody. Written by npm run generate:native.\n';

/** The native policy and its bindings, as `probewright export` prints them. The chart puts its own selectors in. */
export function policyFile(): string {
  return (
    HEAD +
    nativeTier('probewright')
      .map((object) => `---\n${yamlOf(object)}`)
      .join('')
  );
}

function yamlOf(object: object): string {
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
}
