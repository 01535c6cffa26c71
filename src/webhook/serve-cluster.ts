import { openClusterConnection } from '../process/cluster-connection.ts';
import { ClusterPolicies } from '../process/cluster-policies.ts';
import { ElectionPart, type ElectionPartDependencies } from '../process/election-part.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import { VERSION } from '../base/version.ts';
import type { ClusterConfig, ServeConnection } from './config.ts';

/** The parts that speak to a cluster. Serving depends on none of them once the first state is known. */
export interface ClusterParts {
  readonly connection: ServeConnection;
  readonly policies: ClusterPolicies;
  readonly election: ElectionPart;
}

/** Builds the parts; nothing is started. Rejects as openClusterConnection does. */
export async function buildClusterParts(
  config: ClusterConfig,
  store: PolicyStore,
  dependencies: Omit<ElectionPartDependencies, 'leaderWrites'>,
): Promise<ClusterParts> {
  const connection = await openClusterConnection(config, `probewright/${VERSION}`);
  const policies = new ClusterPolicies(connection, store, { ...dependencies, writesStatuses: true });
  const leaderWrites = 'statuses, CA and caBundle';
  const election = new ElectionPart(connection, { ...dependencies, leaderWrites });
  return { connection, policies, election };
}
