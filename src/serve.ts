import { CertificateFiles } from './certificates/certificate-files.ts';
import { ClientCaFile } from './certificates/client-ca-file.ts';
import { DirectorySource } from './sources/directory-source.ts';
import { formatSourceProblem } from './sources/policy-source.ts';
import { PolicyStore } from './sources/policy-store.ts';
import { buildHealthApp } from './server/health.ts';
import { buildWebhookApp } from './server/app.ts';
import { Metrics } from './server/metrics.ts';
import { secureContextOptions } from './server/tls-settings.ts';
import { KNOWN_KINDS } from './workload/custom-kinds.ts';
import { loadWorkloadKinds } from './sources/workload-kinds.ts';
import { loadClusterAccess } from './kubernetes/cluster-access.ts';
import { requestLog } from './log.ts';
import { COMMIT, VERSION } from './version.ts';
import type { AddressInfo, Socket } from 'node:net';
import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ServingPair } from './certificates/serving-pair.ts';
import type { ClusterParts } from './serve-cluster.ts';
import type { WorkloadKind } from './workload/kinds.ts';
import type { ClusterConfig, ServeConfig } from './config.ts';
import type { Readiness } from './server/health.ts';
import type { PolicySnapshot, PolicySource, SourceListener } from './sources/policy-source.ts';
import type { PolicyOrigin } from './sources/policy-store.ts';

/** What the server is given by its surroundings. */
export interface Surroundings {
  readonly log: Logger;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
  /** A clock, in milliseconds, that stands still while the event loop waits. */
  readonly busy: () => number;
}

/** A server that is being built or listens. */
export interface RunningServer {
  readonly healthPort: number;
  /** The port that reviews are answered on, once there is a certificate to listen with: in a cluster that may take a while. */
  readonly port: Promise<number>;
  /** Resolves once the port listens and all policies have been read for the first time. */
  readonly started: Promise<void>;
  /**
   * Stops serving: not ready at once, then answers with `Connection: close` for the drain time so that callers move away, then
   * finishes what is under way.
   */
  stop(drainSeconds: number): Promise<void>;
}

/** Where a serving pair is read from. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * Builds the parts and starts them in order. Rejects with everything undone when one cannot start for a reason that will not go away:
 * settings, files, a port. What a cluster has yet to give is waited for, with the health port telling what is missing.
 *
 * @param tls undefined when the serving pair is looked after in the cluster
 */
export async function startServer(
  config: ServeConfig,
  tls: TlsFiles | undefined,
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
  readonly #store: PolicyStore;
  readonly #files: DirectorySource | undefined;
  readonly #tlsFiles: CertificateFiles | undefined;
  readonly #clientCaFile: ClientCaFile | undefined;
  readonly #metrics: Metrics;
  #cluster: ClusterParts | undefined;
  #kinds: readonly WorkloadKind[] = KNOWN_KINDS;
  #pair: ServingPair | undefined;
  #clientCa: string | undefined;
  #draining = false;
  #webhook: FastifyInstance | undefined;
  #health: FastifyInstance | undefined;

  constructor(config: ServeConfig, tls: TlsFiles | undefined, surroundings: Surroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
    const { policies, cluster } = config;
    this.#store = new PolicyStore([
      ...(policies === undefined ? [] : (['files'] as const)),
      ...(cluster === undefined ? [] : (['cluster'] as const)),
    ]);
    this.#files = policies === undefined ? undefined : new DirectorySource(policies, surroundings.now);
    this.#tlsFiles = tls && new CertificateFiles(tls.certFile, tls.keyFile);
    this.#clientCaFile = config.clientCa === undefined ? undefined : new ClientCaFile(config.clientCa);
    this.#metrics = new Metrics({
      policies: () => ({
        loaded: this.#store.current?.policies.length ?? 0,
        problems: this.#policyProblemCount(),
        lastSync: this.#lastSync(),
      }),
      policyBudget: () => this.#cluster?.source.budget(),
      certificateExpiry: () => ({ leaf: this.#pair?.notAfter, ...this.#cluster?.certificateExpiry() }),
      certificateProblem: () => (this.#tlsFiles ?? this.#cluster?.certificates)?.problem(),
      certificateRotations: () => this.#cluster?.certificateRotations() ?? [],
      statusesSetAside: () => this.#cluster?.statusesSetAside() ?? {},
      bundlesSynced: () => this.#cluster?.bundlesSynced() ?? new Map<string, boolean>(),
      leader: () => this.#cluster?.isLeader ?? false,
      now: surroundings.now,
      build: { version: VERSION, commit: COMMIT },
    });
  }

  async start(): Promise<RunningServer> {
    if (this.#config.workloadKinds !== undefined) this.#kinds = await loadWorkloadKinds(this.#config.workloadKinds);
    if (this.#config.cluster !== undefined) await this.#joinCluster(this.#config.cluster);
    if (this.#files !== undefined) this.#store.replace('files', await this.#files.start(this.#policyListener('files')));
    this.#health = buildHealthApp(() => this.#readiness(), this.#metrics, this.#surroundings.monotonic);
    keepTrack(this.#health);
    await this.#health.listen({ host: this.#config.host, port: this.#config.healthPort });
    const port = this.#listen();
    // Whoever waits for the port is told of a failure; that nobody waits is no reason to end the process.
    port.catch(() => undefined);
    if (this.#cluster === undefined) await port;
    const policies = this.#cluster && this.#startCluster(this.#cluster);
    const started = Promise.all([port, policies]).then(() => undefined);
    started.catch(() => undefined);
    return { port, started, healthPort: portOf(this.#health), stop: (drainSeconds) => this.#stop(drainSeconds) };
  }

  async #joinCluster(config: ClusterConfig): Promise<void> {
    // Loaded when needed only: a server that has everything from files starts in half the time.
    const { ClusterParts } = await import('./serve-cluster.ts');
    const access = await loadClusterAccess(config.kubeconfig);
    const labelsMatter = (): boolean => this.#store.current?.looksAtNamespaceLabels ?? true;
    this.#cluster = new ClusterParts(access, config, this.#tlsFiles !== undefined, labelsMatter, {
      ...this.#surroundings,
      random: Math.random,
    });
  }

  /** Resolves once the policies have been read, or never. */
  #startCluster(cluster: ClusterParts): Promise<void> {
    const { log } = this.#surroundings;
    const read = cluster.source
      .start(this.#policyListener('cluster'))
      .then((snapshot) => {
        this.#store.replace('cluster', snapshot);
        log.info({ policies: this.#store.current?.policies.length }, 'policies of the cluster read');
      })
      .catch((error: unknown) => {
        if (!this.#draining) log.error({ err: error }, 'the policies of the cluster cannot be read');
        return new Promise<never>(() => undefined);
      });
    cluster.start();
    return read;
  }

  /** Listens as soon as there is a certificate to listen with. */
  async #listen(): Promise<number> {
    const { log, monotonic, busy } = this.#surroundings;
    await this.#readClientCa();
    const certificates = this.#tlsFiles ?? this.#cluster?.certificates;
    if (certificates === undefined) throw new Error('there is no certificate to serve with');
    this.#pair = await certificates.start({
      changed: (pair) => {
        this.#replacePair(pair);
      },
      failed: (problem) => {
        if (this.#pair === undefined) log.warn({ problem }, 'no certificate to serve with yet');
        else if (this.#tlsFiles !== undefined)
          log.error({ problem }, 'certificate not usable, keeping the last good one');
        else log.error({ problem }, 'certificates cannot be looked after, serving the last good one');
      },
    });
    this.#webhook = buildWebhookApp({
      cert: this.#pair.cert,
      key: this.#pair.key,
      callers: this.#clientCa === undefined ? undefined : { ca: this.#clientCa, names: this.#config.clientNames },
      policies: () => this.#store.current,
      ...(this.#cluster && {
        namespaceKnown: (namespace: string, client: string) => this.#cluster?.source.namespaceKnown(namespace, client),
      }),
      mutation: this.#config.mutation,
      enforcement: this.#config.enforcement,
      kinds: this.#kinds,
      controllers: this.#config.controllers,
      draining: () => this.#draining,
      metrics: this.#metrics,
      log: requestLog(log),
      monotonic,
      busy,
      random: Math.random,
    });
    keepTrack(this.#webhook);
    const { host } = this.#config;
    await this.#webhook.listen({ host, port: this.#config.port });
    const port = portOf(this.#webhook);
    const healthPort = this.#health && portOf(this.#health);
    log.info({ host, port, healthPort, policies: this.#store.current?.policies.length, version: VERSION }, 'serving');
    return port;
  }

  #policyListener(origin: PolicyOrigin): SourceListener {
    const { log } = this.#surroundings;
    let policies: PolicySnapshot['policies'] | undefined;
    return {
      changed: (snapshot) => {
        this.#store.replace(origin, snapshot);
        // Labels of namespaces change many times a minute in some clusters, and few policies look at them.
        if (snapshot.policies !== policies)
          log.info({ origin, policies: this.#store.current?.policies.length }, 'policies changed');
        ({ policies } = snapshot);
      },
      failed: (problems) => {
        const message = POLICY_FAILURES[origin];
        for (const problem of problems) log.error({ origin, problem: formatSourceProblem(problem) }, message);
      },
      troubled: (problem) => {
        if (problem === undefined) log.info({ origin }, 'policies are kept up to date again');
        else if (this.#store.current === undefined)
          log.warn({ origin, problem }, 'no contact with where policies come from yet');
        else log.warn({ origin, problem }, 'no contact with where policies come from, answering from memory');
      },
    };
  }

  async #readClientCa(): Promise<void> {
    const { log } = this.#surroundings;
    this.#clientCa = await this.#clientCaFile?.start({
      changed: (ca) => {
        this.#clientCa = ca;
        if (this.#pair !== undefined) this.#serveWith(this.#pair);
        log.info('CAs of callers changed');
      },
      failed: (problem) => {
        log.error({ problem }, 'CAs of callers not usable, keeping the last good ones');
      },
    });
  }

  #replacePair(pair: ServingPair): void {
    const { log } = this.#surroundings;
    try {
      this.#serveWith(pair);
      this.#pair = pair;
      log.info({ notAfter: new Date(pair.notAfter).toISOString() }, 'certificate changed');
    } catch (error) {
      log.error({ err: error }, 'certificate not usable, keeping the last good one');
    }
  }

  /** Open connections go on under the old certificate and the old CAs; new ones get the new ones. */
  #serveWith({ cert, key }: ServingPair): void {
    const server = this.#webhook?.server as Server | undefined;
    server?.setSecureContext(secureContextOptions({ cert, key, clientCa: this.#clientCa }));
  }

  #readiness(): Readiness {
    const notAfter = this.#pair?.notAfter;
    const expired = notAfter !== undefined && notAfter <= this.#surroundings.now();
    const isListening = this.#webhook?.server.listening === true;
    const certificateProblems = [
      (this.#tlsFiles ?? this.#cluster?.certificates)?.problem(),
      this.#clientCaFile?.problem(),
    ];
    return {
      ready: !this.#draining && this.#store.current !== undefined && isListening && !expired,
      details: {
        draining: this.#draining,
        policies: {
          source: this.#sources()
            .map((source) => source.status().description)
            .join(', '),
          inForce: this.#store.current?.policies.length ?? 0,
          lastSync: isoTime(this.#lastSync()),
          problems: this.#policyProblems(),
          problemCount: this.#policyProblemCount(),
          ...(this.#cluster && { overBudget: this.#cluster.source.budget().overBudget }),
          troubles: this.#sources().flatMap((source) => source.status().troubles ?? []),
        },
        certificate: {
          notAfter: isoTime(notAfter),
          expired,
          problems: certificateProblems.filter((problem) => problem !== undefined),
        },
        ...(this.#cluster && { leader: this.#cluster.isLeader }),
      },
    };
  }

  #sources(): readonly PolicySource[] {
    return [this.#files, this.#cluster?.source].filter((source) => source !== undefined);
  }

  #policyProblems(): readonly string[] {
    return this.#sources().flatMap((source) => source.status().problems);
  }

  #policyProblemCount(): number {
    const counts = this.#sources().map((source) => source.status());
    return counts.reduce((sum, { problems, problemCount = problems.length }) => sum + problemCount, 0);
  }

  /** When all that policies come from was last known to be the newest. */
  #lastSync(): number | undefined {
    const times = this.#sources().map((source) => source.status().lastSync);
    return times.includes(undefined) ? undefined : Math.min(...times.filter((time) => time !== undefined));
  }

  async #stop(drainSeconds: number): Promise<void> {
    const { log } = this.#surroundings;
    if (this.#draining) return;
    this.#draining = true;
    log.info({ drainSeconds }, 'draining');
    // Answers stay right until the end; writing is another's from now on.
    const resigned = this.#cluster?.resign();
    if (this.#webhook !== undefined) await new Promise((resolve) => setTimeout(resolve, drainSeconds * 1000));
    await this.close();
    await resigned;
    log.info('stopped');
  }

  async close(): Promise<void> {
    this.#draining = true;
    this.#files?.stop();
    this.#tlsFiles?.stop();
    this.#clientCaFile?.stop();
    const apps = [this.#webhook, this.#health].filter((app) => app !== undefined);
    await Promise.all([this.#cluster?.stop(), ...apps.map((app) => closeWithin(app, CLOSE_MILLISECONDS))]);
  }
}

/** Files count together, objects of the API one by one. */
const POLICY_FAILURES: Readonly<Record<PolicyOrigin, string>> = {
  files: 'policy not usable, keeping the last good set',
  cluster: 'policy not usable, its last good version stays in force if there is one',
};

function isoTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
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
