import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { LeaderElection, type ElectionDependencies } from '../cluster/client/leader-election.ts';
import type { Logger } from 'pino';
import type { ClusterConnection } from './cluster-connection.ts';
import type { Part } from './part.ts';

export interface ElectionPartDependencies extends Omit<ElectionDependencies, 'random'> {
  readonly log: Logger;
  readonly leaderWrites: string;
  readonly lead: (isLeader: boolean) => void;
}

/** The election of the replica that writes. Its stop gives the Lease back, so that another replica takes over. */
export class ElectionPart extends LeaderElection implements Part {
  constructor({ client, namespace, config }: ClusterConnection, dependencies: ElectionPartDependencies) {
    const { log, leaderWrites, lead, now, monotonic } = dependencies;
    const { lease, leaseDuration: durationMilliseconds, leaseRenew: retryMilliseconds } = config;
    const identity = `${hostname()}_${randomUUID()}`;
    const listener = {
      gained: () => {
        log.info({ lease, identity, leaderWrites }, 'this replica leads');
        lead(true);
      },
      lost: () => {
        log.info({ lease, identity }, 'this replica no longer leads');
        lead(false);
      },
      troubled: (problem: string | undefined) => {
        if (problem === undefined) log.info({ lease }, 'the Lease can be read and written again');
        else log.warn({ lease, problem }, 'the Lease cannot be read or written');
      },
    };
    const candidate = { namespace, lease, identity, durationMilliseconds, retryMilliseconds };
    super(client, candidate, listener, { now, monotonic, random: Math.random });
  }

  /** The host name in the Lease: the name of the leader's Pod. Empty when nobody leads. */
  get leaderName(): string {
    return this.holder.split('_')[0] ?? '';
  }
}
