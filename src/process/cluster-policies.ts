import { reportedStatus } from '../cluster/sources/exception-status.ts';
import { ExceptionStatuses, exceptionCounts } from '../cluster/sources/exception-statuses.ts';
import { PROBE_EXCEPTIONS, SERVICES, STARTUP_PROFILES, WEBHOOK_EXCEPTIONS } from '../cluster/sources/fact-kinds.ts';
import { KubernetesSource } from '../cluster/sources/kubernetes-source.ts';
import { StatusWriter } from '../cluster/sources/status-writer.ts';
import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { EXCEPTION_KIND } from '../engine/policy/probe-exception.ts';
import { adviceAbout, type PolicyAdvice } from '../engine/verdict/policy-advice.ts';
import { policyListener } from './policies.ts';
import type {
  FactBudgetStatus,
  KubernetesSourceOptions,
  PolicyBudgetStatus,
} from '../cluster/sources/kubernetes-source.ts';
import type { LeftOut, Named, OverBudgetChange } from '../cluster/sources/object-store.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { ExceptionState } from '../engine/policy/probe-exception.ts';
import type { ProbeException } from '../engine/policy/probe-exception.ts';
import type { ProbePolicy } from '../engine/policy/probe-policy.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import type { Part } from './part.ts';
import type { Logger } from 'pino';

export interface ClusterPoliciesDependencies {
  readonly log: Logger;
  readonly now: () => number;
  /** Whether this process writes statuses of policies while it leads. The webhook does; all others only read. */
  readonly writesStatuses: boolean;
}

export interface ClusterPolicyMeasures {
  readonly policyBudget: () => PolicyBudgetStatus;
  readonly factBudgets: () => readonly FactBudgetStatus[];
  readonly exceptions: () => Readonly<Record<ExceptionState, number>>;
  readonly statusesSetAside: () => Readonly<Record<string, number>>;
}

/** The policies of a cluster, and their statuses, which the leader of the webhook's replicas writes. */
export class ClusterPolicies implements Part {
  readonly source: KubernetesSource;
  readonly metrics: ClusterPolicyMeasures;
  readonly exceptionStatuses: ExceptionStatuses | undefined;
  readonly #read = Promise.withResolvers<undefined>();
  /** Resolves once the policies have been read and are in force; never when they cannot be read. */
  readonly read: Promise<unknown> = this.#read.promise;
  readonly #statusWriter: StatusWriter;
  readonly #exceptionWriter: StatusWriter;
  readonly #store: PolicyStore;
  readonly #log: Logger;
  #isStopped = false;

  constructor(connection: ClusterConnection, store: PolicyStore, dependencies: ClusterPoliciesDependencies) {
    const { client, server, config } = connection;
    const { log, now, writesStatuses } = dependencies;
    this.#store = store;
    this.#log = log;
    const writer = (this.#statusWriter = statusWriter(dependencies, 'policy'));
    this.#exceptionWriter = statusWriter(dependencies, 'exception');
    const exceptions = { client, writer: this.#exceptionWriter, snapshot: () => store.current, now };
    const statuses = (this.exceptionStatuses = writesStatuses ? new ExceptionStatuses(exceptions) : undefined);
    const options: KubernetesSourceOptions = {
      description: `cluster ${server}`,
      watchRenewalMilliseconds: config.watchRenewal,
      labelsMatter: () => store.current?.looksAtNamespaceLabels ?? true,
      policyBudget: config.policyBudget,
      // Learned start times. Without them, and while they are unknown, decisions are those without learned budgets.
      factKinds: [
        writesStatuses ? WEBHOOK_EXCEPTIONS : PROBE_EXCEPTIONS,
        ...(config.readsStartupProfiles ? [STARTUP_PROFILES] : []),
        ...(config.readsServices ? [SERVICES] : []),
      ],
      overBudget: (kind, change) => logOverBudget(log, kind, change),
      factListener: (kind) => ({
        unreadable: (fact) => log.warn({ kind, ...fact }, 'object cannot be read and has no effect'),
        ...(kind === EXCEPTION_KIND && {
          leftOut: (left) => statuses?.leftOut(leftOutException(left)),
          gone: (namespace, name) => statuses?.gone(namespace, name),
        }),
      }),
      statuses: writesStatuses
        ? { put: (task) => writer.put(task), drop: (place) => writer.drop(place), advice: statusAdvice() }
        : undefined,
    };
    const source = new KubernetesSource(CHECK_CATALOGUE, client, { now, random: Math.random }, options);
    this.source = source;
    this.metrics = {
      policyBudget: () => source.budget(),
      factBudgets: () => source.factBudgets(),
      exceptions: () => exceptionCounts(store.current, now()),
      statusesSetAside: () => writer.setAside(),
    };
  }

  /** Begins to read. Returns at once: the API server may be away for as long as it likes. */
  start(): void {
    void this.#readAll();
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

  async #readAll(): Promise<void> {
    const [log, store] = [this.#log, this.#store];
    try {
      store.replace('cluster', await this.source.start(policyListener('cluster', store, log)));
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

function leftOutException({ object, entry, ...left }: LeftOut<Named>): Parameters<ExceptionStatuses['leftOut']>[0] {
  const reported =
    object === undefined
      ? (entry as ProbeException | undefined)?.reported
      : reportedStatus(object as unknown as Record<string, unknown>);
  return { ...left, reported };
}

function statusWriter({ log, now }: ClusterPoliciesDependencies, member: 'policy' | 'exception'): StatusWriter {
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
  return new StatusWriter(listener, { now, random: Math.random });
}

/** The advice about a policy's probes, without notes. Kept as long as the policy, as every event asks again. */
export function statusAdvice(): (policy: ProbePolicy) => readonly PolicyAdvice[] {
  const known = new WeakMap<ProbePolicy, readonly PolicyAdvice[]>();
  return (policy) => {
    const advice = known.get(policy) ?? adviceAbout(policy);
    known.set(policy, advice);
    return advice;
  };
}
