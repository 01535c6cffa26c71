import { expect, it } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { createLogger } from '../../../src/process/log.ts';
import { openCertificates } from '../../../src/webhook/certificates/open-certificates.ts';
import type { ClusterConfig, ServeConnection } from '../../../src/webhook/config.ts';

const CLUSTER: ClusterConfig = {
  kubeconfig: 'config',
  namespace: undefined,
  serviceName: 'probewright',
  webhookConfigurations: 'probewright',
  caSecret: 'probewright-ca',
  tlsSecret: undefined,
  caLifetime: 365 * 86_400_000,
  leafLifetime: 7 * 86_400_000,
  caOverlap: 3_600_000,
  certificateCheck: 60_000,
  lease: 'probewright',
  leaseDuration: 60_000,
  leaseRenew: 15_000,
  watchRenewal: 300_000,
  readsServices: true,
  readsStartupProfiles: true,
  policyBudget: 1024,
  policyImpact: true,
  exemptNamespaces: undefined,
};
const FILES = { tlsCert: 'tls.crt', tlsKey: 'tls.key' };
const NO_FILES = { tlsCert: undefined, tlsKey: undefined };

function connectionTo(config: ClusterConfig): ServeConnection {
  const server = 'https://127.0.0.1:1';
  const access = { server, namespace: 'web', requestOptions: () => Promise.resolve({}) };
  return { client: new ApiClient(access, 'test'), server, namespace: 'web', config };
}

const connection = connectionTo(CLUSTER);
const connectionWithSecret = connectionTo({ ...CLUSTER, tlsSecret: 'web-tls' });

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
