import { secureContextOptions } from './http/tls-settings.ts';
import type { Server } from 'node:https';
import type { Logger } from 'pino';
import type { CertificateListener, CertificateSource } from './certificates/certificate-source.ts';
import type { ClientCaFile } from './certificates/certificate-files.ts';
import type { MetricSources } from './http/metric-sources.ts';
import type { Part } from '../process/part.ts';
import type { ServingPair } from './certificates/pem.ts';

/**
 * The certificate that the webhook port serves with, and the CAs that callers' certificates must come from. Both are
 * swapped while the server runs: open connections go on under the old ones, new connections get the new ones.
 */
export class ServingTls {
  readonly #log: Logger;
  readonly #server: () => Server | undefined;
  #pair: ServingPair | undefined;
  #clientCa: string | undefined;

  /** @param server the running server; undefined while there is none */
  constructor(log: Logger, server: () => Server | undefined) {
    this.#log = log;
    this.#server = server;
  }

  /** The pair that is served, or will be served first; undefined before there is one. */
  get pair(): ServingPair | undefined {
    return this.#pair;
  }

  /** PEM; undefined when callers need no certificate. */
  get clientCa(): string | undefined {
    return this.#clientCa;
  }

  /**
   * The part that keeps the serving pair up to date. Starts once there is a pair, which in a cluster may take a while.
   */
  certificatePart(source: CertificateSource): Part<MetricSources> {
    return {
      start: async () => {
        this.#pair = await source.start(this.#pairListener(source.status === undefined));
      },
      stop: () => source.stop(),
      lead: (isLeader) => source.lead?.(isLeader),
      metrics: {
        certificateRotations: () => source.status?.().writes ?? [],
        bundlesSynced: () => {
          const synced = Object.entries(source.status?.().bundleSynced ?? {});
          return new Map(synced.filter((entry): entry is [string, boolean] => entry[1] !== undefined));
        },
        certificateExpiry: () => {
          const { caNotAfter: ca, nextNotAfter: next } = source.status?.() ?? {};
          return { leaf: this.#pair?.notAfter, ca, next };
        },
        certificateProblem: () => source.problem(),
      },
    };
  }

  /** The part that keeps the CAs of callers up to date. */
  clientCaPart(file: ClientCaFile): Part<MetricSources> {
    const log = this.#log;
    return {
      start: async () => {
        this.#clientCa = await file.start({
          changed: (clientCa) => {
            this.#clientCa = clientCa;
            if (this.#pair !== undefined) this.#serveWith(this.#pair);
            log.info('CAs of callers changed');
          },
          failed: (problem) =>
            log.error({ problem }, 'the CAs of callers cannot be used; the last good ones stay in use'),
        });
      },
      stop: () => file.stop(),
    };
  }

  /** @param isFromFiles whether the pair comes from files, for the log */
  #pairListener(isFromFiles: boolean): CertificateListener {
    const log = this.#log;
    return {
      changed: (pair) => this.#replacePair(pair),
      failed: (problem) => {
        if (this.#pair === undefined) log.warn({ problem }, 'no serving certificate yet');
        else if (isFromFiles) log.error({ problem }, 'the certificate cannot be used; the last good one stays in use');
        else log.error({ problem }, 'the certificate cannot be renewed; the last good one stays in use');
      },
    };
  }

  #replacePair(pair: ServingPair): void {
    const log = this.#log;
    try {
      this.#serveWith(pair);
      this.#pair = pair;
      log.info({ notAfter: new Date(pair.notAfter).toISOString() }, 'certificate changed');
    } catch (error) {
      log.error({ err: error }, 'the certificate cannot be used; the last good one stays in use');
    }
  }

  #serveWith({ cert, key }: ServingPair): void {
    this.#server()?.setSecureContext(secureContextOptions({ cert, key, clientCa: this.#clientCa }));
  }
}
