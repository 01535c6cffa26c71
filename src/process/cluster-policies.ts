import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { reportedStatus } from '../cluster/sources/exception-status.ts';
import { exceptionCounts, ExceptionStatuses } from '../cluster/sources/exception-statuses.ts';
import {
  asFactKind,
  PROBE_EXCEPTIONS,
  SERVICES,
  STARTUP_PROFILES,
  WEBHOOK_EXCEPTIONS,
} from '../cluster/sources/fact-kinds.ts';
import { KubernetesSource } from '../cluster/sources/kubernetes-source.ts';
import { EXCEPTION_KIND, type ProbeException } from '../engine/policy/probe-exception.ts';
import { policyStatusTask } from '../cluster/sources/policy-informer.ts';
import { StatusWriter } from '../cluster/sources/status-writer.ts';
import { statusAdvice } from './status-advice.ts';
import { policyListener } from './policy-listener.ts';
import type { Logger } from 'pino';
import type {
  FactBudgetStatus,
  KubernetesSourceOptions,
  PolicyBudgetStatus,
} from '../cluster/sources/kubernetes-source.ts';
import type { LeftOut, Named, OverBudgetChange } from '../cluster/sources/stored-kind.ts';
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
  readonly #statusWriter: StatusWriter;
  readonly #exceptionWriter: StatusWriter;
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
    const writer = (this.#statusWriter = policyStatusWriter(dependencies));
    this.#exceptionWriter = exceptionStatusWriter(dependencies);
    const exceptions = { client, writer: this.#exceptionWriter, snapshot: () => store.current, now };
    this.exceptionStatuses = writesStatuses ? new ExceptionStatuses(exceptions) : undefined;
    const statuses: KubernetesSourceOptions = {
      advice: statusAdvice(),
      judged: (policy) => {
        if (writer.isActive) writer.put(policyStatusTask(client, now, policy));
      },
      policyGone: (place) => writer.drop(place),
      leftOutFact: (kind, left) => {
        if (kind === EXCEPTION_KIND) this.exceptionStatuses?.leftOut(leftOutException(left));
      },
      factGone: (kind, namespace, name) => {
        if (kind === EXCEPTION_KIND) this.exceptionStatuses?.gone(namespace, name);
      },
    };
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
        overBudget: (kind, change) => logOverBudget(log, kind, change),
        unreadableFact: (fact) => log.warn(fact, 'object cannot be read and has no effect'),
        ...(writesStatuses && statuses),
      },
    );
  }

  /** Begins to read. Returns at once: the API server may be away for as long as it likes. */
  start(): void {
    void this.#read();
    this.#exceptionWriter.setActive(true);
    this.exceptionStatuses?.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.source.stop();
    for (const writer of [this.#statusWriter, this.#exceptionWriter]) writer.setActive(false);
    this.exceptionStatuses?.stop();
  }

  lead(isLeader: boolean): void {
    this.exceptionStatuses?.lead(isLeader);
    this.#statusWriter.setActive(isLeader);
    if (isLeader && this.exceptionStatuses !== undefined) this.source.judgeAll();
  }

  get metrics(): ClusterPolicyMeasures {
    return {
      policyBudget: () => this.source.budget(),
      factBudgets: () => this.source.factBudgets(),
      exceptions: () => exceptionCounts(this.#store.current, this.#now()),
      statusesSetAside: () => this.#statusWriter.setAside(),
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

function logOverBudget(log: Logger, kind: string, { namespace, count, first, use }: OverBudgetChange): void {
  if (kind === 'ProbePolicy') {
    const names = first.map((name) => `${kind}/${namespace}/${name}`);
    const details = { namespace, overBudget: count, first: names, inForce: use.objects, bytes: use.bytes };
    if (count > 0) log.warn(details, 'policies over budget are not in force');
    else log.info(details, 'the policies of the namespace are within the budgets again');
  } else if (count > 0) log.warn({ kind, namespace, first, overBudget: count }, 'objects over budget have no effect');
  else log.info({ kind, namespace, first }, 'the objects of the namespace are within the budgets again');
}

function leftOutException({ object, entry, ...left }: LeftOut<Named>): Parameters<ExceptionStatuses['leftOut']>[0] {
  const reported =
    object === undefined
      ? (entry as ProbeException | undefined)?.reported
      : reportedStatus(object as unknown as Record<string, unknown>);
  return { ...left, reported };
}

function policyStatusWriter({ log, now }: ClusterPoliciesDependencies): StatusWriter {
  const listener = {
    troubled: (problem: string | undefined) => {
      if (problem === undefined) log.info('statuses of policies can be written again');
      else log.warn({ problem }, 'statuses of policies cannot be written now');
    },
    setAside: (policy: string, reason: string, problem: string) =>
      log.warn({ policy, reason, problem }, 'status of a policy not written'),
  };
  return new StatusWriter(listener, { now, random: Math.random });
}

function exceptionStatusWriter({ log, now }: ClusterPoliciesDependencies): StatusWriter {
  const listener = {
    troubled: (problem: string | undefined) => {
      if (problem === undefined) log.info('statuses of exceptions can be written again');
      else log.warn({ problem }, 'statuses of exceptions cannot be written now');
    },
    setAside: (exception: string, reason: string, problem: string) =>
      log.warn({ exception, reason, problem }, 'status of an exception not written'),
  };
  return new StatusWriter(listener, { now, random: Math.random });
}
