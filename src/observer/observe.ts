import { VERSION } from '../base/version.ts';
import { DirectorySource } from '../cluster/sources/directory-source.ts';
import { PolicyStore } from '../cluster/sources/policy-store.ts';
import { loadWorkloadKinds } from '../cluster/sources/workload-kinds.ts';
import { ClusterPolicies, electionPart, openClusterConnection, type ConnectionConfig } from '../process/cluster.ts';
import { droppedConnections } from '../process/http-app.ts';
import { buildHealthApp, type Readiness } from '../process/health.ts';
import { ListeningPort } from '../process/listening-port.ts';
import { PartRunner } from '../process/part.ts';
import { exemptNamespaces, filesPart, policyDetails, policyFigures } from '../process/policies.ts';
import { observeNode, observeProcess } from '../process/process-metrics.ts';
import { dashboardPort } from './dashboard/dashboard-port.ts';
import { FailingWorkloads } from './failing/failing-workloads.ts';
import { FailingPart } from './failing/failing-part.ts';
import { PodWatch } from './pod-watch.ts';
import { InForce } from './missed/missed-verdicts.ts';
import { MissedPart } from './missed/missed-part.ts';
import { NativePart } from './native/native-part.ts';
import { PolicyConditions } from './native/policy-conditions.ts';
import { ExtraResults } from './reports/report-result.ts';
import { Scan } from './scan/scan.ts';
import { StartsPart } from './starts/starts-part.ts';
import { Registry } from 'prom-client';
import type { Enforcement, MutationMode } from '../engine/policy/action.ts';
import type { LogLevel } from '../process/log-level.ts';
import type { ObserverContext, ObserverPart } from './observer-part.ts';
import type { ReportsSetting } from '../cluster/sources/observer-reports.ts';
import type { FastifyInstance } from 'fastify';

/** The settings of `probewright observe`. Durations are in milliseconds. */
export interface ObserveConfig {
  /** Directory with policies, the lowest layer; undefined = the cluster's only. */
  readonly policies: string | undefined;
  readonly host: string;
  readonly healthPort: number;
  readonly dashboardPort: number | undefined;
  readonly dashboardHosts: readonly string[] | undefined;
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
  /** Whether to write the params of the native policy; the cluster's is in Probewright's own namespace. */
  readonly nativeParams: boolean;
}

export interface RunningObserver {
  readonly healthPort: number;
  readonly dashboardPort: number | undefined;
  /** Resolves once all policies have been read for the first time. */
  readonly started: Promise<void>;
  /** Gives the Lease back and stops all parts. A second call gives the promise of the first. */
  stop(): Promise<void>;
}

const OBSERVER_WRITES = 'reports';

/** Rejects, with all parts stopped, for a wrong setting, file or port. An API server that is away is waited for. */
export async function startObserver(
  config: ObserveConfig,
  clocks: Pick<ObserverContext, 'log' | 'now' | 'monotonic'>,
): Promise<RunningObserver> {
  const { log, now, monotonic } = clocks;
  const kinds = await loadWorkloadKinds(config.workloadKinds);
  const origins = config.policies === undefined ? (['cluster'] as const) : (['files', 'cluster'] as const);
  const store = new PolicyStore(origins);
  const connection = await openClusterConnection(config.cluster, `probewright-observer/${VERSION}`);
  const isExempt = exemptNamespaces(config.exemptNamespaces, connection.namespace, store);
  const { watchRenewal } = config.cluster;
  const given = { ...clocks, client: connection.client, kinds, store, isExempt, random: Math.random, watchRenewal };
  const podWatch = new PodWatch(given);
  const registry = new Registry();
  const inForce = new InForce(connection.client, config.webhookConfiguration);
  const [extraResults, failing] = [new ExtraResults(), new FailingWorkloads()];
  const context = { ...given, podWatch, failing, extraResults, inForce, registers: [registry] };
  const runner = new PartRunner();
  const files = config.policies === undefined ? undefined : new DirectorySource(config.policies, now);
  const policies = new ClusterPolicies(connection, store, { log, now, writesStatuses: false });
  const lead = (isLeader: boolean): void => runner.lead(isLeader);
  const election = electionPart(connection, { log, leaderWrites: OBSERVER_WRITES, lead, now, monotonic });
  const dropped = droppedConnections(['health', 'dashboard'], [registry]);
  const dashboard = dashboardPort(context, config, election, () => dropped.inc({ port: 'dashboard' }));
  const conditions = new PolicyConditions(context, () => policies.source.policyRecords());
  const native = config.nativeParams ? [new NativePart(context, connection.namespace, conditions)] : [];
  const observing = [...observingParts(context, config), ...native, podWatch];
  const sources = [files, policies.source].filter((source) => source !== undefined);
  observeNode(registry);
  const figures = { policies: () => policyFigures(store, sources), ...policies.metrics };
  observeProcess({ ...figures, leader: () => election.isLeader, now }, OBSERVER_WRITES, context.registers);
  let isStopping = false;
  const readiness = (): Readiness => ({
    ready: !isStopping && store.current !== undefined,
    details: {
      draining: isStopping,
      policies: policyDetails(store, sources, policies.source.budget().overBudget),
      leader: election.isLeader,
      ...Object.fromEntries(observing.flatMap(({ details }) => Object.entries(details?.() ?? {}))),
    },
  });
  const { host, healthPort: port } = config;
  const limits = { dropped: () => dropped.inc({ port: 'health' }), monotonic };
  const build = (): FastifyInstance => buildHealthApp(readiness, registry, limits);
  const health = new ListeningPort(build, { host, port, flag: '--health-port' });
  const ofFiles = files && filesPart(files, store, log);
  // The health port says what the later parts wait for. Pods are listed last: their listeners need policies.
  const parts = [ofFiles, health, policies, election, dashboard, ...observing].filter((part) => part !== undefined);
  await runner.start(parts);
  log.info({ host, healthPort: health.port, version: VERSION }, 'observing');
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    isStopping = true;
    // Another replica takes over at once.
    await election.stop();
    await runner.stop();
    log.info('stopped');
  };
  return {
    healthPort: health.port,
    dashboardPort: dashboard?.port,
    started: policies.read.then(() => undefined),
    stop: () => (stopping ??= stop()),
  };
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
    new MissedPart({
      ...context,
      webhookConfiguration,
      webhookInjects: addsProbes,
      snapshot: () => context.store.current,
    }),
    ...(learnsStarts ? [new StartsPart(context)] : []),
  ];
}
