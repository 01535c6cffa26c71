import { PolicySet } from '../policy/policy-set.ts';
import type { PolicySnapshot } from './policy-source.ts';

/**
 * Holds the policies in force. Compiled once per change; a request reads a field. Undefined until the first snapshot: "not yet known"
 * must not be mistaken for "no policy".
 */
export class PolicyStore {
  #current: PolicySet | undefined;

  /** The policies in force, or undefined before the first snapshot. */
  get current(): PolicySet | undefined {
    return this.#current;
  }

  /** Puts a snapshot in force, for every request that is decided from now on. */
  replace({ policies, namespaceLabels }: PolicySnapshot): void {
    this.#current = new PolicySet(policies, namespaceLabels);
  }
}
