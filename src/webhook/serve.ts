import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { PolicyStore } from '../cluster/sources/policy-store.ts';
import { KNOWN_KINDS } from '../engine/workload/custom-kinds.ts';
import { loadWorkloadKinds } from '../cluster/sources/workload-kinds.ts';
import { certificateOrigin, openCertificates, type OpeningDependencies } from './open-certificates.ts';
import { PartRunner } from '../process/part.ts';
import { buildServingParts, type ServingClocks, type ServingParts } from './serving-parts.ts';
import { VERSION } from '../base/version.ts';
import type { ServeConfig } from './config.ts';
import type { ClusterParts } from './serve-cluster.ts';

/** The inputs of the server from the process. */
export type ServeDependencies = OpeningDependencies & ServingClocks;

/** A server that is being built or listens. */
export interface RunningServer {
  readonly healthPort: number;
  /**
   * The port that reviews are answered on, once it listens. In a cluster that may take a while: it needs a certificate.
   */
  readonly port: Promise<number>;
  /** Resolves once the port listens and all policies have been read for the first time. */
  readonly started: Promise<void>;
  /**
   * Stops serving. The server is not ready at once, then answers with `Connection: close` for the drain time so that
   * callers move away, then finishes what is in progress. A second call gives the promise of the first.
   */
  stop(drainSeconds: number): Promise<void>;
}

/**
 * Builds the parts and starts them in order. Rejects, with all parts stopped, when one cannot start for a reason that
 * will not go away: settings, files, a port. With a cluster, resolves once the health port listens: that port says what
 * the server still waits for.
 */
export async function startServer(config: ServeConfig, dependencies: ServeDependencies): Promise<RunningServer> {
  const { log } = dependencies;
  const runner = new PartRunner();
  const parts = await build(config, dependencies, (isLeader) => runner.lead(isLeader));
  const { health, webhook, cluster, store } = parts;
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
  let stopping: Promise<void> | undefined;
  return {
    port,
    started,
    healthPort: health.port,
    stop: (drainSeconds) => (stopping ??= shutDown(parts, runner, dependencies, drainSeconds)),
  };
}

/** Everything that can fail before a part is started: settings, credentials, a development pair. */
async function build(
  config: ServeConfig,
  dependencies: ServeDependencies,
  lead: (isLeader: boolean) => void,
): Promise<ServingParts> {
  const kinds = config.workloadKinds === undefined ? KNOWN_KINDS : await loadWorkloadKinds(config.workloadKinds);
  const store = new PolicyStore(CHECK_CATALOGUE, [
    ...(config.policies === undefined ? [] : (['files'] as const)),
    ...(config.cluster === undefined ? [] : (['cluster'] as const)),
  ]);
  const cluster = await clusterParts(config, store, dependencies, lead);
  const certificates = await openCertificates(certificateOrigin(config, cluster?.connection), dependencies);
  return buildServingParts(config, { store, kinds, cluster, certificates }, dependencies);
}

async function clusterParts(
  { cluster: config }: ServeConfig,
  store: PolicyStore,
  dependencies: ServeDependencies,
  lead: (isLeader: boolean) => void,
): Promise<ClusterParts | undefined> {
  if (config === undefined) return undefined;
  // Loaded when needed only: a server that has everything from files starts in half the time.
  const { buildClusterParts } = await import('./serve-cluster.ts');
  return buildClusterParts(config, store, { ...dependencies, lead });
}

async function shutDown(
  { webhook, cluster, drain }: ServingParts,
  runner: PartRunner,
  { log }: ServeDependencies,
  drainSeconds: number,
): Promise<void> {
  drain();
  log.info({ drainSeconds }, 'draining');
  // From now on another replica writes. This one goes on answering, and keeps its policies up to date.
  const resigned = cluster?.election.stop();
  if (webhook.server !== undefined) await sleep(drainSeconds * 1000);
  await runner.stop();
  await resigned;
  log.info('stopped');
}
