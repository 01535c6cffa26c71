import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { PodWatch } from './pod-watch.ts';
import { ExtraResults } from './reports/extra-results.ts';
import { ClusterPolicies } from '../process/cluster-policies.ts';
import { ElectionPart } from '../process/election-part.ts';
import { filesPart } from '../process/files-part.ts';
import { ListeningPort } from '../process/listening-port.ts';
import { metricsOf } from '../process/part.ts';
import { policyDetails } from '../process/policy-details.ts';
import { policySourcesStatus } from '../process/policy-sources-status.ts';
import { buildHealthApp } from '../process/health.ts';
import { DirectorySource } from '../cluster/sources/directory-source.ts';
import { COMMIT, VERSION } from '../base/version.ts';
import { dashboardPort } from './dashboard-part.ts';
import { observingParts } from './observing-parts.ts';
import { OBSERVER_WRITES, ObserverMetrics } from './observer-metrics.ts';
import type { ObserverPart } from './observer-part.ts';
import type { ClusterConnection } from '../process/cluster-connection.ts';
import type { Part } from '../process/part.ts';
import type { Readiness } from '../process/health.ts';
import type { ProcessSources } from '../process/process-metrics.ts';
import type { ObserverClocks, ObserverInputs } from './observer-inputs.ts';

/** The parts of an observer. */
export interface ObserverParts {
  /** All parts, in the order in which they start. */
  readonly inOrder: readonly Part[];
  readonly health: ListeningPort;
  /** Undefined without a page. */
  readonly dashboard: ListeningPort | undefined;
  readonly policies: ClusterPolicies;
  readonly election: ElectionPart;
  /** Makes the observer not ready. */
  readonly drain: () => void;
}

/** Puts the parts together; nothing is started. */
export function buildObserverParts(inputs: ObserverInputs, clocks: ObserverClocks): ObserverParts {
  const { config, connection, store, lead } = inputs;
  const { log, now, monotonic } = clocks;
  let isStopping = false;
  const files = config.policies === undefined ? undefined : new DirectorySource(CHECK_CATALOGUE, config.policies, now);
  const policies = new ClusterPolicies(connection, store, { log, now, writesStatuses: false });
  const election = new ElectionPart(connection, { log, leaderWrites: OBSERVER_WRITES, lead, now, monotonic });
  const podWatch = buildPodWatch(connection, clocks);
  const extraResults = new ExtraResults();
  const dashboard = dashboardPort(inputs, clocks, extraResults, election, () => {
    metrics.connectionDropped('dashboard');
  });
  const observing: readonly ObserverPart[] = [
    ...observingParts({ ...inputs, ...clocks, podWatch, policies, extraResults }),
    podWatch,
  ];
  const sources = [files, policies.source].filter((source) => source !== undefined);
  const process: ProcessSources = {
    policies: () => {
      const { problemCount, lastSync } = policySourcesStatus(sources);
      return { loaded: store.current?.policies.length ?? 0, problems: problemCount, lastSync };
    },
    leader: () => false,
    now,
    build: { version: VERSION, commit: COMMIT },
  };
  const metrics = new ObserverMetrics({ ...process, ...metricsOf<ProcessSources>([policies, election]) }, observing);
  const readiness = (): Readiness => {
    const policiesInForce = store.current?.policies.length;
    const overBudget = policies.source.budget().overBudget;
    return {
      ready: !isStopping && policiesInForce !== undefined,
      details: {
        draining: isStopping,
        policies: policyDetails({ policiesInForce, sources: policySourcesStatus(sources), overBudget }),
        leader: election.isLeader,
        ...Object.fromEntries(observing.flatMap(({ details }) => Object.entries(details?.() ?? {}))),
      },
    };
  };
  const health = new ListeningPort(() => buildHealthApp(readiness, metrics, monotonic), {
    host: config.host,
    port: config.healthPort,
    flag: '--health-port',
  });
  // The health port says what the later parts wait for. Pods are listed last: their listeners need policies.
  const inOrder = [
    ...(files === undefined ? [] : [filesPart(files, store, log)]),
    health,
    policies,
    election,
    ...(dashboard === undefined ? [] : [dashboard]),
    ...observing,
  ];
  const drain = (): void => {
    isStopping = true;
  };
  return { inOrder, health, dashboard, policies, election, drain };
}

function buildPodWatch({ client, config }: ClusterConnection, { log, now }: ObserverClocks): PodWatch {
  const reports = {
    troubled: (problem: string | undefined) => {
      if (problem === undefined) log.info('Pods can be watched again');
      else log.warn({ problem }, 'Pods cannot be watched now');
    },
    failed: (error: unknown) => {
      log.error({ err: error }, 'a Pod cannot be evaluated');
    },
  };
  const options = { renewalMilliseconds: config.watchRenewal };
  return new PodWatch(client, { now, random: Math.random }, reports, options);
}
