import { isoTimeOrNull } from '../process/policies.ts';
import { secureContextOptions } from './http/tls-settings.ts';
import type { Server } from 'node:https';
import type { Logger } from 'pino';
import type { CertificateSource } from './certificates/certificate-source.ts';
import type { ClientCaFile } from './certificates/certificate-files.ts';
import type { MetricSources } from './http/metrics.ts';
import type { Part } from '../process/part.ts';
import type { ServingPair } from './certificates/pem.ts';

/**
 * The serving certificate, and the CAs of callers. Both are swapped while the server runs: open connections go on
 * under the old ones.
 */
export class ServingTls {
  readonly #log: Logger;
  readonly #source: CertificateSource;
  readonly #clientCaFile: ClientCaFile | undefined;
  readonly #server: () => Server | undefined;
  #pair: ServingPair | undefined;
  #clientCa: string | undefined;

  /** @param server the running server; undefined while there is none */
  constructor(
    log: Logger,
    source: CertificateSource,
    clientCaFile: ClientCaFile | undefined,
    server: () => Server | undefined,
  ) {
    this.#log = log;
    this.#source = source;
    this.#clientCaFile = clientCaFile;
    this.#server = server;
  }

  /** What the app starts with: the pair that there is by now, and the CAs of callers, in PEM. */
  get settings(): ServingPair & { readonly clientCa: string | undefined } {
    if (this.#pair === undefined) throw new Error('there is no certificate to serve with');
    return { ...this.#pair, clientCa: this.#clientCa };
  }

  /** The entry about the certificate in the answer of `/readyz`. */
  details(now: number): { readonly notAfter: string | null; readonly expired: boolean; readonly problems: string[] } {
    const notAfter = this.#pair?.notAfter;
    const problems = [this.#source.problem(), this.#clientCaFile?.problem()].filter((problem) => problem !== undefined);
    return { notAfter: isoTimeOrNull(notAfter), expired: notAfter !== undefined && notAfter <= now, problems };
  }

  /** The parts that keep both up to date. The last one starts once there is a pair, which may take a while. */
  parts(): readonly Part<MetricSources>[] {
    const [log, source, file] = [this.#log, this.#source, this.#clientCaFile];
    const clientCaPart = file && {
      start: async () => {
        this.#clientCa = await file.start({
          changed: (clientCa) => {
            this.#clientCa = clientCa;
            if (this.#pair !== undefined) this.#serveWith(this.#pair);
            log.info('CAs of callers changed');
          },
          failed: (problem) => {
            log.error({ problem }, 'the CAs of callers cannot be used; the last good ones stay in use');
          },
        });
      },
      stop: () => file.stop(),
    };
    const certificatePart = {
      start: async () => {
        this.#pair = await source.start({
          changed: (pair) => this.#replacePair(pair),
          failed: (problem) => {
            if (this.#pair === undefined) log.warn({ problem }, 'no serving certificate yet');
            else if (source.status)
              log.error({ problem }, 'the certificate cannot be renewed; the last good one stays in use');
            else log.error({ problem }, 'the certificate cannot be used; the last good one stays in use');
          },
        });
      },
      stop: () => source.stop(),
      lead: (isLeader: boolean) => source.lead?.(isLeader),
      metrics: {
        certificateRotations: () => source.status?.().writes ?? [],
        bundlesSynced: () => source.status?.().bundleSynced ?? {},
        certificateExpiry: () => {
          const { caNotAfter: ca, nextNotAfter: next } = source.status?.() ?? {};
          const seconds = (time: number | undefined): number | undefined => time && time / 1000;
          return { leaf: seconds(this.#pair?.notAfter), ca: seconds(ca), next: seconds(next) };
        },
        certificateProblem: () => source.problem(),
      },
    };
    return clientCaPart === undefined ? [certificatePart] : [clientCaPart, certificatePart];
  }

  #replacePair(pair: ServingPair): void {
    try {
      this.#serveWith(pair);
      this.#pair = pair;
      this.#log.info({ notAfter: new Date(pair.notAfter).toISOString() }, 'certificate changed');
    } catch (error) {
      this.#log.error({ err: error }, 'the certificate cannot be used; the last good one stays in use');
    }
  }

  #serveWith(pair: ServingPair): void {
    this.#server()?.setSecureContext(secureContextOptions(pair, this.#clientCa));
  }
}
