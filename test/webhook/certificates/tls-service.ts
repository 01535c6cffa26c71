import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { certificatesIn, type ServingPair } from '../../../src/webhook/certificates/pem.ts';
import { HOST } from './own-world.ts';
import type { AddressInfo } from 'node:net';

/** A TLS server whose certificate changes while it runs. */
export class TlsService {
  readonly #server = createServer((socket) => socket.end('hello'));
  #port = 0;

  async start(pair: ServingPair): Promise<void> {
    this.use(pair);
    this.#server.on('tlsClientError', () => undefined);
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    onTestFinished(() => {
      this.#server.close();
    });
  }

  use({ cert, key }: ServingPair): void {
    this.#server.setSecureContext({ cert, key });
  }

  /** Connects as the API server does, by the real clock. Rejects when OpenSSL does not trust what it is shown. */
  async connect(bundle: string): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port: this.#port, servername: HOST, ca: bundle });
    socket.resume();
    await once(socket, 'close');
  }

  /**
   * The same by a clock that is passed in, which OpenSSL cannot be given: what the server shows is verified by hand. Gives what is wrong
   * with it.
   */
  async complaint(bundle: string, now: number): Promise<string | undefined> {
    const socket = connect({ host: '127.0.0.1', port: this.#port, servername: HOST, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const shown = new X509Certificate(socket.getPeerCertificate().raw);
    socket.resume();
    await once(socket, 'close');
    const isValid = (certificate: X509Certificate): boolean =>
      certificate.validFromDate.getTime() <= now && now < certificate.validToDate.getTime();
    if (!isValid(shown)) return `valid from ${shown.validFrom} to ${shown.validTo}, now ${new Date(now).toISOString()}`;
    if (shown.checkHost(HOST) === undefined) return `not for ${HOST}`;
    const roots = certificatesIn(bundle).filter(isValid);
    const isTrusted = roots.some((root) => shown.checkIssued(root) && shown.verify(root.publicKey));
    return isTrusted ? undefined : `signed by ${shown.issuer}, which is not trusted`;
  }
}
