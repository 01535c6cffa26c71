import { X509Certificate } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { developmentPair } from '../../../src/webhook/certificates/open-certificates.ts';
import { servingPair } from '../../../src/webhook/certificates/pem.ts';

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;

const makeDirectory = async (): Promise<string> => join(await temporaryDirectory(), 'certs');

it('makes a pair for localhost, the CA that signed it', async () => {
  const { caFile, certFile, keyFile } = await developmentPair(await makeDirectory(), NOW);
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map((file) => readFile(file, 'utf8')));
  expect(new X509Certificate(cert ?? '').verify(new X509Certificate(ca ?? '').publicKey)).toBe(true);
  expect(servingPair(cert ?? '', key ?? '').notAfter).toBe(NOW + 90 * DAY);
  const leaf = new X509Certificate(cert ?? '');
  expect(leaf.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
});

it('takes the pair that is there while it lasts another day', async () => {
  const directory = await makeDirectory();
  const { certFile } = await developmentPair(directory, NOW);
  const made = await readFile(certFile, 'utf8');
  await developmentPair(directory, NOW + 88 * DAY);
  expect(await readFile(certFile, 'utf8')).toBe(made);
  await developmentPair(directory, NOW + 89 * DAY);
  expect(await readFile(certFile, 'utf8')).not.toBe(made);
});

it.each(['ca.crt', 'tls.crt', 'tls.key'])('makes all anew when %s is spoilt', async (name) => {
  const directory = await makeDirectory();
  const { certFile } = await developmentPair(directory, NOW);
  const made = await readFile(certFile, 'utf8');
  await writeFile(join(directory, name), 'nonsense');
  await developmentPair(directory, NOW);
  expect(await readFile(certFile, 'utf8')).not.toBe(made);
});
