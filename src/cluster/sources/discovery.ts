import { refusal } from '../client/live-reader.ts';
import { versionPath } from '../client/api-path.ts';
import { objectsAt, textAt } from '../../base/json/field-path.ts';
import { ApiError, type ApiRequests } from '../client/api-client.ts';
import { inParallel } from '../client/timing.ts';
import { groupOfVersion, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { BUILT_IN_CLUSTER_KINDS, type ClusterKind } from './cluster-kinds.ts';

export const MOST_REQUESTS_AT_ONCE = 5;

/** The kinds that a cluster has, and what could not be found out. */
export interface ClusterKinds {
  readonly kinds: readonly ClusterKind[];
  /** The versions of each API group that the cluster serves; undefined when that is not known. */
  readonly groups: ReadonlyMap<string, readonly string[]> | undefined;
  readonly problems: readonly string[];
}

/** The known kinds that the API server has. Rejects without contact, or when it refuses the credentials. */
export async function discoverKinds(client: ApiRequests, known: readonly WorkloadKind[]): Promise<ClusterKinds> {
  const problems: string[] = [];
  const groups = await groupVersions(client).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code === 401) throw error;
    problems.push(refusal('cannot list the API groups', error));
    return undefined;
  });
  if (groups === undefined) return { kinds: BUILT_IN_CLUSTER_KINDS, groups, problems };
  const wanted = new Set(known.map(({ group }) => group));
  const versions = [...groups].flatMap(([group, list]) => (wanted.has(group) ? list : []));
  const found = await inParallel(['v1', ...versions], MOST_REQUESTS_AT_ONCE, async (apiVersion) => {
    try {
      return await kindsOfVersion(client, apiVersion);
    } catch (error) {
      problems.push(refusal(`cannot list the resources of ${apiVersion}`, error));
      return BUILT_IN_CLUSTER_KINDS.filter((kind) => kind.apiVersion === apiVersion);
    }
  });
  const served = found.flat();
  const kinds = known.flatMap(
    ({ group, kind }) => served.find((each) => each.group === group && each.kind === kind) ?? [],
  );
  return { kinds, groups, problems };
}

/** The versions of each group, the preferred version first: `apps` -> [`apps/v1`]. */
async function groupVersions(client: ApiRequests): Promise<ReadonlyMap<string, readonly string[]>> {
  const groups = objectsAt(await client.request({ method: 'GET', path: '/apis' }), 'groups');
  return new Map(
    groups.map((group) => {
      const all = [group['preferredVersion'], ...objectsAt(group, 'versions')];
      const versions = all.map((each) => textAt(each, 'groupVersion')).filter((each) => each !== undefined);
      return [textAt(group, 'name') ?? '', [...new Set(versions)]];
    }),
  );
}

async function kindsOfVersion(client: ApiRequests, apiVersion: string): Promise<readonly ClusterKind[]> {
  const answer = await client.request({ method: 'GET', path: versionPath(apiVersion) });
  const group = groupOfVersion(apiVersion);
  return objectsAt(answer, 'resources').flatMap(({ name, kind, singularName, shortNames, namespaced }) => {
    // A name with a slash is a subresource, whose kind may be that of another object.
    if (typeof name !== 'string' || typeof kind !== 'string' || name === '' || name.includes('/')) return [];
    const short: unknown[] = Array.isArray(shortNames) ? shortNames : [];
    const all = [name, singularName, kind.toLowerCase(), ...short];
    const names = all.filter((each): each is string => typeof each === 'string' && each !== '');
    return [{ group, apiVersion, kind, resource: name, names, isNamespaced: namespaced === true }];
  });
}
