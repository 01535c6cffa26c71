import { setTimeout as sleep } from 'node:timers/promises';
import { PartRunner } from '../process/part.ts';
import { buildServingParts, type ServingParts } from './serving-parts.ts';
import { VERSION } from '../base/version.ts';
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
  const parts = await buildServingParts(config, dependencies, (isLeader) => {
    runner.lead(isLeader);
  });
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
