import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '../base/version.ts';
import { DirectorySource } from '../cluster/sources/directory-source.ts';
import { PolicyStore } from '../cluster/sources/policy-store.ts';
import { loadWorkloadKinds } from '../cluster/sources/workload-kinds.ts';
import { buildHealthApp, type Readiness } from '../process/health.ts';
import { ListeningPort } from '../process/listening-port.ts';
import { PartRunner } from '../process/part.ts';
import { filesPart, policyDetails, policyFigures } from '../process/policies.ts';
import { clientCaFile } from './certificates/certificate-files.ts';
import { openCertificates } from './certificates/open-certificates.ts';
import { servingTls } from './certificates/serving-tls.ts';
import { buildWebhookApp } from './http/app.ts';
import { Metrics, type EffectResult } from './http/metrics.ts';
import { requestLog } from './request-log.ts';
import { decide } from './review/decide.ts';
import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { ServeConfig, ServeDependencies } from './config.ts';

export interface RunningServer {
  readonly healthPort: number;
  /** Once it listens. In a cluster that may take a while: it needs a certificate. */
  readonly port: Promise<number>;
  /** Resolves once the port listens and all policies have been read for the first time. */
  readonly started: Promise<void>;
  /**
   * Not ready at once, then answers with `Connection: close` for the drain time, then finishes what is in progress.
   */
  stop(drainSeconds: number): Promise<void>;
}

/**
 * Builds the parts and starts them in order. Rejects when one cannot start for a reason that will not go away:
 * settings, files, a port. With a cluster, resolves once the health port listens, which says what is waited for.
 */
export async function startServer(config: ServeConfig, dependencies: ServeDependencies): Promise<RunningServer> {
  const { log } = dependencies;
  const runner = new PartRunner();
  const parts = await buildParts(config, dependencies, (isLeader) => runner.lead(isLeader));
  const { health, webhook, cluster, store, drain } = parts;
  const port = runner.start(parts.inOrder).then(() => {
    const policies = store.current?.policies.length;
    const ports = { port: webhook.port, healthPort: health.port };
    log.info({ host: config.host, ...ports, policies, version: VERSION }, 'serving');
    return webhook.port;
  });
  // A failure is reported to those who wait for the port. A failure that nobody waits for must not end the process.
  port.catch(() => undefined);
  await (cluster === undefined ? port : Promise.race([health.listening, port]));
  const started = Promise.all([port, cluster?.policies.read]).then(() => undefined);
  started.catch(() => undefined);
  const shutDown = async (drainSeconds: number): Promise<void> => {
    drain();
    log.info({ drainSeconds }, 'draining');
    // From now on another replica writes. This one goes on answering, and keeps its policies up to date.
    const resigned = cluster?.election.stop();
    if (webhook.server !== undefined) await sleep(drainSeconds * 1000);
    await runner.stop();
    await resigned;
    log.info('stopped');
  };
  let stopping: Promise<void> | undefined;
  const stop = (drainSeconds: number): Promise<void> => (stopping ??= shutDown(drainSeconds));
  return { port, started, healthPort: health.port, stop };
}

/**
 * Nothing is started. Rejects for what can fail before: settings, credentials, a development pair. `drain` makes the
 * server not ready, and each further answer the last of its connection.
 */
async function buildParts(config: ServeConfig, dependencies: ServeDependencies, lead: (isLeader: boolean) => void) {
  const { log, now, monotonic } = dependencies;
  let isDraining = false;
  const kinds = await loadWorkloadKinds(config.workloadKinds);
  const store = new PolicyStore([
    ...(config.policies === undefined ? [] : (['files'] as const)),
    ...(config.cluster === undefined ? [] : (['cluster'] as const)),
  ]);
  // Loaded when needed only: a server that has everything from files starts in half the time.
  const given = { ...dependencies, lead, kinds, ended: (result: EffectResult) => metrics.effects.inc({ result }) };
  const cluster =
    config.cluster &&
    (await (await import('./serve-cluster.ts')).buildClusterParts(config.cluster, config, store, given));
  const certificates = await openCertificates(config, cluster?.connection, dependencies, (step, result) =>
    metrics.certificateWrites.inc({ step, result }),
  );
  const files = config.policies === undefined ? undefined : new DirectorySource(config.policies, now);
  const sources = [files, cluster?.policies.source].filter((source) => source !== undefined);
  const callerCas = config.clientCa === undefined ? undefined : clientCaFile(config.clientCa);
  const tls = servingTls(log, certificates, callerCas, () => webhook.server as Server | undefined, now);
  const ofCluster = cluster === undefined ? [] : [cluster.policies, cluster.election];
  const beforeWebhook = [...ofCluster, ...tls.parts];
  const metrics = new Metrics({
    policies: () => policyFigures(store, sources),
    ...cluster?.policies.metrics,
    certificates: () => tls.figures(now()),
    leader: () => cluster?.election.isLeader === true,
    now,
  });
  const readiness = (): Readiness => {
    const certificate = tls.details(now());
    return {
      ready: !isDraining && store.current !== undefined && webhook.isListening && !certificate.expired,
      details: {
        draining: isDraining,
        policies: policyDetails(store, sources, cluster?.policies.source.budget().overBudget),
        certificate,
        ...(cluster && { leader: cluster.election.isLeader }),
      },
    };
  };
  const limits = { dropped: () => metrics.connectionDropped('health'), monotonic };
  const healthApp = (): FastifyInstance => buildHealthApp(readiness, metrics.registry, limits);
  const health = new ListeningPort(healthApp, { host: config.host, port: config.healthPort, flag: '--health-port' });
  const { enforcement, mutation, controllers } = config;
  const settings = { policies: () => store.current, now, kinds, enforcement, mutation, controllers };
  const app = (): FastifyInstance => {
    const { clientCa, ...pair } = tls.settings();
    return buildWebhookApp({
      ...pair,
      callers: clientCa === undefined ? undefined : { ca: clientCa, names: config.clientNames },
      decide: (webhookName, request) => decide(webhookName, request, settings),
      ...cluster?.forReviews,
      denialContact: config.denialContact,
      draining: () => isDraining,
      metrics,
      log: requestLog(log, controllers, monotonic),
      monotonic,
      random: Math.random,
    });
  };
  const webhook: ListeningPort = new ListeningPort(app, { host: config.host, port: config.port, flag: '--port' });
  // The health port says what the later parts wait for. The webhook port is last: a request that it takes can be
  // answered.
  const inOrder = [...(files === undefined ? [] : [filesPart(files, store, log)]), health, ...beforeWebhook, webhook];
  const drain = (): void => void (isDraining = true);
  return { inOrder, store, cluster, health, webhook, drain };
}
