import { openClusterConnection } from './cluster-connection.ts';
import { ClusterPolicies } from './cluster-policies.ts';
import { ElectionPart } from './election-part.ts';
import type { PolicyStore } from '../sources/policy-store.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import type { ClusterConfig } from './config.ts';
import type { ElectionPartDependencies } from './election-part.ts';

/** The parts that speak to a cluster. Serving depends on none of them once the first state is known. */
export interface ClusterParts {
  readonly connection: ClusterConnection;
  readonly policies: ClusterPolicies;
  readonly election: ElectionPart;
}

/** Builds the parts; nothing is started. Rejects as openClusterConnection does. */
export async function buildClusterParts(
  config: ClusterConfig,
  store: PolicyStore,
  dependencies: ElectionPartDependencies,
): Promise<ClusterParts> {
  const connection = await openClusterConnection(config);
  const policies = new ClusterPolicies(connection, store, dependencies);
  return { connection, policies, election: new ElectionPart(connection, dependencies) };
}
