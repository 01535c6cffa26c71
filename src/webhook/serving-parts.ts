import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { ClientCaFile } from './certificates/certificate-files.ts';
import { buildWebhookApp } from './http/app.ts';
import { buildHealthApp, type Readiness } from '../process/health.ts';
import { Metrics } from './http/metrics.ts';
import { DirectorySource } from '../cluster/sources/directory-source.ts';
import { ListeningPort } from '../process/listening-port.ts';
import { requestLog } from './request-log.ts';
import { metricsOf, type Part } from '../process/part.ts';
import { filesPart, policySourcesStatus, type PolicySourcesStatus } from '../process/policies.ts';
import { policyEffect } from './policy-effect.ts';
import { readinessOf } from './readiness.ts';
import { ServingTls } from './serving-tls.ts';
import { COMMIT, VERSION } from '../base/version.ts';
import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { CertificateSource } from './certificates/certificate-source.ts';
import type { Logger } from 'pino';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { MetricSources } from './http/metric-sources.ts';
import type { WorkloadKind } from '../engine/workload/kinds.ts';
import type { ServeConfig } from './config.ts';
import type { ClusterParts } from './serve-cluster.ts';

/** The log and the clocks that serving works with, in milliseconds. */
export interface ServingClocks {
  readonly log: Logger;
  /** The wall clock, since the epoch. */
  readonly now: () => number;
  /** Never goes back. */
  readonly monotonic: () => number;
}

/** The inputs from which the parts are built. */
export interface ServingInputs {
  readonly store: PolicyStore;
  /** The kinds that `/validate` looks into. */
  readonly kinds: readonly WorkloadKind[];
  /** Undefined without a cluster. */
  readonly cluster: ClusterParts | undefined;
  readonly certificates: CertificateSource;
}

/** The parts of a server. */
export interface ServingParts {
  /** All parts, in the order in which they start. */
  readonly inOrder: readonly Part[];
  readonly store: PolicyStore;
  readonly cluster: ClusterParts | undefined;
  readonly health: ListeningPort;
  readonly webhook: ListeningPort;
  /** Makes the server not ready, and each further answer the last of its connection. */
  readonly drain: () => void;
}

/** Puts the parts together; nothing is started. */
export function buildServingParts(config: ServeConfig, inputs: ServingInputs, clocks: ServingClocks): ServingParts {
  const { store, cluster, certificates } = inputs;
  const { log, now, monotonic } = clocks;
  const { host } = config;
  let isDraining = false;

  const files = config.policies === undefined ? undefined : new DirectorySource(CHECK_CATALOGUE, config.policies, now);
  const sources = [files, cluster?.policies.source].filter((source) => source !== undefined);
  const clientCaFile = config.clientCa === undefined ? undefined : new ClientCaFile(config.clientCa);
  const tls = new ServingTls(log, (): Server | undefined => webhook.server as Server | undefined);
  const beforeWebhook: readonly Part<MetricSources>[] = [
    ...(cluster === undefined ? [] : [cluster.policies, cluster.election]),
    ...(clientCaFile === undefined ? [] : [tls.clientCaPart(clientCaFile)]),
    tls.certificatePart(certificates),
  ];
  const metrics = buildMetrics(beforeWebhook, store, () => policySourcesStatus(sources), now);

  const readiness = (): Readiness =>
    readinessOf(
      {
        isDraining,
        isListening: webhook.isListening,
        policiesInForce: store.current?.policies.length,
        sources: policySourcesStatus(sources),
        overBudget: cluster?.policies.source.budget().overBudget,
        certificateNotAfter: tls.pair?.notAfter,
        certificateProblems: [certificates.problem(), clientCaFile?.problem()],
        isLeader: cluster?.election.isLeader,
      },
      now(),
    );
  const health = new ListeningPort(() => buildHealthApp(readiness, metrics, monotonic), {
    host,
    port: config.healthPort,
    flag: '--health-port',
  });
  const webhook: ListeningPort = new ListeningPort(
    () => webhookApp(config, inputs, tls, metrics, () => isDraining, clocks),
    { host, port: config.port, flag: '--port' },
  );
  // The health port says what the later parts wait for. The webhook port is last: a request that it takes can be
  // answered.
  const inOrder = [...(files === undefined ? [] : [filesPart(files, store, log)]), health, ...beforeWebhook, webhook];
  const drain = (): void => {
    isDraining = true;
  };
  return { inOrder, store, cluster, health, webhook, drain };
}

function buildMetrics(
  parts: readonly Part<MetricSources>[],
  store: PolicyStore,
  sources: () => PolicySourcesStatus,
  now: () => number,
): Metrics {
  const withoutParts: MetricSources = {
    policies: () => {
      const { problemCount, lastSync } = sources();
      return { loaded: store.current?.policies.length ?? 0, problems: problemCount, lastSync };
    },
    certificateExpiry: () => ({}),
    certificateProblem: () => undefined,
    certificateRotations: () => [],
    statusesSetAside: () => ({}),
    bundlesSynced: () => new Map(),
    leader: () => false,
    now,
    build: { version: VERSION, commit: COMMIT },
  };
  return new Metrics({ ...withoutParts, ...metricsOf(parts) });
}

/** The app with the certificate that there is by now. */
function webhookApp(
  config: ServeConfig,
  { store, kinds, cluster }: ServingInputs,
  tls: ServingTls,
  metrics: Metrics,
  draining: () => boolean,
  { log, now, monotonic }: ServingClocks,
): FastifyInstance {
  const { pair, clientCa } = tls;
  if (pair === undefined) throw new Error('there is no certificate to serve with');
  const effect =
    cluster && policyEffect({ connection: cluster.connection, store, kinds }, config, metrics, { log, now, monotonic });
  return buildWebhookApp({
    cert: pair.cert,
    key: pair.key,
    callers: clientCa === undefined ? undefined : { ca: clientCa, names: config.clientNames },
    policies: () => store.current,
    ...(cluster && {
      exceptionMatched: (namespace: string, name: string) =>
        cluster.policies.exceptionStatuses?.matched(namespace, name, now()),
      namespaceKnown: (namespace: string, client: string) => cluster.policies.source.namespaceKnown(namespace, client),
    }),
    ...(effect && { policyEffect: effect }),
    mutation: config.mutation,
    enforcement: config.enforcement,
    kinds,
    controllers: config.controllers,
    draining,
    metrics,
    log: requestLog(log, config.controllers, monotonic),
    now,
    monotonic,
    random: Math.random,
  });
}
