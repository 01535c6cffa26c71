import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Cluster } from './cluster.ts';
import { waitUntil } from './processes.ts';
import { type Release, configurationKinds } from './release.ts';

/** How often they start on an empty cluster. */
const rounds = 20;

/** Two replicas that find no CA make one each, and only one may count. */
export function twinScenarios(cluster: () => Cluster, install: () => Promise<Release>): void {
  describe('two replicas that start at the same instant', () => {
    let release: Release;

    beforeAll(async () => {
      release = await install();
    });

    it(`agree on one CA, ${rounds} times out of ${rounds}`, { timeout: 240_000 }, async () => {
      const fingerprints = new Set<string>();
      for (let round = 0; round < rounds; round += 1) {
        await forget();
        const replicas = await Promise.all([release.spawn(), release.spawn()]);
        await Promise.all(replicas.map((replica) => replica.untilReady()));
        const ca = new X509Certificate((await release.caSecret())?.data['ca.crt'] ?? '');
        const leaves = await Promise.all(replicas.map((replica) => replica.servedCertificate()));
        expect(leaves.map((leaf) => leaf.verify(ca.publicKey))).toEqual([true, true]);
        await waitUntil('the configurations trust them', () => release.isSynced(), 10_000, 50);
        fingerprints.add(ca.fingerprint256);
        await release.endAll();
      }
      expect(fingerprints.size).toBe(rounds);
    });

    /** As on the day of the installation. */
    async function forget(): Promise<void> {
      await cluster().delete(release.secretPath);
      await cluster().delete(release.leasePath);
      for (const kind of configurationKinds) {
        const { webhooks } = await release.configuration(kind);
        const bundles = webhooks.flatMap(({ clientConfig }, index) =>
          clientConfig.caBundle === undefined ? [] : [`/webhooks/${index}/clientConfig/caBundle`],
        );
        await release.patchConfiguration(
          kind,
          bundles.map((path) => ({ op: 'remove', path })),
        );
      }
    }
  });
}
