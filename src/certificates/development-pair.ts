import 'reflect-metadata';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** The files of a development pair. */
export interface DevelopmentPair {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MILLISECONDS = 86_400_000;
/** Long enough not to bother a developer, short enough to be no burden when it leaks. */
const LIFETIME_DAYS = 90;

/**
 * Makes a CA and a serving pair for localhost below a directory, or takes the ones that an earlier start made while they last
 * another day. The CA's key is thrown away: nothing else can be signed with it.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export async function developmentPair(directory: string, now: number): Promise<DevelopmentPair> {
  const files = {
    caFile: join(directory, 'ca.crt'),
    certFile: join(directory, 'tls.crt'),
    keyFile: join(directory, 'tls.key'),
  };
  if (await lastsAnotherDay(files, now)) return files;
  await mkdir(directory, { recursive: true });

  const caKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const leafKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const validity = { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + LIFETIME_DAYS * DAY_MILLISECONDS) };
  const ca = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Probewright development CA',
    keys: caKeys,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  });
  const leaf = await X509CertificateGenerator.create({
    subject: 'CN=localhost',
    issuer: ca.subject,
    publicKey: leafKeys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
    ],
  });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', leafKeys.privateKey), 'PRIVATE KEY');
  await replaceFile(files.keyFile, key, 0o600);
  await replaceFile(files.certFile, leaf.toString('pem'), 0o644);
  await replaceFile(files.caFile, ca.toString('pem'), 0o644);
  return files;
}

/** False whenever one of the three is missing, unreadable, of another generation or near its end: then all are made anew. */
async function lastsAnotherDay(files: DevelopmentPair, now: number): Promise<boolean> {
  try {
    const [ca, leaf, key] = await Promise.all([
      readFile(files.caFile, 'utf8'),
      readFile(files.certFile, 'utf8'),
      readFile(files.keyFile, 'utf8'),
    ]);
    const certificate = new X509Certificate(leaf);
    const isSigned = await certificate.verify({ publicKey: new X509Certificate(ca).publicKey, signatureOnly: true });
    return isSigned && key.includes('PRIVATE KEY') && certificate.notAfter.getTime() - now > DAY_MILLISECONDS;
  } catch {
    return false;
  }
}

/** Written beside and renamed, so that nobody reads half a file. */
async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, `${text.trimEnd()}\n`, { mode });
  await chmod(temporary, mode);
  await rename(temporary, path);
}
