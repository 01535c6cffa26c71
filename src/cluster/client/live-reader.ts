import { cut } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { ApiError, hasCode, type ApiClient } from './api-client.ts';
import { collectionPath, type ApiCollection } from './api-path.ts';
import { PagedList, type ListRequest } from './paged-list.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

/**
 * Lists a kind of a cluster once. Each page is handed to `take` and dropped; `take` gives false to end the list.
 *
 * @param namespace undefined = all namespaces
 * @returns `cannot list pods in namespace shop` with the error, if a page could not be read
 */
export async function listLive(
  client: Pick<ApiClient, 'measured'>,
  kind: ApiCollection,
  namespace: string | undefined,
  take: (items: readonly KubernetesObject[]) => unknown,
  request: Omit<ListRequest, 'path'> = {},
): Promise<{ readonly what: string; readonly error: unknown } | undefined> {
  const path = collectionPath(kind, namespace);
  try {
    await new PagedList(client).forEachPage({ ...request, path }, ({ items }) => take(items));
    return undefined;
  } catch (error) {
    return { what: `cannot list ${resourceOf(kind)} ${scopeWords(namespace, kind)}`, error };
  }
}

/** `in namespace shop`; without a namespace `in all namespaces`; `in the cluster` for a kind without namespaces. */
export function scopeWords(namespace: string | undefined, kind?: ApiCollection): string {
  if (kind?.isNamespaced === false) return 'in the cluster';
  return namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
}

/** A resource as RBAC and kubectl name it: `deployments.apps`, `pods`. */
export function resourceOf({ apiVersion, resource }: ApiCollection): string {
  const group = groupOfVersion(apiVersion);
  return group === '' ? resource : `${resource}.${group}`;
}

/** A request that failed, in words. For a missing right, the API server's words would name the user and paths. */
export function refusal(what: string, error: unknown): string {
  return `${what}: ${hasCode(error, 403) ? 'forbidden' : messageOf(error)}`;
}

/** Why a request failed, for a reader who is not the one that asked. The API server's words may name users. */
export function reasonForOthers(error: unknown): string {
  if (hasCode(error, 403)) return 'forbidden';
  return error instanceof ApiError ? `HTTP ${error.code}` : cut(messageOf(error), 100);
}
