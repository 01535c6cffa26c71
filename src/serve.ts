import { CertificateFiles } from './certificates/certificate-files.ts';
import { formatFileProblem } from './sources/policy-documents.ts';
import { DirectorySource } from './sources/directory-source.ts';
import { PolicyStore } from './sources/policy-store.ts';
import { buildHealthApp } from './server/health.ts';
import { buildWebhookApp } from './server/app.ts';
import { Metrics } from './server/metrics.ts';
import { KNOWN_KINDS } from './workload/custom-kinds.ts';
import { loadWorkloadKinds } from './sources/workload-kinds.ts';
import { requestLog } from './log.ts';
import { COMMIT, VERSION } from './version.ts';
import type { AddressInfo, Socket } from 'node:net';
import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { CertificateSource } from './certificates/certificate-source.ts';
import type { ServingPair } from './certificates/serving-pair.ts';
import type { WorkloadKind } from './workload/kinds.ts';
import type { ServeConfig } from './config.ts';
import type { Readiness } from './server/health.ts';
import type { PolicySource, SourceListener } from './sources/policy-source.ts';

/** What the server is given by its surroundings. */
export interface Surroundings {
  readonly log: Logger;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
}

/** A server that listens. */
export interface RunningServer {
  readonly port: number;
  readonly healthPort: number;
  /**
   * Stops serving: not ready at once, then answers with `Connection: close` for the drain time so that callers move away, then
   * finishes what is under way.
   */
  stop(drainSeconds: number): Promise<void>;
}

/** Builds the parts, starts them in order, and rejects with everything undone when one cannot start. */
export async function startServer(
  config: ServeConfig,
  tls: { certFile: string; keyFile: string },
  surroundings: Surroundings,
): Promise<RunningServer> {
  const server = new ServerParts(config, tls, surroundings);
  try {
    return await server.start();
  } catch (error) {
    await server.close();
    throw error;
  }
}

class ServerParts {
  readonly #config: ServeConfig;
  readonly #surroundings: Surroundings;
  readonly #store = new PolicyStore();
  readonly #source: PolicySource;
  readonly #certificates: CertificateSource;
  readonly #metrics: Metrics;
  #kinds: readonly WorkloadKind[] = KNOWN_KINDS;
  #pair: ServingPair | undefined;
  #draining = false;
  #webhook: FastifyInstance | undefined;
  #health: FastifyInstance | undefined;

  constructor(config: ServeConfig, tls: { certFile: string; keyFile: string }, surroundings: Surroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
    this.#source = new DirectorySource(config.policies, surroundings.now);
    this.#certificates = new CertificateFiles(tls.certFile, tls.keyFile);
    this.#metrics = new Metrics({
      policies: () => {
        const { problems, lastSync } = this.#source.status();
        return { loaded: this.#store.current?.policies.length ?? 0, problems: problems.length, lastSync };
      },
      certificateExpiry: () => this.#pair?.notAfter,
      build: { version: VERSION, commit: COMMIT },
    });
  }

  async start(): Promise<RunningServer> {
    const { log, monotonic } = this.#surroundings;
    if (this.#config.workloadKinds !== undefined) this.#kinds = await loadWorkloadKinds(this.#config.workloadKinds);
    this.#store.replace(await this.#source.start(this.#policyListener()));
    this.#pair = await this.#certificates.start({
      changed: (pair) => {
        this.#replacePair(pair);
      },
      failed: (problem) => {
        log.error({ problem }, 'certificate not usable, keeping the last good one');
      },
    });
    this.#webhook = buildWebhookApp({
      cert: this.#pair.cert,
      key: this.#pair.key,
      policies: () => this.#store.current,
      mutation: this.#config.mutation,
      enforcement: this.#config.enforcement,
      kinds: this.#kinds,
      draining: () => this.#draining,
      metrics: this.#metrics,
      log: requestLog(log),
      monotonic,
    });
    this.#health = buildHealthApp(() => this.#readiness(), this.#metrics);
    keepTrack(this.#webhook);
    keepTrack(this.#health);
    const { host } = this.#config;
    await this.#webhook.listen({ host, port: this.#config.port });
    await this.#health.listen({ host, port: this.#config.healthPort });
    const [port, healthPort] = [portOf(this.#webhook), portOf(this.#health)];
    log.info({ host, port, healthPort, policies: this.#store.current?.policies.length, version: VERSION }, 'serving');
    return { port, healthPort, stop: (drainSeconds) => this.#stop(drainSeconds) };
  }

  #policyListener(): SourceListener {
    const { log } = this.#surroundings;
    return {
      changed: (snapshot) => {
        this.#store.replace(snapshot);
        log.info({ policies: snapshot.policies.length }, 'policies changed');
      },
      failed: (problems) => {
        for (const problem of problems)
          log.error({ problem: formatFileProblem(problem) }, 'policy not usable, keeping the last good set');
      },
    };
  }

  #replacePair(pair: ServingPair): void {
    const { log } = this.#surroundings;
    try {
      // Open connections go on under the old certificate; new ones get the new one.
      (this.#webhook?.server as Server | undefined)?.setSecureContext({
        cert: pair.cert,
        key: pair.key,
        minVersion: 'TLSv1.2',
      });
      this.#pair = pair;
      log.info({ notAfter: new Date(pair.notAfter).toISOString() }, 'certificate changed');
    } catch (error) {
      log.error({ err: error }, 'certificate not usable, keeping the last good one');
    }
  }

  #readiness(): Readiness {
    const { description, problems, lastSync } = this.#source.status();
    const notAfter = this.#pair?.notAfter;
    const expired = notAfter !== undefined && notAfter <= this.#surroundings.now();
    const certificateProblem = this.#certificates.problem();
    return {
      ready: !this.#draining && this.#store.current !== undefined && notAfter !== undefined && !expired,
      details: {
        draining: this.#draining,
        policies: {
          source: description,
          inForce: this.#store.current?.policies.length ?? 0,
          lastSync: lastSync === undefined ? null : new Date(lastSync).toISOString(),
          problems,
        },
        certificate: {
          notAfter: notAfter === undefined ? null : new Date(notAfter).toISOString(),
          expired,
          problems: certificateProblem === undefined ? [] : [certificateProblem],
        },
      },
    };
  }

  async #stop(drainSeconds: number): Promise<void> {
    const { log } = this.#surroundings;
    if (this.#draining) return;
    this.#draining = true;
    log.info({ drainSeconds }, 'draining');
    await new Promise((resolve) => setTimeout(resolve, drainSeconds * 1000));
    await this.close();
    log.info('stopped');
  }

  async close(): Promise<void> {
    this.#source.stop();
    this.#certificates.stop();
    const apps = [this.#webhook, this.#health].filter((app) => app !== undefined);
    await Promise.all(apps.map((app) => closeWithin(app, CLOSE_MILLISECONDS)));
  }
}

/** How long requests that are under way may take to finish once the server closes. */
const CLOSE_MILLISECONDS = 3000;

/**
 * Closes an app. Node waits for connections that have sent no request, or half of one, for as long as they stay open: they are cut off when the time
 * is over.
 */
async function closeWithin(app: FastifyInstance, milliseconds: number): Promise<void> {
  const cutOff = setTimeout(() => {
    for (const socket of connections.get(app) ?? []) socket.destroy();
  }, milliseconds);
  await app.close();
  clearTimeout(cutOff);
}

/** The open connections of each app, below TLS. */
const connections = new WeakMap<FastifyInstance, Set<Socket>>();

function keepTrack(app: FastifyInstance): void {
  const open = new Set<Socket>();
  connections.set(app, open);
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}
