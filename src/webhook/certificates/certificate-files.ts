import { readRegularFile } from '../../base/files/regular-file.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import { repeat } from '../../cluster/client/timing.ts';
import { certificatesIn, servingPair } from './pem.ts';
import type { CertificateListener, CertificateSource } from './serving-tls.ts';

/** How often the files are read again. A mounted Secret changes by swapping a link, which causes no file event. */
const POLL_MILLISECONDS = 5000;

/** One value from several PEM files, read again as they change. Unusable files are reported and change nothing. */
function polledFiles<T>(
  files: readonly string[],
  parse: (texts: readonly string[]) => T,
  pollMilliseconds = POLL_MILLISECONDS,
): CertificateSource<T> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const problem = new CurrentProblem();
  let seen = '';
  const read = (): Promise<string[]> =>
    Promise.all(files.map(async (file) => (await readRegularFile(file)).toString('utf8')));
  const take = (texts: readonly string[]): T => {
    try {
      const value = parse(texts);
      seen = texts.join('');
      return value;
    } catch (error) {
      throw new Error(`${files.join(' and ')}: ${messageOf(error)}`, { cause: error });
    }
  };
  const poll = async ({ changed, failed }: CertificateListener<T>): Promise<void> => {
    try {
      const texts = await read();
      const news = texts.join('') === seen ? [] : [take(texts)];
      problem.note(undefined);
      if (!signal.aborted) for (const value of news) changed(value);
    } catch (error) {
      const text = messageOf(error);
      if (problem.note(text) !== undefined && !signal.aborted) failed(text);
    }
  };
  return {
    start: async (listener) => {
      listener.changed(take(await read()));
      void repeat(pollMilliseconds, signal, () => poll(listener));
    },
    stop: () => stopped.abort(),
    problem: () => problem.text,
  };
}

/** A serving pair in two files. */
export function certificateFiles(certFile: string, keyFile: string, pollMilliseconds?: number): CertificateSource {
  return polledFiles([certFile, keyFile], ([cert = '', key = '']) => servingPair(cert, key), pollMilliseconds);
}

/** The CAs of callers' certificates. A file without a certificate changes nothing: it would let nobody call. */
export function clientCaFile(file: string): CertificateSource<string> {
  return polledFiles([file], ([text = '']) => clientCas(text));
}

function clientCas(pem: string): string {
  const certificates = certificatesIn(pem);
  if (certificates.length === 0) throw new Error('no PEM-encoded X.509 certificates to verify callers with');
  const leaf = certificates.find(({ ca }) => !ca);
  if (leaf !== undefined) throw new Error(`${JSON.stringify(leaf.subject)} is not the certificate of a CA`);
  return certificates.map(String).join('');
}
