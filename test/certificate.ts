import type { webcrypto } from 'node:crypto';
import type * as x509 from '@peculiar/x509';

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
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
const hour = 3_600_000;

/**
 * Makes a CA and a serving certificate that it signs (ECDSA P-256). Made anew for each test: nothing secret is stored,
 * and nothing expires in the repository.
 */
export async function makeServingPair(options: ServingPairOptions = {}): Promise<ServingPair> {
  const { X509CertificateGenerator, PemConverter } = await loadX509();
  const validity = {
    notBefore: options.notBefore ?? new Date(Date.now() - hour),
    notAfter: options.notAfter ?? new Date(Date.now() + 24 * hour),
  };
  const caKeys = await makeKeys();
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: [{ CN: ['probewright test CA'] }],
    keys: caKeys,
    signingAlgorithm,
    extensions: await caExtensions(caKeys.publicKey),
  });
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.create({
    ...validity,
    subject: [{ CN: [options.commonName ?? 'localhost'] }],
    issuer: ca.subjectName,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm,
    extensions: await servingExtensions(caKeys.publicKey, options),
  });
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certPem: `${certificate.toString('pem')}\n`,
    keyPem: `${PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
    caPem: `${ca.toString('pem')}\n`,
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}

async function caExtensions(publicKey: webcrypto.CryptoKey): Promise<x509.Extension[]> {
  const { BasicConstraintsExtension, KeyUsagesExtension, KeyUsageFlags, SubjectKeyIdentifierExtension } =
    await loadX509();
  return [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ];
}

async function servingExtensions(
  caPublicKey: webcrypto.CryptoKey,
  options: ServingPairOptions,
): Promise<x509.Extension[]> {
  const x = await loadX509();
  const names: x509.JsonGeneralNames = [
    ...(options.dnsNames ?? ['localhost']).map((value) => ({ type: 'dns' as const, value })),
    ...(options.ipAddresses ?? ['127.0.0.1']).map((value) => ({ type: 'ip' as const, value })),
  ];
  return [
    new x.BasicConstraintsExtension(false, undefined, true),
    new x.KeyUsagesExtension(x.KeyUsageFlags.digitalSignature, true),
    new x.ExtendedKeyUsageExtension([x.ExtendedKeyUsage.serverAuth]),
    new x.SubjectAlternativeNameExtension(names),
    await x.AuthorityKeyIdentifierExtension.create(caPublicKey),
  ];
}

/**
 * `@peculiar/x509` wants a Reflect metadata polyfill loaded before it, hence the late import. A real polyfill that is
 * already there is left alone.
 */
function loadX509(): Promise<typeof x509> {
  if (!('getMetadata' in Reflect)) Object.assign(Reflect, reflectMetadata());
  return import('@peculiar/x509');
}

/** The four functions of the metadata proposal that the library calls, without inheritance, which it does not use. */
function reflectMetadata(): Record<string, unknown> {
  const stored = new WeakMap<object, Map<unknown, unknown>>();
  const get = (key: unknown, target: object): unknown => stored.get(target)?.get(key);
  const define = (key: unknown, value: unknown, target: object): void => {
    stored.set(target, (stored.get(target) ?? new Map<unknown, unknown>()).set(key, value));
  };
  const has = (key: unknown, target: object): boolean => stored.get(target)?.has(key) ?? false;
  return { getMetadata: get, getOwnMetadata: get, defineMetadata: define, hasOwnMetadata: has };
}
