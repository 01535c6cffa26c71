import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServingPair, makeServingPair } from '../support/certificate.ts';
import { type Cluster } from './cluster.ts';
import { waitUntil } from './processes.ts';
import { type Release, type WebhookConfiguration, configurationKinds } from './release.ts';
import { type Replica } from './replica.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The Secret with the pair. */
export const tlsSecret = 'webhook-tls';

/** Certificates that somebody else looks after: Probewright serves them, takes new ones at once, and touches no CA. */
export function servingPairScenarios(cluster: () => Cluster, install: () => Promise<Release>): void {
  describe('a serving pair of the user', () => {
    let release: Release;

    beforeAll(async () => {
      release = await install();
    });

    it('is served from a Secret, and the next one without a restart', async () => {
      const [first, second] = [await makePair(), await makePair()];
      await cluster().apply(secret(first));
      const [replica] = await release.start(1, { args: ['--tls-secret', tlsSecret, '--drain-seconds', '0'] });
      await expectServed(replica, first);
      await waitUntil('the configurations trust it', () => isTrusted(first));
      await cluster().apply(secret(second));
      await untilServed(replica, second);
      await waitUntil('the configurations trust the new one', () => isTrusted(second));
      expect(await release.caSecret()).toBeUndefined();
      await release.endAll();
    });

    describe('in files', () => {
      let directory: { path: string; remove: () => Promise<void> };

      beforeAll(async () => {
        directory = await temporaryDirectory('pair');
      });

      afterAll(() => directory.remove());

      it('is served, and the next one without a restart', async () => {
        const [first, second] = [await makePair(), await makePair()];
        const [certFile, keyFile] = [join(directory.path, 'tls.crt'), join(directory.path, 'tls.key')];
        const write = async (pair: ServingPair): Promise<void> => {
          await writeFile(certFile, pair.certPem, { mode: 0o600 });
          await writeFile(keyFile, pair.keyPem, { mode: 0o600 });
        };
        await write(first);
        const before = await configurations();
        const [replica] = await release.start(1, { args: ['--tls-cert', certFile, '--tls-key', keyFile] });
        await expectServed(replica, first);
        await write(second);
        await untilServed(replica, second);
        expect(await release.caSecret()).toBeUndefined();
        expect(await configurations(), 'whoever made the files looks after the caBundle').toEqual(before);
        await release.endAll();
      });
    });

    function makePair(): Promise<ServingPair> {
      return makeServingPair({ commonName: 'pair', dnsNames: [release.serverName] });
    }

    function secret(pair: ServingPair): object {
      const stringData = { 'tls.crt': pair.certPem, 'tls.key': pair.keyPem, 'ca.crt': pair.caPem };
      const metadata = { name: tlsSecret, namespace: release.namespace };
      return { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, stringData };
    }

    function untilServed(replica: Replica | undefined, pair: ServingPair): Promise<unknown> {
      const isServed = async (): Promise<boolean> =>
        (await replica?.servedCertificate())?.fingerprint256 === fingerprint(pair);
      return waitUntil('the new pair is served', isServed);
    }

    async function expectServed(replica: Replica | undefined, pair: ServingPair): Promise<void> {
      expect((await replica?.servedCertificate())?.fingerprint256).toBe(fingerprint(pair));
    }

    async function isTrusted(pair: ServingPair): Promise<boolean> {
      const ca = new X509Certificate(pair.caPem).fingerprint256;
      const bundles = [...(await release.bundles()).values()];
      return bundles.every((bundle) => bundle.some(({ fingerprint256 }) => fingerprint256 === ca));
    }

    function configurations(): Promise<WebhookConfiguration[]> {
      return Promise.all(configurationKinds.map((kind) => release.configuration(kind)));
    }
  });
}

function fingerprint({ certPem }: ServingPair): string {
  return new X509Certificate(certPem).fingerprint256;
}
