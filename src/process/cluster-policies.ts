import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { PROBE_EXCEPTIONS, WEBHOOK_EXCEPTIONS } from '../cluster/sources/exception-kind.ts';
import { exceptionCounts, ExceptionStatuses } from '../cluster/sources/exception-statuses.ts';
import { asFactKind } from '../cluster/sources/fact-kind.ts';
import { SERVICES } from '../cluster/sources/service-kind.ts';
import { STARTUP_PROFILES } from '../cluster/sources/startup-profile-kind.ts';
import { KubernetesSource } from '../cluster/sources/kubernetes-source.ts';
import { EXCEPTION_KIND } from '../engine/policy/probe-exception.ts';
import { PolicyStatusWriter } from '../cluster/sources/policy-status-writer.ts';
import { statusAdvice } from './status-advice.ts';
import { policyListener } from './policy-listener.ts';
import type { Logger } from 'pino';
import type { FactBudgetStatus, PolicyBudgetStatus } from '../cluster/sources/kubernetes-source.ts';
import type { LeftOutObject } from '../cluster/sources/fact-reports.ts';
import type { ExceptionState } from '../engine/policy/exception-state.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import type { Part } from './part.ts';

/** The dependencies of policies from a cluster. */
export interface ClusterPoliciesDependencies {
  readonly log: Logger;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether this process writes statuses of policies while it leads. The webhook does; all others only read. */
  readonly writesStatuses: boolean;
}

/** The sources of the metrics about policies from a cluster. */
export interface ClusterPolicyMeasures {
  readonly policyBudget: () => PolicyBudgetStatus;
  readonly factBudgets: () => readonly FactBudgetStatus[];
  /** The number of exceptions in each state. */
  readonly exceptions: () => Readonly<Record<ExceptionState, number>>;
  readonly statusesSetAside: () => Readonly<Record<string, number>>;
}

/** The policies of a cluster, and their statuses, which the leader of the webhook's replicas writes. */
export class ClusterPolicies implements Part<ClusterPolicyMeasures> {
  readonly source: KubernetesSource;
  /** Resolves once the policies have been read and are in force; never when they cannot be read. */
  readonly read: Promise<unknown>;
  readonly #markRead: (nothing: undefined) => void;
  readonly #statusWriter: PolicyStatusWriter | undefined;
  /** Undefined where statuses are not written. */
  readonly exceptionStatuses: ExceptionStatuses | undefined;
  readonly #store: PolicyStore;
  readonly #log: Logger;
  readonly #now: () => number;
  #isStopped = false;

  constructor(connection: ClusterConnection, store: PolicyStore, dependencies: ClusterPoliciesDependencies) {
    const { client, server, config } = connection;
    const { log, now, writesStatuses } = dependencies;
    this.#store = store;
    this.#now = now;
    this.#log = log;
    ({ promise: this.read, resolve: this.#markRead } = Promise.withResolvers<undefined>());
    const writer = writesStatuses ? statusWriter(connection, dependencies) : undefined;
    this.#statusWriter = writer;
    this.exceptionStatuses = writesStatuses
      ? exceptionStatuses(connection, store, () => this.source.leftOut(EXCEPTION_KIND), dependencies)
      : undefined;
    this.source = new KubernetesSource(
      CHECK_CATALOGUE,
      client,
      { now, random: Math.random },
      {
        description: `cluster ${server}`,
        watchRenewalMilliseconds: config.watchRenewal,
        labelsMatter: () => store.current?.looksAtNamespaceLabels ?? true,
        policyBudget: config.policyBudget,
        // Learned start times. Without them, and while they are unknown, decisions are those without learned budgets.
        factKinds: [
          asFactKind(writesStatuses ? WEBHOOK_EXCEPTIONS : PROBE_EXCEPTIONS),
          ...(config.readsStartupProfiles ? [asFactKind(STARTUP_PROFILES)] : []),
          ...(config.readsServices ? [asFactKind(SERVICES)] : []),
        ],
        overBudget: ({ namespace, count, first, use }) => {
          const details = { namespace, overBudget: count, first, inForce: use.policies, bytes: use.bytes };
          if (count > 0) log.warn(details, 'policies over budget are not in force');
          else log.info(details, 'the policies of the namespace are within the budgets again');
        },
        overBudgetFacts: ({ count, ...details }) => {
          if (count > 0) log.warn({ ...details, overBudget: count }, 'objects over budget have no effect');
          else log.info(details, 'the objects of the namespace are within the budgets again');
        },
        unreadableFact: (fact) => {
          log.warn(fact, 'object cannot be read and has no effect');
        },
        ...(writer && {
          advice: statusAdvice(),
          status: (...stale: Parameters<PolicyStatusWriter['update']>) => {
            writer.update(...stale);
          },
        }),
      },
    );
  }

  /** Begins to read. Returns at once: the API server may be away for as long as it likes. */
  start(): void {
    void this.#read();
    this.exceptionStatuses?.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.source.stop();
    this.#statusWriter?.stop();
    this.exceptionStatuses?.stop();
  }

  lead(isLeader: boolean): void {
    this.#statusWriter?.lead(isLeader);
    this.exceptionStatuses?.lead(isLeader);
  }

  get metrics(): ClusterPolicyMeasures {
    return {
      policyBudget: () => this.source.budget(),
      factBudgets: () => this.source.factBudgets(),
      exceptions: () => exceptionCounts(this.#store.current, this.#now()),
      statusesSetAside: () => this.#statusWriter?.setAside() ?? {},
    };
  }

  async #read(): Promise<void> {
    const log = this.#log;
    try {
      this.#store.replace('cluster', await this.source.start(policyListener('cluster', this.#store, log)));
      log.info({ policies: this.#store.current?.policies.length }, 'policies of the cluster read');
      this.#markRead(undefined);
    } catch (error) {
      if (!this.#isStopped) log.error({ err: error }, 'the policies of the cluster cannot be read');
    }
  }
}

function exceptionStatuses(
  { client }: ClusterConnection,
  store: PolicyStore,
  leftOut: () => Iterable<LeftOutObject>,
  { log, now }: ClusterPoliciesDependencies,
): ExceptionStatuses {
  return new ExceptionStatuses({
    client,
    snapshot: () => store.current,
    leftOut,
    now,
    troubled: (problem) => {
      if (problem === undefined) log.info('statuses of exceptions can be written again');
      else log.warn({ problem }, 'statuses of exceptions cannot be written now');
    },
  });
}

function statusWriter({ client }: ClusterConnection, { log, now }: ClusterPoliciesDependencies): PolicyStatusWriter {
  const listener = {
    troubled: (problem: string | undefined) => {
      if (problem === undefined) log.info('statuses of policies can be written again');
      else log.warn({ problem }, 'statuses of policies cannot be written now');
    },
    setAside: (policy: string, reason: string, problem: string) => {
      log.warn({ policy, reason, problem }, 'status of a policy not written');
    },
  };
  return new PolicyStatusWriter(client, listener, { now, random: Math.random });
}
