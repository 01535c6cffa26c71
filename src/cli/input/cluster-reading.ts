import { hasCode } from '../../cluster/client/api-error.ts';
import { isKubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { refusal, resourceOf, rootOf } from '../../cluster/sources/cluster-kinds.ts';
import { reduceList, reduceObject } from '../../cluster/sources/workload-lists.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';

/** A kind that can be listed. */
export type ReadableKind = Pick<ClusterKind, 'group' | 'apiVersion' | 'resource' | 'isNamespaced'> & {
  /** The cluster may lack the kind, and then has no objects of the kind. */
  readonly mayBeMissing?: boolean;
  /** The status of the objects is needed. */
  readonly isInStatus?: boolean;
  /** Without the right to read the kind, the rest is shown, and the missing right is a warning. */
  readonly isOptional?: boolean;
};
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';

/** A list is begun again so often when its later pages have expired. */
const MOST_LISTS = 3;

/** Reads objects of a cluster. What cannot be read becomes a problem, and everything else is read. */
export class ClusterReading {
  readonly problems: string[] = [];
  /** Optional kinds that the user may not read. */
  readonly missingRights: string[] = [];
  readonly #client: ApiClient;
  readonly #namespace: string | undefined;

  /** @param namespace undefined = all namespaces */
  constructor(client: ApiClient, namespace: string | undefined) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /**
   * Reads all objects of a kind in the scope. Each page is handed to `take` and dropped.
   *
   * @param take what is kept of an object
   */
  async list<T>(kind: ReadableKind, take: (object: KubernetesObject) => T | undefined): Promise<readonly T[]> {
    const request = {
      method: 'GET',
      path: this.#pathOf(kind),
      ...(kind.isInStatus !== true && { reduce: reduceList }),
    } as const;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const kept: T[] = [];
        try {
          await new PagedList(this.#client).forEachPage(request, ({ items }) => {
            for (const item of items) {
              const part = take(item);
              if (part !== undefined) kept.push(part);
            }
          });
          return kept;
        } catch (error) {
          if (!hasCode(error, 410) || attempt === MOST_LISTS) throw error;
        }
      }
    } catch (error) {
      if (kind.mayBeMissing === true && hasCode(error, 404)) return [];
      const refused = refusal(`cannot list ${resourceOf(kind)} ${this.#scopeOf(kind)}`, error);
      (kind.isOptional === true && hasCode(error, 403) ? this.missingRights : this.problems).push(refused);
      return [];
    }
  }

  /** Reads one object. Undefined, after a problem, when the object cannot be read. */
  async get(kind: ReadableKind, name: string): Promise<KubernetesObject | undefined> {
    const what = `${resourceOf(kind)} "${name}" ${this.#scopeOf(kind)}`;
    const path = `${this.#pathOf(kind)}/${encodeURIComponent(name)}`;
    try {
      const object = await this.#client.request({ method: 'GET', path, reduce: reduceObject });
      if (isKubernetesObject(object)) return object;
      this.problems.push(`cannot get ${what}: the answer is no object`);
    } catch (error) {
      const isMissingRight = kind.isOptional === true && hasCode(error, 403);
      const refused = hasCode(error, 404) ? `${what} does not exist` : refusal(`cannot get ${what}`, error);
      (isMissingRight ? this.missingRights : this.problems).push(refused);
    }
    return undefined;
  }

  #pathOf({ apiVersion, resource, isNamespaced }: ReadableKind): string {
    const scope =
      isNamespaced && this.#namespace !== undefined ? `/namespaces/${encodeURIComponent(this.#namespace)}` : '';
    return `${rootOf(apiVersion)}${scope}/${resource}`;
  }

  #scopeOf({ isNamespaced }: ReadableKind): string {
    if (!isNamespaced) return 'in the cluster';
    return this.#namespace === undefined ? 'in all namespaces' : `in namespace ${this.#namespace}`;
  }
}
