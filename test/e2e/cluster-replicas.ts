import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it, afterAll, onTestFinished } from 'vitest';
import { waitUntil } from './processes.ts';
import { type Release, configurationKinds } from './release.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadFigure, startLoad, loadNamespace, prepareLoad } from './load.ts';
import { report } from './scenario-figure.ts';
import type { Cluster } from './cluster.ts';

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

/** How long calls go on before each replacement, and after the last. */
const quietMilliseconds = 3_000;

/** A rolling update, as a Deployment with maxSurge 1 and maxUnavailable 0 does it. */
export function replacementScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('replicas that are replaced', () => {
    beforeAll(async () => {
      await release().restart();
      await prepareLoad(cluster());
    });

    afterAll(() => release().endAll());

    it('fail no call and leave no Pod unpatched, at 50 creates a second', { timeout: 180_000 }, async () => {
      const load = startLoad(cluster(), { namespace: loadNamespace });
      onTestFinished(async () => {
        await load.stop();
      });
      const codes: (number | null)[] = [];
      for (const old of [...release().replicas]) {
        await sleep(quietMilliseconds);
        await release().start(1);
        codes.push(await release().end(old, 'SIGTERM'));
      }
      await sleep(quietMilliseconds);
      const result = await load.stop();
      report('both replicas replaced under load', loadFigure(result));
      expect(codes).toEqual([0, 0]);
      expect(result.failures).toEqual([]);
      expect(result.unpatched).toEqual([]);
      expect(result.keptPace).toBeGreaterThan(0.9);
    });
  });
}
