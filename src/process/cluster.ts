import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ApiClient } from '../cluster/client/api-client.ts';
import { loadClusterAccess } from '../cluster/client/cluster-access.ts';
import { LeaderElection, type ElectionDependencies } from '../cluster/client/leader-election.ts';
import type { Logger } from 'pino';
import { ExceptionStatuses, exceptionCounts } from '../cluster/sources/exception-statuses.ts';
import { PROBE_EXCEPTIONS, SERVICES, STARTUP_PROFILES, WEBHOOK_EXCEPTIONS } from '../cluster/sources/fact-kinds.ts';
import {
  KubernetesSource,
  type FactBudgetStatus,
  type KubernetesSourceOptions,
  type PolicyBudgetStatus,
} from '../cluster/sources/kubernetes-source.ts';
import { ObjectStatuses } from '../cluster/sources/object-statuses.ts';
import { policyListener } from './policies.ts';
import type { OverBudgetChange } from '../cluster/sources/left-out-objects.ts';
import type { SourceListener } from '../cluster/sources/policy-source.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { Part } from './part.ts';

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

export interface ClusterPoliciesDependencies {
  readonly log: Logger;
  readonly now: () => number;
  /** Whether this process writes statuses of policies while it leads. The webhook does; all others only read. */
  readonly writesStatuses: boolean;
}

type Counts = Readonly<Record<string, number>>;

/** The policies of a cluster, and their statuses, which the leader of the webhook's replicas writes. */
export class ClusterPolicies implements Part {
  readonly source: KubernetesSource;
  readonly exceptionStatuses: ExceptionStatuses | undefined;
  readonly #read = Promise.withResolvers<undefined>();
  /** Resolves once the policies have been read and are in force; never when they cannot be read. */
  readonly read: Promise<unknown> = this.#read.promise;
  readonly #statusWriter: ObjectStatuses;
  readonly #store: PolicyStore;
  readonly #dependencies: ClusterPoliciesDependencies;
  readonly metrics = {
    policyBudget: (): PolicyBudgetStatus => this.source.budget(),
    factBudgets: (): readonly FactBudgetStatus[] => this.source.factBudgets(),
    exceptions: (): Counts => exceptionCounts(this.#store.current, this.#dependencies.now()),
    statusesSetAside: (): Counts => this.#statusWriter.setAside(),
  };
  #isStopped = false;

  constructor(connection: ClusterConnection, store: PolicyStore, dependencies: ClusterPoliciesDependencies) {
    const { client, server, config } = connection;
    const { log, now, writesStatuses } = dependencies;
    this.#store = store;
    this.#dependencies = dependencies;
    const writer = (this.#statusWriter = statusWriter(log, 'policy'));
    const exceptionWriter = statusWriter(log, 'exception');
    const exceptions = { client, writer: exceptionWriter, snapshot: () => store.current, now };
    const statuses = (this.exceptionStatuses = writesStatuses ? new ExceptionStatuses(exceptions) : undefined);
    const context = { client, now, random: Math.random, watchRenewal: config.watchRenewal };
    const options: KubernetesSourceOptions = {
      description: `cluster ${server}`,
      labelsMatter: () => store.current?.looksAtNamespaceLabels ?? true,
      policyBudget: config.policyBudget,
      // Learned start times. Without them, and while they are unknown, decisions are those without learned budgets.
      factKinds: [
        writesStatuses ? WEBHOOK_EXCEPTIONS : PROBE_EXCEPTIONS,
        ...(config.readsStartupProfiles ? [STARTUP_PROFILES] : []),
        ...(config.readsServices ? [SERVICES] : []),
      ],
      statuses: writesStatuses ? writer : undefined,
      exceptions: statuses && {
        leftOut: (left) => statuses.leftOut(left),
        gone: (namespace, name) => statuses.gone(namespace, name),
      },
    };
    this.source = new KubernetesSource(context, options);
  }

  /** Begins to read. Returns at once: the API server may be away for as long as it likes. */
  start(): void {
    void this.#readAll();
    this.exceptionStatuses?.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.source.stop();
    this.#statusWriter.setActive(false);
    this.exceptionStatuses?.stop();
  }

  lead(isLeader: boolean): void {
    this.exceptionStatuses?.lead(isLeader);
    this.#statusWriter.setActive(isLeader);
    if (isLeader && this.exceptionStatuses !== undefined) this.source.judgeAll();
  }

  async #readAll(): Promise<void> {
    const [log, store] = [this.#dependencies.log, this.#store];
    try {
      const listener: SourceListener = {
        ...policyListener('cluster', store, log),
        overBudget: (kind, change) => logOverBudget(log, kind, change),
        unreadable: (kind, fact) => log.warn({ kind, ...fact }, 'object cannot be read and has no effect'),
      };
      store.replace('cluster', await this.source.start(listener));
      log.info({ policies: store.current?.policies.length }, 'policies of the cluster read');
      this.#read.resolve(undefined);
    } catch (error) {
      if (!this.#isStopped) log.error({ err: error }, 'the policies of the cluster cannot be read');
    }
  }
}

function logOverBudget(log: Logger, kind: string, { namespace, count, first, use }: OverBudgetChange): void {
  if (kind === 'ProbePolicy') {
    const names = first.map((name) => `${kind}/${namespace}/${name}`);
    const details = { namespace, overBudget: count, first: names, inForce: use.objects, bytes: use.bytes };
    if (count > 0) log.warn(details, 'policies over budget are not in force');
    else log.info(details, 'the policies of the namespace are within the budgets again');
  } else if (count > 0) log.warn({ kind, namespace, first, overBudget: count }, 'objects over budget have no effect');
  else log.info({ kind, namespace, first }, 'the objects of the namespace are within the budgets again');
}

function statusWriter(log: Logger, member: 'policy' | 'exception'): ObjectStatuses {
  const isPolicy = member === 'policy';
  const listener = {
    troubled: (problem: string | undefined) => {
      if (problem === undefined) log.info(`statuses of ${isPolicy ? 'policies' : 'exceptions'} can be written again`);
      else if (isPolicy) log.warn({ problem }, 'statuses of policies cannot be written now');
      else log.warn({ problem }, 'statuses of exceptions cannot be written now');
    },
    setAside: (place: string, reason: string, problem: string) => {
      const details = { [member]: place, reason, problem };
      if (isPolicy) log.warn(details, 'status of a policy not written');
      else log.warn(details, 'status of an exception not written');
    },
  };
  return new ObjectStatuses(listener, { random: Math.random });
}
