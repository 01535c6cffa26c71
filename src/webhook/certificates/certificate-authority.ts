import 'reflect-metadata';
import { createPrivateKey, X509Certificate as NodeCertificate, randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { BACKDATED_MILLISECONDS, type CertificateAuthority } from './ca-state.ts';
import { servingPair, type ServingPair } from './pem.ts';
import type { X509CertificateCreateParamsBase } from '@peculiar/x509';

/** The names in a leaf. Clients look at `dns` and `ip` only. */
export interface LeafNames {
  /** At most 64 bytes, which the namespace and name of a Service can exceed. */
  readonly commonName: string;
  readonly dns: readonly string[];
  readonly ip?: readonly string[];
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Makes a CA with an ECDSA P-256 key of its own, which can sign leaves and nothing else. */
export async function createAuthority(
  commonName: string,
  now: number,
  lifetimeMilliseconds: number,
): Promise<CertificateAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...fieldsOf(now, now + lifetimeMilliseconds),
    name: [{ CN: [commonName] }],
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    cert: normalPem(certificate),
    key: await pemOf(keys.privateKey),
    notBefore: certificate.notBefore.getTime(),
    notAfter: certificate.notAfter.getTime(),
  };
}

/** Makes a serving pair that the CA has signed. It ends when the CA ends, if that is earlier. */
export async function issueLeaf(
  authority: CertificateAuthority,
  { commonName, dns, ip = [] }: LeafNames,
  now: number,
  lifetimeMilliseconds: number,
): Promise<ServingPair> {
  const issuer = new X509Certificate(authority.cert);
  const der = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' });
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    ...fieldsOf(now, Math.min(now + lifetimeMilliseconds, authority.notAfter)),
    subject: [{ CN: [commonName] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...dns.map((value) => ({ type: 'dns' as const, value })),
        ...ip.map((value) => ({ type: 'ip' as const, value })),
      ]),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return servingPair(normalPem(certificate), await pemOf(keys.privateKey));
}

/** The serial number has 127 bits with the first one set: positive, and always of the same length. */
function fieldsOf(now: number, notAfter: number): X509CertificateCreateParamsBase {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return {
    serialNumber: bytes.toString('hex'),
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(now - BACKDATED_MILLISECONDS),
    notAfter: new Date(notAfter),
  };
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function normalPem(certificate: X509Certificate): string {
  return new NodeCertificate(Buffer.from(certificate.rawData)).toString();
}
