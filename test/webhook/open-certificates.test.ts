import { describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/cluster/client/api-client.ts';
import { createLogger } from '../../src/process/log.ts';
import { certificateOrigin, openCertificates } from '../../src/webhook/open-certificates.ts';
import type { ServeConnection } from '../../src/webhook/config.ts';
import type { ClusterConfig } from '../../src/webhook/config.ts';

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

describe('the serving pair comes from', () => {
  it('files that are given, with and without a cluster', () => {
    const files = { kind: 'files', certFile: 'tls.crt', keyFile: 'tls.key' };
    expect(certificateOrigin(FILES, undefined)).toEqual(files);
    expect(certificateOrigin(FILES, connection)).toEqual(files);
  });

  it('a development pair without files and without a cluster', () =>
    expect(certificateOrigin(NO_FILES, undefined)).toEqual({ kind: 'development', directory: 'certs' }));

  it("Probewright's own CA in a cluster", () =>
    expect(certificateOrigin(NO_FILES, connection)).toMatchObject({ kind: 'own-ca' }));

  it('the Secret that is given in a cluster', () =>
    expect(certificateOrigin(NO_FILES, connectionWithSecret)).toMatchObject({ kind: 'secret', secretName: 'web-tls' }));
});

describe('the log', () => {
  it.each([
    ['files', FILES, undefined, { certFile: 'tls.crt', keyFile: 'tls.key' }],
    ['own-ca', NO_FILES, connection, { namespace: 'web', secret: 'probewright-ca' }],
    ['secret', NO_FILES, connectionWithSecret, { namespace: 'web', secret: 'web-tls' }],
  ])('of a server with a certificate from %s says so in one line', async (origin, files, cluster, fields) => {
    const lines: unknown[] = [];
    const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
    await openCertificates(certificateOrigin(files, cluster), { log, now: () => 0, notice: () => undefined });
    expect(lines).toEqual([expect.objectContaining({ msg: 'serving certificate chosen', origin, ...fields })]);
  });
});
