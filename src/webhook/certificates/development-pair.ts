import { X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../base/files/regular-file.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { createAuthority, issueLeaf } from './certificate-authority.ts';

/** The files of a development pair. */
export interface DevelopmentPair {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const DAY_MILLISECONDS = 86_400_000;
/** Long enough for a developer, short enough to limit the harm of a leaked key. */
const LIFETIME_DAYS = 90;

/**
 * Makes a CA and a serving pair for localhost below a directory, or takes the ones that an earlier start made while
 * they last another day. The CA's key is thrown away: nothing else can be signed with it.
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

  const lifetime = LIFETIME_DAYS * DAY_MILLISECONDS;
  const ca = await createAuthority('Probewright development CA', now, lifetime);
  const names = { commonName: 'localhost', dns: ['localhost'], ip: ['127.0.0.1', '::1'] };
  const leaf = await issueLeaf(ca, names, now, lifetime);
  await replaceFile(files.keyFile, `${leaf.key.trimEnd()}\n`, 0o600);
  await replaceFile(files.certFile, `${leaf.cert.trimEnd()}\n`, 0o644);
  await replaceFile(files.caFile, `${ca.cert.trimEnd()}\n`, 0o644);
  return files;
}

/**
 * False when one of the three files is missing, unreadable, from another run or near its end. All three are then made
 * again.
 */
async function lastsAnotherDay(files: DevelopmentPair, now: number): Promise<boolean> {
  try {
    const [ca, leaf, key] = await Promise.all([
      readRegularFile(files.caFile),
      readRegularFile(files.certFile),
      readRegularFile(files.keyFile),
    ]);
    const certificate = new X509Certificate(leaf);
    const isSigned = certificate.verify(new X509Certificate(ca).publicKey);
    return isSigned && key.includes('PRIVATE KEY') && certificate.validToDate.getTime() - now > DAY_MILLISECONDS;
  } catch {
    return false;
  }
}
