import { PolledFiles } from './polled-files.ts';
import { servingPair } from './serving-pair.ts';
import type { CertificateListener, CertificateSource } from './certificate-source.ts';
import type { ServingPair } from './serving-pair.ts';

/**
 * The serving pair from two PEM files, read again as they change. A pair that does not fit together is reported and not
 * served.
 */
export class CertificateFiles implements CertificateSource {
  readonly #files: PolledFiles<ServingPair>;

  constructor(certFile: string, keyFile: string, pollMilliseconds?: number) {
    this.#files = new PolledFiles(
      [certFile, keyFile],
      ([cert = '', key = '']) => servingPair(cert, key),
      pollMilliseconds,
    );
  }

  start(listener: CertificateListener): Promise<ServingPair> {
    return this.#files.start(listener);
  }

  stop(): void {
    this.#files.stop();
  }

  problem(): string | undefined {
    return this.#files.problem();
  }
}
