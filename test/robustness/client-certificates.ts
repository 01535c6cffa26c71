import type { webcrypto } from 'node:crypto';
// The library wants this polyfill loaded before it.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { caExtensions, keyPemOf, makeKeys, signingAlgorithm } from '../support/certificate.ts';

const hour = 3_600_000;

/** What a client's certificate is to be like. */
export interface ClientOptions {
  /** One common name, or several. */
  readonly names?: readonly string[];
  readonly notAfter?: Date;
  /** For servers, and not for clients. */
  readonly forServers?: boolean;
}

/** A CA of callers, made for a test. */
export class ClientAuthority {
  readonly pem: string;
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #certificate: x509.X509Certificate;

  private constructor(keys: webcrypto.CryptoKeyPair, certificate: x509.X509Certificate) {
    this.#keys = keys;
    this.#certificate = certificate;
    this.pem = `${certificate.toString('pem')}\n`;
  }

  static async create(name: string): Promise<ClientAuthority> {
    const keys = await makeKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      ...lasting(new Date(Date.now() + 24 * hour)),
      name: [{ CN: [name] }],
      keys,
      signingAlgorithm,
      extensions: await caExtensions(keys.publicKey),
    });
    return new ClientAuthority(keys, certificate);
  }

  /** A certificate and its key, PEM, as a TLS client takes them. */
  async issue({ names = ['apiserver'], notAfter, forServers = false }: ClientOptions = {}): Promise<{
    cert: string;
    key: string;
  }> {
    const keys = await makeKeys();
    const usage = forServers ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
    const certificate = await x509.X509CertificateGenerator.create({
      ...lasting(notAfter ?? new Date(Date.now() + hour)),
      subject: names.map((name) => ({ CN: [name] })),
      issuer: this.#certificate.subjectName,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        await x509.AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
      ],
    });
    return { cert: `${certificate.toString('pem')}\n`, key: await keyPemOf(keys) };
  }
}

const lasting = (notAfter: Date): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - 2 * hour),
  notAfter,
});
