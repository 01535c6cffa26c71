import { canHaveController, controllerOwners, hasControllerOwner } from '../../engine/workload/controller-owner.ts';
import { cut } from '../../base/text/cut.ts';
import type { Logger } from 'pino';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { WorkloadName } from '../workload-key.ts';

/** Everybody who may write an object chooses its owner, so only the first ones are named. */
const MOST_NAMED = 100;

/**
 * Names objects with a controller that Kubernetes does not have, once for each pair of kinds. Kubernetes makes no Pod
 * for a ConfigMap. The observer does not learn which account made an object. The webhook's log names the account.
 */
export class UnknownControllers {
  readonly #log: Logger;
  readonly #named = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  note(object: JsonObject, { namespace, kind, name }: Omit<WorkloadName, 'group'>): void {
    if (this.#named.size >= MOST_NAMED || !hasControllerOwner(object) || canHaveController(object, kind)) return;
    const owners = controllerOwners(object).map((owner) => `${owner.apiVersion}/${owner.kind}`);
    const owner = cut(owners.join(), 253);
    const pair = `${kind} of ${owner}`;
    if (this.#named.has(pair)) return;
    this.#named.add(pair);
    this.#log.warn({ kind, owner, namespace, name }, 'the object has a controller that Kubernetes does not have');
  }
}
