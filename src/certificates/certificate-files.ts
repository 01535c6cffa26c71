import { readFile } from 'node:fs/promises';
import { servingPair } from './serving-pair.ts';
import type { CertificateListener, CertificateSource } from './certificate-source.ts';
import type { ServingPair } from './serving-pair.ts';

/** How often the files are read again. Mounted Secrets change by swapping a link, of which file events tell nothing. */
const POLL_MILLISECONDS = 1000;

/** The serving pair from two PEM files, read again as they change. A pair that does not fit together is reported and not served. */
export class CertificateFiles implements CertificateSource {
  readonly #certFile: string;
  readonly #keyFile: string;
  readonly #pollMilliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #seen = '';
  #problem: string | undefined;

  constructor(certFile: string, keyFile: string, pollMilliseconds = POLL_MILLISECONDS) {
    this.#certFile = certFile;
    this.#keyFile = keyFile;
    this.#pollMilliseconds = pollMilliseconds;
  }

  async start(listener: CertificateListener): Promise<ServingPair> {
    const [cert, key] = await this.#read();
    this.#seen = cert + key;
    const pair = this.#pair(cert, key);
    this.#schedule(listener);
    return pair;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  problem(): string | undefined {
    return this.#problem;
  }

  #read(): Promise<[string, string]> {
    return Promise.all([readFile(this.#certFile, 'utf8'), readFile(this.#keyFile, 'utf8')]);
  }

  #pair(cert: string, key: string): ServingPair {
    try {
      return servingPair(cert, key);
    } catch (error) {
      throw new Error(`${this.#certFile} and ${this.#keyFile}: ${message(error)}`, { cause: error });
    }
  }

  #schedule(listener: CertificateListener): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      void this.#poll(listener).finally(() => {
        this.#schedule(listener);
      });
    }, this.#pollMilliseconds);
  }

  async #poll(listener: CertificateListener): Promise<void> {
    try {
      const [cert, key] = await this.#read();
      if (cert + key === this.#seen && this.#problem === undefined) return;
      const pair = this.#pair(cert, key);
      const isNews = cert + key !== this.#seen;
      this.#seen = cert + key;
      this.#problem = undefined;
      if (isNews && !this.#stopped) listener.changed(pair);
    } catch (error) {
      const problem = message(error);
      const isNews = problem !== this.#problem;
      this.#problem = problem;
      if (isNews && !this.#stopped) listener.failed(problem);
    }
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
