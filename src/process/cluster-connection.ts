import { ApiClient } from '../cluster/client/api-client.ts';
import { loadClusterAccess } from '../cluster/client/cluster-access.ts';

/** The settings of every process that speaks to a cluster. Durations are in milliseconds. */
export interface ConnectionConfig {
  readonly kubeconfig: string;
  /** Of Probewright's own objects. Undefined = that of the kubeconfig's context or of the service account. */
  readonly namespace: string | undefined;
  readonly lease: string;
  readonly leaseDuration: number;
  readonly leaseRenew: number;
  readonly watchRenewal: number;
  /** Mirrors the Services of all namespaces. */
  readonly readsServices: boolean;
  /** Mirrors the StartupProfiles of all namespaces. */
  readonly readsStartupProfiles: boolean;
  readonly policyBudget: number;
}

export interface ClusterConnection<Config extends ConnectionConfig = ConnectionConfig> {
  readonly client: ApiClient;
  readonly server: string;
  readonly namespace: string;
  readonly config: Config;
}

/**
 * Reads the credentials; nothing is sent yet. Rejects when they cannot be used, or no namespace is known.
 *
 * @param userAgent the name of the process in the API server's audit log
 */
export async function openClusterConnection<Config extends ConnectionConfig>(
  config: Config,
  userAgent: string,
): Promise<ClusterConnection<Config>> {
  const access = await loadClusterAccess(config.kubeconfig);
  const namespace = config.namespace ?? access.namespace;
  if (namespace === undefined || namespace === '')
    throw new Error('--namespace: must be given, as neither a context nor a service account says which one it is');
  return { client: new ApiClient(access, userAgent), server: access.server, namespace, config };
}
