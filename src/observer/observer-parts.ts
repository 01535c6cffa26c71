import { collectDefaultMetrics, Registry } from 'prom-client';
import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { dashboardPort } from './dashboard/dashboard-port.ts';
import { FailingPart } from './failing/failing-part.ts';
import { MissedPart } from './missed/missed-part.ts';
import { PodWatch } from './informer.ts';
import { ExtraResults } from './reports/report-result.ts';
import { Scan } from './scan/scan.ts';
import { StartsPart } from './starts/starts-part.ts';
import { ClusterPolicies } from '../process/cluster-policies.ts';
import { droppedConnections } from '../process/connection-limit.ts';
import { ElectionPart } from '../process/election-part.ts';
import { filesPart, policyDetails, policySourcesStatus } from '../process/policies.ts';
import { buildHealthApp, type Readiness } from '../process/health.ts';
import { ListeningPort } from '../process/listening-port.ts';
import { metricsOf, type Part } from '../process/part.ts';
import { observeProcess, type ProcessSources } from '../process/process-metrics.ts';
import { DirectorySource } from '../cluster/sources/directory-source.ts';
import { COMMIT, VERSION } from '../base/version.ts';
import type { ObserverContext, ObserverPart } from './observer-part.ts';
import type { ReportsSetting } from './reports/reports-setting.ts';
import type { ClusterConnection, ConnectionConfig } from '../process/cluster-connection.ts';
import type { LogLevel } from '../process/log-level.ts';
import type { Enforcement, MutationMode } from '../engine/verdict/modes.ts';

/** The settings of `probewright observe`. Durations are in milliseconds. */
export interface ObserveConfig {
  /** Directory with policies, the lowest layer; undefined = the cluster's only. */
  readonly policies: string | undefined;
  readonly host: string;
  readonly healthPort: number;
  readonly dashboardPort: number | undefined;
  /** The settings of the webhook, so that both give the same verdict. */
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
  readonly logLevel: LogLevel;
  /** File with custom kinds; undefined = the built-in and ready-made ones. */
  readonly workloadKinds: string | undefined;
  readonly cluster: ConnectionConfig;
  readonly scanInterval: number;
  /** Name of the MutatingWebhookConfiguration: its selectors tell which Pods the webhook sees. */
  readonly webhookConfiguration: string;
  /** Namespaces that the webhook configurations exempt; undefined = the chart's, and Probewright's own. */
  readonly exemptNamespaces: readonly string[] | undefined;
  readonly reports: ReportsSetting;
  readonly reportsIncludeClean: boolean;
  readonly learnsStarts: boolean;
}

const OBSERVER_WRITES = 'reports';

export interface ObserverParts {
  /** All parts, in the order in which they start. */
  readonly inOrder: readonly Part[];
  readonly health: ListeningPort;
  readonly dashboard: ListeningPort | undefined;
  readonly policies: ClusterPolicies;
  readonly election: ElectionPart;
  readonly drain: () => void;
}

type GivenContext = Omit<ObserverContext, 'client' | 'podWatch' | 'extraResults' | 'watchRenewal' | 'registers'>;

/** Puts the parts together; nothing is started. `lead` tells all parts that this replica leads, or leads no longer. */
export function buildObserverParts(
  config: ObserveConfig,
  connection: ClusterConnection,
  given: GivenContext,
  lead: (isLeader: boolean) => void,
): ObserverParts {
  const { log, now, monotonic, store } = given;
  const { client } = connection;
  const { watchRenewal } = config.cluster;
  const podWatch = new PodWatch({ ...given, client, watchRenewal });
  const registry = new Registry();
  const extraResults = new ExtraResults();
  const context: ObserverContext = { ...given, client, podWatch, extraResults, watchRenewal, registers: [registry] };
  let isStopping = false;
  const files = config.policies === undefined ? undefined : new DirectorySource(CHECK_CATALOGUE, config.policies, now);
  const policies = new ClusterPolicies(connection, store, { log, now, writesStatuses: false });
  const election = new ElectionPart(connection, { log, leaderWrites: OBSERVER_WRITES, lead, now, monotonic });
  const dropped = droppedConnections(['health', 'dashboard'], [registry]);
  const dashboard = dashboardPort(context, config, election, () => dropped.inc({ port: 'dashboard' }));
  const observing: readonly ObserverPart[] = [...observingParts(context, config), podWatch];
  const sources = [files, policies.source].filter((source) => source !== undefined);
  collectDefaultMetrics({ register: registry });
  observeProcess(
    {
      policies: () => {
        const { problemCount, lastSync } = policySourcesStatus(sources);
        return { loaded: store.current?.policies.length ?? 0, problems: problemCount, lastSync };
      },
      leader: () => false,
      now,
      build: { version: VERSION, commit: COMMIT },
      ...metricsOf<ProcessSources>([policies, election]),
    },
    OBSERVER_WRITES,
    [registry],
  );
  const readiness = (): Readiness => {
    const policiesInForce = store.current?.policies.length;
    const { overBudget } = policies.source.budget();
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
  const metrics = { registry, connectionDropped: () => dropped.inc({ port: 'health' }) };
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

function observingParts(context: ObserverContext, config: ObserveConfig): readonly ObserverPart[] {
  const { webhookConfiguration, enforcement, learnsStarts, scanInterval } = config;
  const addsProbes = config.mutation === 'On';
  return [
    new Scan({
      ...context,
      settings: { enforcement, addsProbes },
      reportSettings: { setting: config.reports, includeClean: config.reportsIncludeClean },
      scanInterval,
    }),
    new FailingPart(context),
    // A webhook that injects nothing misses no Pod.
    new MissedPart({
      ...context,
      webhookConfiguration,
      snapshot: () => (addsProbes ? context.store.current : undefined),
    }),
    ...(learnsStarts ? [new StartsPart(context)] : []),
  ];
}
