import { ApiClient } from '../kubernetes/api-client.ts';
import { loadClusterAccess } from '../kubernetes/cluster-access.ts';
import { VERSION } from '../version.ts';
import type { ClusterConfig } from './config.ts';

/** A cluster that can be spoken to. */
export interface ClusterConnection {
  readonly client: ApiClient;
  /** Base URL of the API server. */
  readonly server: string;
  /** The namespace of Probewright's Service, Secrets and Lease. */
  readonly namespace: string;
  readonly config: ClusterConfig;
}

/**
 * Reads the credentials; nothing is sent yet. Rejects with an Error for people when they cannot be used, or no
 * namespace is known.
 */
export async function openClusterConnection(config: ClusterConfig): Promise<ClusterConnection> {
  const access = await loadClusterAccess(config.kubeconfig);
  const namespace = config.namespace ?? access.namespace;
  if (namespace === undefined || namespace === '')
    throw new Error('--namespace: must be given, as neither a context nor a service account says which one it is');
  return { client: new ApiClient(access, `probewright/${VERSION}`), server: access.server, namespace, config };
}
