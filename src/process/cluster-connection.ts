import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ApiClient } from '../cluster/client/api-client.ts';
import { loadClusterAccess } from '../cluster/client/cluster-access.ts';
import { LeaderElection, type ElectionDependencies } from '../cluster/client/leader-election.ts';
import type { Logger } from 'pino';

/** The settings of every process that speaks to a cluster. Durations are in milliseconds. */
export interface ConnectionConfig {
  readonly kubeconfig: string;
  /** Of Probewright's own objects. Undefined = that of the kubeconfig's context or of the service account. */
  readonly namespace: string | undefined;
  readonly lease: string;
  readonly leaseDuration: number;
  readonly leaseRenew: number;
  readonly watchRenewal: number;
  readonly readsServices: boolean;
  readonly readsStartupProfiles: boolean;
  readonly policyBudget: number;
}

export interface ClusterConnection<Config extends ConnectionConfig = ConnectionConfig> {
  readonly client: ApiClient;
  readonly server: string;
  readonly namespace: string;
  readonly config: Config;
}

/** Nothing is sent yet. Rejects without usable credentials or a namespace. The API server logs `userAgent`. */
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

export interface ElectionPartDependencies extends Omit<ElectionDependencies, 'random'> {
  readonly log: Logger;
  readonly leaderWrites: string;
  readonly lead: (isLeader: boolean) => void;
}

/** The election of the replica that writes. Its stop gives the Lease back, so that another replica takes over. */
export function electionPart(
  { client, namespace, config }: ClusterConnection,
  { log, leaderWrites, lead, now, monotonic }: ElectionPartDependencies,
): LeaderElection {
  const { lease, leaseDuration: durationMilliseconds, leaseRenew: retryMilliseconds } = config;
  const identity = `${hostname()}_${randomUUID()}`;
  const listener = {
    led: (isLeader: boolean) => {
      if (isLeader) log.info({ lease, identity, leaderWrites }, 'this replica leads');
      else log.info({ lease, identity }, 'this replica no longer leads');
      lead(isLeader);
    },
    troubled: (problem: string | undefined) => {
      if (problem === undefined) log.info({ lease }, 'the Lease can be read and written again');
      else log.warn({ lease, problem }, 'the Lease cannot be read or written');
    },
  };
  const candidate = { namespace, lease, identity, durationMilliseconds, retryMilliseconds };
  return new LeaderElection(client, candidate, listener, { now, monotonic, random: Math.random });
}
