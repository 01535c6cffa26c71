import { stringify } from 'yaml';
import { NATIVE_POLICY, PARAM_DEFINITION } from '../../src/native/objects.ts';

/** Where the printed policy is kept, so that a review shows each change of the law. */
export const POLICY_FILE = 'test/golden/native/policy.yaml';

const HEAD = '# What probewright export prints for everybody. Written by npm run generate:native.\n';

/** The native policy and the kind of its parameters, as `probewright export` prints them. */
export function policyFile(): string {
  const objects = [PARAM_DEFINITION, NATIVE_POLICY];
  return (
    HEAD + objects.map((object) => `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })}`).join('')
  );
}
