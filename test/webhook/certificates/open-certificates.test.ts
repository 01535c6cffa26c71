import { X509Certificate } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { servingPair } from '../../../src/webhook/certificates/pem.ts';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { createLogger } from '../../../src/process/log.ts';
import { developmentPair, openCertificates } from '../../../src/webhook/certificates/open-certificates.ts';
import { CLUSTER_CONFIG } from './cluster-config.ts';
import type { ClusterConfig, ServeConnection } from '../../../src/webhook/config.ts';

const FILES = { tlsCert: 'tls.crt', tlsKey: 'tls.key' };
const NO_FILES = { tlsCert: undefined, tlsKey: undefined };

function connectionTo(config: ClusterConfig): ServeConnection {
  const server = 'https://127.0.0.1:1';
  const access = { server, namespace: 'web', requestOptions: () => Promise.resolve({}) };
  return { client: new ApiClient(access, 'test'), server, namespace: 'web', config };
}

const connection = connectionTo(CLUSTER_CONFIG);
const connectionWithSecret = connectionTo({ ...CLUSTER_CONFIG, tlsSecret: 'web-tls' });

it.each([
  ['files', FILES, undefined, { certFile: 'tls.crt', keyFile: 'tls.key' }],
  ['files', FILES, connection, { certFile: 'tls.crt', keyFile: 'tls.key' }],
  ['own-ca', NO_FILES, connection, { namespace: 'web', secret: 'probewright-ca' }],
  ['secret', NO_FILES, connectionWithSecret, { namespace: 'web', secret: 'web-tls' }],
])('a server with a certificate from %s says so in one line of the log', async (origin, files, cluster, fields) => {
  const lines: unknown[] = [];
  const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  await openCertificates(files, cluster, { log, now: () => 0, notice: () => undefined }, undefined);
  expect(lines).toEqual([expect.objectContaining({ msg: 'serving certificate chosen', origin, ...fields })]);
});

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
  const modes = await Promise.all([keyFile, certFile, caFile].map(async (file) => (await stat(file)).mode & 0o777));
  expect(modes).toEqual([0o600, 0o644, 0o644]);
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
