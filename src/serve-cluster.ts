import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { OwnCertificates } from './certificates/own-certificates.ts';
import { SecretCertificates } from './certificates/secret-certificates.ts';
import { ApiClient } from './kubernetes/api-client.ts';
import { LeaderElection } from './kubernetes/leader-election.ts';
import { KubernetesSource } from './sources/kubernetes-source.ts';
import { PolicyStatusWriter } from './sources/policy-status-writer.ts';
import { VERSION } from './version.ts';
import type { Logger } from 'pino';
import type { CertificateSource } from './certificates/certificate-source.ts';
import type { ClusterConfig } from './config.ts';
import type { ClusterAccess } from './kubernetes/cluster-access.ts';
import type { MetricSources } from './server/metrics.ts';

/** The rim of what speaks to a cluster. */
export interface ClusterSurroundings {
  readonly log: Logger;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/**
 * Everything that speaks to a cluster: the policies that are read from it, the certificate that is looked after there unless it comes from
 * files, and the election of the replica that writes. Serving depends on none of it once the first state is known.
 */
export class ClusterParts {
  readonly source: KubernetesSource;
  /** Undefined when the serving pair comes from files. */
  readonly certificates: CertificateSource | undefined;
  readonly #own: OwnCertificates | undefined;
  readonly #secret: SecretCertificates | undefined;
  readonly #election: LeaderElection;
  readonly #statusWriter: PolicyStatusWriter;

  /**
   * @param hasFiles whether the serving pair comes from files
   * @param labelsMatter whether any policy in force looks at namespaces' labels
   */
  constructor(
    access: ClusterAccess,
    config: ClusterConfig,
    hasFiles: boolean,
    labelsMatter: () => boolean,
    surroundings: ClusterSurroundings,
  ) {
    const { log } = surroundings;
    const client = new ApiClient(access, `probewright/${VERSION}`);
    const namespace = config.namespace ?? access.namespace;
    if (namespace === undefined || namespace === '')
      throw new Error('--namespace: must be given, as neither a context nor a service account says which one it is');
    this.#statusWriter = new PolicyStatusWriter(
      client,
      {
        troubled: (problem) => {
          if (problem === undefined) log.info('statuses of policies can be written again');
          else log.warn({ problem }, 'statuses of policies cannot be written now');
        },
        setAside: (policy, reason, problem) => {
          log.warn({ policy, reason, problem }, 'status of a policy not written');
        },
      },
      surroundings,
    );
    this.source = new KubernetesSource(client, surroundings, {
      description: `cluster ${access.server}`,
      watchRenewalMilliseconds: config.watchRenewal,
      labelsMatter,
      policyBudget: config.policyBudget,
      overBudget: ({ namespace, count, first, use }) => {
        const details = { namespace, overBudget: count, first, inForce: use.policies, bytes: use.bytes };
        if (count > 0) log.warn(details, 'policies over budget are not in force');
        else log.info(details, 'the policies of the namespace are within the budgets again');
      },
      status: (policy, stale) => {
        this.#statusWriter.update(policy, stale);
      },
    });
    const certificates = { ...surroundings, watchRenewalMilliseconds: config.watchRenewal };
    const objects = {
      namespace,
      service: config.serviceName,
      configurationName: config.webhookConfigurations,
      check: config.certificateCheck,
    };
    if (!hasFiles && config.tlsSecret === undefined) {
      const { caSecret, caLifetime, leafLifetime, caOverlap } = config;
      const settings = { ...objects, secretName: caSecret, caLifetime, leafLifetime, overlap: caOverlap };
      this.#own = new OwnCertificates(client, settings, certificates);
    } else if (!hasFiles && config.tlsSecret !== undefined) {
      this.#secret = new SecretCertificates(client, { ...objects, secretName: config.tlsSecret }, certificates);
    }
    this.certificates = this.#own ?? this.#secret;
    this.#election = this.#elect(client, namespace, config, surroundings);
  }

  /** Takes part in the election. The policies and certificates are started by who listens to them. */
  start(): void {
    this.#election.start();
  }

  /** Lets another replica write, at once. What is known goes on being used and kept up to date. */
  resign(): Promise<void> {
    return this.#election.stop();
  }

  async stop(): Promise<void> {
    this.source.stop();
    this.certificates?.stop();
    this.#statusWriter.stop();
    await this.#election.stop();
  }

  get isLeader(): boolean {
    return this.#election.isLeader;
  }

  /** What the metrics tell of certificates. */
  certificateExpiry(): ReturnType<MetricSources['certificateExpiry']> {
    const status = this.#own?.status();
    return { ca: status?.caNotAfter, next: status?.nextNotAfter };
  }

  certificateRotations(): ReturnType<MetricSources['certificateRotations']> {
    return this.#own?.status().writes ?? [];
  }

  /** How many statuses of policies are not as they should be, by why. */
  statusesSetAside(): ReturnType<MetricSources['statusesSetAside']> {
    return this.#statusWriter.setAside();
  }

  bundlesSynced(): ReturnType<MetricSources['bundlesSynced']> {
    const synced = (this.#own ?? this.#secret)?.status().bundleSynced ?? {};
    return new Map(Object.entries(synced).filter((entry): entry is [string, boolean] => entry[1] !== undefined));
  }

  #elect(
    client: ApiClient,
    namespace: string,
    { lease, leaseDuration, leaseRenew }: ClusterConfig,
    surroundings: ClusterSurroundings,
  ): LeaderElection {
    const { log } = surroundings;
    const candidate = {
      namespace,
      lease,
      identity: `${hostname()}_${randomUUID()}`,
      durationMilliseconds: leaseDuration,
      retryMilliseconds: leaseRenew,
    };
    const lead = (isLeader: boolean): void => {
      this.#own?.lead(isLeader);
      this.#secret?.lead(isLeader);
      this.#statusWriter.lead(isLeader);
    };
    const listener = {
      gained: () => {
        log.info({ lease, identity: candidate.identity }, 'this replica leads: it writes statuses, CA and caBundle');
        lead(true);
      },
      lost: () => {
        log.info({ lease, identity: candidate.identity }, 'this replica leads no longer');
        lead(false);
      },
      troubled: (problem: string | undefined) => {
        if (problem === undefined) log.info({ lease }, 'the Lease can be read and written again');
        else log.warn({ lease, problem }, 'the Lease cannot be read or written; requests are answered all the same');
      },
    };
    return new LeaderElection(client, candidate, listener, surroundings);
  }
}
