import { X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../base/files/regular-file.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { createAuthority, issueLeaf } from './certificate-authority.ts';

export type DevelopmentPair = Readonly<Record<'caFile' | 'certFile' | 'keyFile', string>>;

const DAY_MILLISECONDS = 86_400_000;
/** Long enough for a developer, short enough to limit the harm of a leaked key. */
const LIFETIME_MILLISECONDS = 90 * DAY_MILLISECONDS;

/**
 * Makes a CA and a serving pair for localhost below a directory, or takes the ones that an earlier start made. The
 * CA's key is thrown away: nothing else can be signed with it.
 */
export async function developmentPair(directory: string, now: number): Promise<DevelopmentPair> {
  const caFile = join(directory, 'ca.crt');
  const certFile = join(directory, 'tls.crt');
  const keyFile = join(directory, 'tls.key');
  const files = { caFile, certFile, keyFile };
  if (await lastsAnotherDay(files, now)) return files;
  await mkdir(directory, { recursive: true });
  const ca = await createAuthority('Probewright development CA', now, LIFETIME_MILLISECONDS);
  const names = { commonName: 'localhost', dns: ['localhost'], ip: ['127.0.0.1', '::1'] };
  const leaf = await issueLeaf(ca, names, now, LIFETIME_MILLISECONDS);
  await replaceFile(keyFile, `${leaf.key.trimEnd()}\n`, 0o600);
  await replaceFile(certFile, `${leaf.cert.trimEnd()}\n`, 0o644);
  await replaceFile(caFile, `${ca.cert.trimEnd()}\n`, 0o644);
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
