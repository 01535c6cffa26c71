import { expect, it } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { createLogger } from '../../../src/process/log.ts';
import { openCertificates } from '../../../src/webhook/certificates/open-certificates.ts';
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
