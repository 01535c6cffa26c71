import {
  clusterParam,
  hasOwnParam,
  namespaceParam,
  namespacesWithParam,
  type ParamSpec,
} from '../../native/namespace-probes.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { KnownParams } from './known-params.ts';

type Known = Pick<KnownParams, 'namespaces'>;

/**
 * What a param should say by now; undefined for one that should not be there.
 *
 * @param namespace undefined for the cluster's param, which leaves out only namespaces whose param is there
 */
export function wantedParam(namespace: string | undefined, snapshot: Snapshot, known: Known): ParamSpec | undefined {
  if (namespace !== undefined)
    return hasOwnParam(snapshot, namespace) ? namespaceParam(snapshot, namespace) : undefined;
  return clusterParam(snapshot, [...known.namespaces.keys()].filter((one) => hasOwnParam(snapshot, one)).sort());
}

/**
 * The namespaces whose params may have to be written after a change of policies or Services, or of the params that are
 * touched. Undefined stands for the cluster's param.
 */
export function affectedParams(
  before: Snapshot | undefined,
  after: Snapshot,
  touched: ReadonlySet<string | undefined>,
  known: Known,
): ReadonlySet<string | undefined> {
  const affected = new Set(touched);
  if (before?.tiers !== after.tiers)
    for (const namespace of [...namespacesWithParam(after), ...known.namespaces.keys(), undefined])
      affected.add(namespace);
  const [old, current] = [before?.facts.services?.lists, after.facts.services?.lists];
  if (old !== current)
    for (const namespace of new Set([...(old?.keys() ?? []), ...(current?.keys() ?? [])]))
      if (old?.get(namespace) !== current?.get(namespace)) affected.add(namespace);
  // The cluster's param names the namespaces with one, and holds up the deletion of others.
  if (affected.has(undefined))
    for (const namespace of known.namespaces.keys()) if (!hasOwnParam(after, namespace)) affected.add(namespace);
  return affected.size === 0 ? affected : affected.add(undefined);
}
