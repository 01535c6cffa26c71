import { secureContextOptions } from './http/tls-settings.ts';
import type { Server } from 'node:https';
import type { Logger } from 'pino';
import type { CertificateListener } from './certificates/certificate-source.ts';
import type { PolledFilesListener } from './certificates/polled-files.ts';
import type { ServingPair } from './certificates/serving-pair.ts';

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

  /** Takes the first pair. */
  begin(pair: ServingPair): void {
    this.#pair = pair;
  }

  /** Takes the first CAs of callers. */
  requireCallersOf(clientCa: string): void {
    this.#clientCa = clientCa;
  }

  /**
   * For the source of the serving pair.
   *
   * @param isFromFiles whether the pair comes from files, for the log
   */
  pairListener(isFromFiles: boolean): CertificateListener {
    const log = this.#log;
    return {
      changed: (pair) => {
        this.#replacePair(pair);
      },
      failed: (problem) => {
        if (this.#pair === undefined) log.warn({ problem }, 'no serving certificate yet');
        else if (isFromFiles) log.error({ problem }, 'the certificate cannot be used; the last good one stays in use');
        else log.error({ problem }, 'the certificate cannot be renewed; the last good one stays in use');
      },
    };
  }

  /** For the file with the CAs of callers. */
  clientCaListener(): PolledFilesListener<string> {
    const log = this.#log;
    return {
      changed: (clientCa) => {
        this.#clientCa = clientCa;
        if (this.#pair !== undefined) this.#serveWith(this.#pair);
        log.info('CAs of callers changed');
      },
      failed: (problem) => {
        log.error({ problem }, 'the CAs of callers cannot be used; the last good ones stay in use');
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
