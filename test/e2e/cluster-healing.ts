import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeServingPair } from '../support/certificate.ts';
import { createAuthority } from '../../src/webhook/certificates/certificate-authority.ts';
import { MERGE } from './http-requests.ts';
import { waitUntil } from './processes.ts';
import { loadFigure, startLoad, loadNamespace, prepareLoad } from './load.ts';
import { hasThreeProbes, dryRun } from './pods.ts';
import { type Release, configurationKinds } from './release.ts';
import { readable, report } from './scenario-figure.ts';
import type { Cluster } from './cluster.ts';

/** How long whatever was broken may stay broken: less than from one check of the certificates to the next. */
const healTimeout = 9_000;
const own = ['--certificate-check', '10s', '--lease-renew', '5s', '--drain-seconds', '0'];
/** Nobody may write in circles for that long: two checks of the certificates, and five renewals of the Lease. */
const quietMilliseconds = 25_000;

/** What the configurations looked like when everything had healed. */
export interface Healed {
  at: number;
  generations: number[];
}

/** Somebody deletes or edits what Probewright looks after. The replicas go on running: `quietScenario` looks at them once more. */
export function healingScenarios(cluster: () => Cluster, release: () => Release, healed: Healed): void {
  describe('what somebody broke', () => {
    beforeAll(async () => {
      await release().restart({ args: own });
      await prepareLoad(cluster());
    });

    it('heals when the CA Secret was deleted: there is one again, by which replicas serve and callers trust them', async () => {
      const before = await release().caSecret();
      const load = startLoad(cluster(), { namespace: loadNamespace });
      onTestFinished(async () => {
        await load.stop();
      });
      const deleted = performance.now();
      await cluster().delete(release().secretPath);
      await waitUntil(
        'there is another Secret',
        async () => {
          const found = await release().caSecret();
          return found !== undefined && found.uid !== before?.uid;
        },
        healTimeout,
      );
      await waitUntil('the configurations trust it', () => release().isSynced(), healTimeout);
      await waitUntil('both replicas serve by it', allServeCurrentCa, healTimeout);
      const took = performance.now() - deleted;
      await sleep(2_000);
      const result = await load.stop();
      report('CA Secret deleted', `healed after ${readable(took)}; meanwhile ${loadFigure(result)}`);
      expect(took).toBeLessThan(healTimeout);
      expect([...result.failures, ...result.unpatched]).toEqual([]);
    });

    it.each([
      ['of one entry was emptied', ['mutating'], [0], ''],
      ['of all entries of both configurations was emptied', ['mutating', 'validating'], [0, 1], ''],
      ["of one entry was replaced by somebody else's", ['validating'], [1], 'foreign'],
    ] as const)('heals when the caBundle %s', async (_, kinds, entries, value) => {
      const before = await caBundles();
      const caBundle = value === '' ? '' : Buffer.from((await makeServingPair()).caPem).toString('base64');
      for (const kind of kinds) {
        const paths = entries.map((entry) => `/webhooks/${entry}/clientConfig/caBundle`);
        await release().patchConfiguration(
          kind,
          paths.map((path) => (caBundle === '' ? { op: 'remove', path } : { op: 'replace', path, value: caBundle })),
        );
      }
      await waitUntil('they are as they were', async () => isDeepStrictEqual(await caBundles(), before), healTimeout);
      await waitUntil('Pods are patched', isPatched, healTimeout);
    });

    it("heals when somebody else's CA was put into the Secret", async () => {
      const authority = await createAuthority('somebody', Date.now(), 86_400_000);
      const before = await release().caSecret();
      const load = startLoad(cluster(), { namespace: loadNamespace });
      onTestFinished(async () => {
        await load.stop();
      });
      const encoded = (text: string): string => Buffer.from(text).toString('base64');
      const data = { 'ca.crt': encoded(authority.cert), 'ca.key': encoded(authority.key) };
      const put = performance.now();
      const { status } = await cluster().request('PATCH', release().secretPath, { data }, MERGE);
      expect(status).toBe(200);
      await waitUntil(
        'the Secret has its CA again',
        async () => isDeepStrictEqual((await release().caSecret())?.data, before?.data),
        healTimeout,
      );
      const took = performance.now() - put;
      await sleep(2_000);
      const result = await load.stop();
      report(
        "somebody else's CA put into the Secret",
        `healed after ${readable(took)}; meanwhile ${loadFigure(result)}`,
      );
      expect([...result.failures, ...result.unpatched]).toEqual([]);
      const outputs = release().replicas.map((replica) => replica.output());
      expect(outputs.join('')).toContain('ca.crt is a CA that Probewright has not made');
    });

    it('heals when the Lease was deleted: there is one leader, and it is written down', async () => {
      await cluster().delete(release().leasePath);
      await waitUntil(
        'there is a Lease with a holder again',
        async () => {
          const { status, body } = await cluster().request('GET', release().leasePath);
          return (
            status === 200 && Boolean((JSON.parse(body) as { spec: { holderIdentity?: string } }).spec.holderIdentity)
          );
        },
        healTimeout,
      );
      await waitUntil('one replica leads', async () => (await leaders()) === 1, healTimeout);
    });

    it('leaves a namespaceSelector alone that somebody else edited', async () => {
      const expression = { key: 'control-plane', operator: 'DoesNotExist' };
      const path = '/webhooks/0/namespaceSelector/matchExpressions/-';
      await release().patchConfiguration('validating', [{ op: 'add', path, value: expression }]);
      const edited = await release().configuration('validating');
      await sleep(3_000);
      const after = await release().configuration('validating');
      expect(after).toEqual(edited);
      expect(JSON.stringify(after.webhooks[0]?.namespaceSelector)).toContain(JSON.stringify(expression));
      healed.at = performance.now();
      healed.generations = await generations(release());
    });

    async function allServeCurrentCa(): Promise<boolean> {
      const ca = new X509Certificate((await release().caSecret())?.data['ca.crt'] ?? '');
      const served = await Promise.all(release().replicas.map((replica) => replica.servedCertificate()));
      return served.every((leaf) => leaf.verify(ca.publicKey));
    }

    function isPatched(): Promise<boolean> {
      return dryRun(cluster(), loadNamespace).then(hasThreeProbes, () => false);
    }

    async function leaders(): Promise<number> {
      const leading = await Promise.all(release().replicas.map((replica) => replica.isLeader()));
      return leading.filter(Boolean).length;
    }

    async function caBundles(): Promise<(string | undefined)[]> {
      const found = await Promise.all(configurationKinds.map((kind) => release().configuration(kind)));
      return found.flatMap(({ webhooks }) => webhooks.map(({ clientConfig }) => clientConfig.caBundle));
    }
  });
}

/** The rest of the time after healing, which other scenarios filled that touch other releases. */
export function quietScenario(release: () => Release, healed: Healed): void {
  describe('after healing', () => {
    it('nobody writes to the configurations', async () => {
      expect(healed.at, 'everything had healed').toBeGreaterThan(0);
      await sleep(Math.max(0, healed.at + quietMilliseconds - performance.now()));
      expect(await generations(release())).toEqual(healed.generations);
    });
  });
}

async function generations(release: Release): Promise<number[]> {
  const found = await Promise.all(configurationKinds.map((kind) => release.configuration(kind)));
  return found.map(({ metadata }) => metadata.generation);
}
