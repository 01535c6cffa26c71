import { hasCode } from '../../cluster/client/api-error.ts';
import { tryList } from '../../cluster/client/paged-list.ts';
import { resourceOf } from '../../cluster/sources/cluster-kinds.ts';
import { isReadyMade } from '../../engine/workload/custom-kinds.ts';
import { collectionOf } from '../observed-workload.ts';
import type { ApiRequests } from '../../cluster/client/api-client.ts';
import type { ObservedKind } from '../observed-workload.ts';

/**
 * Leaves out the ready-made kinds that may not be listed. The chart grants the kinds of `workloadKinds` only. A kind
 * that is watched without a right fails for ever, so no scan would ever be complete.
 */
export class PermittedKinds {
  readonly #client: ApiRequests;
  readonly #leftOut: (resource: string) => void;
  readonly #reported = new Set<string>();

  /** @param leftOut called once for each kind that is left out: `rollouts.argoproj.io` */
  constructor(client: ApiRequests, leftOut: (resource: string) => void) {
    this.#client = client;
    this.#leftOut = leftOut;
  }

  /** The kinds to watch. Asks for one object of each ready-made kind. A configured kind is always watched. */
  async among(kinds: readonly ObservedKind[]): Promise<readonly ObservedKind[]> {
    const isPermitted = await Promise.all(kinds.map((kind) => this.#isPermitted(kind)));
    return kinds.filter((_kind, index) => isPermitted[index]);
  }

  async #isPermitted(kind: ObservedKind): Promise<boolean> {
    if (!isReadyMade(kind.templates)) return true;
    try {
      await tryList(this.#client, collectionOf(kind));
    } catch (error) {
      // The watch reports all other failures.
      if (!hasCode(error, 403)) return true;
      const resource = resourceOf(kind.served);
      if (!this.#reported.has(resource)) this.#leftOut(resource);
      this.#reported.add(resource);
      return false;
    }
    return true;
  }
}
