import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { KNOWN_KINDS } from '../engine/workload/custom-kinds.ts';
import { DirectorySource } from '../cluster/sources/directory-source.ts';
import { PolicyStore } from '../cluster/sources/policy-store.ts';
import { loadWorkloadKinds } from '../cluster/sources/workload-kinds.ts';
import { ClientCaFile } from './certificates/certificate-files.ts';
import { buildWebhookApp } from './http/app.ts';
import { buildHealthApp, type Readiness } from '../process/health.ts';
import { Metrics, type MetricSources } from './http/metrics.ts';
import { ListeningPort } from '../process/listening-port.ts';
import { openCertificates } from './open-certificates.ts';
import { requestLog } from './request-log.ts';
import { metricsOf, type Part } from '../process/part.ts';
import { filesPart, policyDetails, policySourcesStatus } from '../process/policies.ts';
import { ServingTls } from './serving-tls.ts';
import { COMMIT, VERSION } from '../base/version.ts';
import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { PolicySource } from '../cluster/sources/policy-source.ts';
import type { ServeConfig, ServeDependencies } from './config.ts';
import type { ClusterParts } from './serve-cluster.ts';

export interface ServingParts {
  readonly inOrder: readonly Part[];
  readonly store: PolicyStore;
  readonly cluster: ClusterParts | undefined;
  readonly health: ListeningPort;
  readonly webhook: ListeningPort;
  /** Makes the server not ready, and each further answer the last of its connection. */
  readonly drain: () => void;
}

/** Nothing is started. Rejects for what can fail before: settings, credentials, a development pair. */
export async function buildServingParts(
  config: ServeConfig,
  dependencies: ServeDependencies,
  lead: (isLeader: boolean) => void,
): Promise<ServingParts> {
  const { log, now, monotonic } = dependencies;
  const { host } = config;
  let isDraining = false;
  const kinds = config.workloadKinds === undefined ? KNOWN_KINDS : await loadWorkloadKinds(config.workloadKinds);
  const store = new PolicyStore(CHECK_CATALOGUE, [
    ...(config.policies === undefined ? [] : (['files'] as const)),
    ...(config.cluster === undefined ? [] : (['cluster'] as const)),
  ]);
  // Loaded when needed only: a server that has everything from files starts in half the time.
  const cluster =
    config.cluster &&
    (await (await import('./serve-cluster.ts')).buildClusterParts(config.cluster, store, { ...dependencies, lead }));
  const certificates = await openCertificates(config, cluster?.connection, dependencies);
  const files = config.policies === undefined ? undefined : new DirectorySource(CHECK_CATALOGUE, config.policies, now);
  const sources = [files, cluster?.policies.source].filter((source) => source !== undefined);
  const clientCaFile = config.clientCa === undefined ? undefined : new ClientCaFile(config.clientCa);
  const tls = new ServingTls(log, certificates, clientCaFile, () => webhook.server as Server | undefined);
  const beforeWebhook = [...(cluster === undefined ? [] : [cluster.policies, cluster.election]), ...tls.parts()];
  const metrics = buildMetrics(beforeWebhook, store, sources, now);
  const readiness = (): Readiness => {
    const policiesInForce = store.current?.policies.length;
    const overBudget = cluster?.policies.source.budget().overBudget;
    const certificate = tls.details(now());
    return {
      ready: !isDraining && policiesInForce !== undefined && webhook.isListening && !certificate.expired,
      details: {
        draining: isDraining,
        policies: policyDetails({ policiesInForce, sources: policySourcesStatus(sources), overBudget }),
        certificate,
        ...(cluster && { leader: cluster.election.isLeader }),
      },
    };
  };
  const healthAddress = { host, port: config.healthPort, flag: '--health-port' };
  const health = new ListeningPort(() => buildHealthApp(readiness, metrics, monotonic), healthAddress);
  const app = (): FastifyInstance => {
    const { clientCa, ...pair } = tls.settings;
    return buildWebhookApp({
      ...pair,
      callers: clientCa === undefined ? undefined : { ca: clientCa, names: config.clientNames },
      policies: () => store.current,
      ...cluster?.forReviews(config, { kinds, ended: (result) => metrics.effects.inc({ result }) }),
      mutation: config.mutation,
      enforcement: config.enforcement,
      kinds,
      controllers: config.controllers,
      draining: () => isDraining,
      metrics,
      log: requestLog(log, config.controllers, monotonic),
      now,
      monotonic,
      random: Math.random,
    });
  };
  const webhook: ListeningPort = new ListeningPort(app, { host, port: config.port, flag: '--port' });
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
  sources: readonly PolicySource[],
  now: () => number,
): Metrics {
  return new Metrics({
    policies: () => {
      const { problemCount, lastSync } = policySourcesStatus(sources);
      return { loaded: store.current?.policies.length ?? 0, problems: problemCount, lastSync };
    },
    leader: () => false,
    now,
    build: { version: VERSION, commit: COMMIT },
    ...metricsOf(parts),
  });
}
