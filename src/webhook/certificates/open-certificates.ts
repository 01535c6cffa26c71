import { X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../base/files/regular-file.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { certificateFiles } from './certificate-files.ts';
import type { ServeConfig, ServeConnection, ServeDependencies } from '../config.ts';
import type { CertificateDependencies } from './cluster-certificates.ts';
import type { CertificateSource } from './serving-tls.ts';

const DEVELOPMENT_DIRECTORY = 'certs';

/** Files come first, then a Secret of the settings, then the own CA of a cluster, else a development pair. */
export async function openCertificates(
  { tlsCert, tlsKey }: Pick<ServeConfig, 'tlsCert' | 'tlsKey'>,
  connection: ServeConnection | undefined,
  { log, now, notice }: Pick<ServeDependencies, 'log' | 'now' | 'notice'>,
  written: CertificateDependencies['written'],
): Promise<CertificateSource> {
  const chosen = (origin: string, fields: object): void =>
    log.info({ origin, ...fields }, 'serving certificate chosen');
  if (tlsCert !== undefined && tlsKey !== undefined) {
    chosen('files', { certFile: tlsCert, keyFile: tlsKey });
    return certificateFiles(tlsCert, tlsKey);
  }
  if (connection === undefined) {
    const pair = await developmentPair(DEVELOPMENT_DIRECTORY, now()).catch((error: unknown) => {
      const what = `no development pair can be made in ${DEVELOPMENT_DIRECTORY}/`;
      throw new Error(`no --tls-cert and --tls-key, and ${what}: ${String(error)}`, { cause: error });
    });
    const { certFile, keyFile, caFile } = pair;
    chosen('development', { certFile, keyFile, caFile });
    notice(`development certificate for localhost; its CA is ${caFile}`);
    return certificateFiles(certFile, keyFile);
  }
  const { namespace, config } = connection;
  const { tlsSecret, caSecret } = config;
  chosen(tlsSecret === undefined ? 'own-ca' : 'secret', { namespace, secret: tlsSecret ?? caSecret });
  const dependencies = { log, now, random: Math.random };
  if (tlsSecret !== undefined) {
    const { SecretCertificates } = await import('./secret-certificates.ts');
    return new SecretCertificates(connection, tlsSecret, dependencies);
  }
  const { OwnCertificates } = await import('./own-certificates.ts');
  return new OwnCertificates(connection, caSecret, { ...dependencies, written });
}

export type DevelopmentPair = Readonly<Record<'caFile' | 'certFile' | 'keyFile', string>>;

const DAY_MILLISECONDS = 86_400_000;
/** Long enough for a developer, short enough to limit the harm of a leaked key. */
const LIFETIME_MILLISECONDS = 90 * DAY_MILLISECONDS;

/**
 * A pair for localhost, of an earlier start if there is one. The CA's key is thrown away: it can sign nothing else.
 */
export async function developmentPair(directory: string, now: number): Promise<DevelopmentPair> {
  const file = (name: string): string => join(directory, name);
  const files = { caFile: file('ca.crt'), certFile: file('tls.crt'), keyFile: file('tls.key') };
  if (await lastsAnotherDay(files, now)) return files;
  await mkdir(directory, { recursive: true });
  // Loaded when needed only: the library that makes certificates takes time and memory.
  const { createAuthority, issueLeaf } = await import('./certificate-authority.ts');
  const ca = await createAuthority('Probewright development CA', now, LIFETIME_MILLISECONDS);
  const names = { commonName: 'localhost', dns: ['localhost'], ip: ['127.0.0.1', '::1'] };
  const leaf = await issueLeaf(ca, names, now, LIFETIME_MILLISECONDS);
  await replaceFile(files.keyFile, `${leaf.key.trimEnd()}\n`, 0o600);
  await replaceFile(files.certFile, `${leaf.cert.trimEnd()}\n`, 0o644);
  await replaceFile(files.caFile, `${ca.cert.trimEnd()}\n`, 0o644);
  return files;
}

/** False when one of the three files is missing, unreadable, from another run or near its end. */
async function lastsAnotherDay({ caFile, certFile, keyFile }: DevelopmentPair, now: number): Promise<boolean> {
  try {
    const leaf = new X509Certificate(await readRegularFile(certFile));
    const isSigned = leaf.verify(new X509Certificate(await readRegularFile(caFile)).publicKey);
    const hasKey = (await readRegularFile(keyFile)).includes('PRIVATE KEY');
    return isSigned && hasKey && leaf.validToDate.getTime() - now > DAY_MILLISECONDS;
  } catch {
    return false;
  }
}
