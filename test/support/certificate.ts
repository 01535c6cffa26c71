import type { webcrypto } from 'node:crypto';
// The library wants this polyfill loaded before it.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

/** What a throw-away serving pair is made for. Everything has a default that works on this machine's loopback. */
export interface ServingPairOptions {
  /** The subject's common name; clients look at the names below, not at this. Default `localhost`. */
  readonly commonName?: string;
  /** DNS subject alternative names. Default `localhost`. */
  readonly dnsNames?: readonly string[];
  /** IP subject alternative names. Default `127.0.0.1`. */
  readonly ipAddresses?: readonly string[];
  /** First moment of validity. Default one hour ago. */
  readonly notBefore?: Date;
  /** Last moment of validity. Default one day from now. */
  readonly notAfter?: Date;
}

/** A serving certificate, its key, and the CA that signed it, all PEM. */
export interface ServingPair {
  readonly certPem: string;
  readonly keyPem: string;
  readonly caPem: string;
}

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' };
export const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
const hour = 3_600_000;

/**
 * Makes a CA and a serving certificate that it signs (ECDSA P-256). Made anew for each test: nothing secret is stored,
 * and nothing expires in the repository.
 */
export async function makeServingPair(options: ServingPairOptions = {}): Promise<ServingPair> {
  const validity = {
    notBefore: options.notBefore ?? new Date(Date.now() - hour),
    notAfter: options.notAfter ?? new Date(Date.now() + 24 * hour),
  };
  const caKeys = await makeKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: [{ CN: ['probewright test CA'] }],
    keys: caKeys,
    signingAlgorithm,
    extensions: await caExtensions(caKeys.publicKey),
  });
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    subject: [{ CN: [options.commonName ?? 'localhost'] }],
    issuer: ca.subjectName,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm,
    extensions: await servingExtensions(caKeys.publicKey, options),
  });
  return {
    certPem: `${certificate.toString('pem')}\n`,
    keyPem: await keyPemOf(keys),
    caPem: `${ca.toString('pem')}\n`,
  };
}

/** An ECDSA P-256 pair. */
export function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}

/** The private key as PEM. */
export async function keyPemOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', privateKey);
  return `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`;
}

/** The extensions of a CA. */
export async function caExtensions(publicKey: webcrypto.CryptoKey): Promise<x509.Extension[]> {
  return [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
  ];
}

async function servingExtensions(
  caPublicKey: webcrypto.CryptoKey,
  options: ServingPairOptions,
): Promise<x509.Extension[]> {
  const names: x509.JsonGeneralNames = [
    ...(options.dnsNames ?? ['localhost']).map((value) => ({ type: 'dns' as const, value })),
    ...(options.ipAddresses ?? ['127.0.0.1']).map((value) => ({ type: 'ip' as const, value })),
  ];
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
    await x509.AuthorityKeyIdentifierExtension.create(caPublicKey),
  ];
}
