import { certificatesIn } from './ca-bundle.ts';
import { PolledFiles } from './polled-files.ts';

/**
 * The CAs that callers' certificates must come from, as one PEM text from a file that is read again as it changes. A
 * file without a readable certificate is reported and changes nothing: taken at its word it would let nobody call.
 */
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
