import { readRegularFile } from '../../base/files/regular-file.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import { repeat } from '../../cluster/client/timing.ts';
import { certificatesIn, servingPair, type ServingPair } from './pem.ts';
import type { CertificateListener, CertificateSource } from './serving-tls.ts';

/** How often the files are read again. A mounted Secret changes by swapping a link, which causes no file event. */
const POLL_MILLISECONDS = 1000;

/** One value from several PEM files, read again as they change. Unusable files are reported and change nothing. */
class PolledFiles<T> implements CertificateSource<T> {
  readonly #files: readonly string[];
  readonly #parse: (texts: readonly string[]) => T;
  readonly #pollMilliseconds: number;
  readonly #stopped = new AbortController();
  #seen = '';
  readonly #problem = new CurrentProblem();

  constructor(files: readonly string[], parse: (texts: readonly string[]) => T, pollMilliseconds = POLL_MILLISECONDS) {
    this.#files = files;
    this.#parse = parse;
    this.#pollMilliseconds = pollMilliseconds;
  }

  async start(listener: CertificateListener<T>): Promise<T> {
    const value = this.#take(await this.#read());
    void repeat(this.#pollMilliseconds, this.#stopped.signal, () => this.#poll(listener));
    return value;
  }

  stop(): void {
    this.#stopped.abort();
  }

  problem(): string | undefined {
    return this.#problem.text;
  }

  #read(): Promise<string[]> {
    return Promise.all(this.#files.map(async (file) => (await readRegularFile(file)).toString('utf8')));
  }

  #take(texts: readonly string[]): T {
    try {
      const value = this.#parse(texts);
      this.#seen = texts.join('');
      return value;
    } catch (error) {
      throw new Error(`${this.#files.join(' and ')}: ${messageOf(error)}`, { cause: error });
    }
  }

  async #poll(listener: CertificateListener<T>): Promise<void> {
    try {
      const texts = await this.#read();
      const news = texts.join('') === this.#seen ? [] : [this.#take(texts)];
      this.#problem.note(undefined);
      if (!this.#stopped.signal.aborted) for (const value of news) listener.changed(value);
    } catch (error) {
      const problem = messageOf(error);
      if (this.#problem.note(problem) !== undefined && !this.#stopped.signal.aborted) listener.failed(problem);
    }
  }
}

export class CertificateFiles extends PolledFiles<ServingPair> {
  constructor(certFile: string, keyFile: string, pollMilliseconds?: number) {
    super([certFile, keyFile], ([cert = '', key = '']) => servingPair(cert, key), pollMilliseconds);
  }
}

/** The CAs of callers' certificates. A file without a certificate changes nothing: it would let nobody call. */
export class ClientCaFile extends PolledFiles<string> {
  constructor(file: string, pollMilliseconds?: number) {
    super([file], ([text = '']) => clientCas(text), pollMilliseconds);
  }
}

function clientCas(pem: string): string {
  const certificates = certificatesIn(pem);
  if (certificates.length === 0) throw new Error('no PEM-encoded X.509 certificates to verify callers with');
  const leaf = certificates.find(({ ca }) => !ca);
  if (leaf !== undefined) throw new Error(`${JSON.stringify(leaf.subject)} is not the certificate of a CA`);
  return certificates.map(String).join('');
}
