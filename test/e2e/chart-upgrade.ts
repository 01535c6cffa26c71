import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { certificates } from './release.ts';
import { tryDeployment } from './chart-trials.ts';
import { waitUntil } from './processes.ts';
import { dryRun, untilProbePath, hasThreeProbes } from './pods.ts';
import { loadNamespace } from './load.ts';
import type { ChartCluster } from './chart-cluster.ts';

const upgrade =
  'helm upgrade probewright charts/probewright --namespace probewright-system --set image.repository=localhost/probewright';
const configurations = 'mutatingwebhookconfigurations,validatingwebhookconfigurations';

/** A Lease that is given up soon. */
const lease = '--set leaderElection.leaseDuration=9s,leaderElection.renewInterval=3s';

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** Certificates, releases and what outlives them. */
export function upgradeScenarios(cluster: () => ChartCluster): void {
  describe('after a certificate rotation', () => {
    it('is upgraded with changed values, and every caBundle survives', { timeout: 180_000 }, async () => {
      const short = 'certificates.own.caOverlap=2s,certificates.checkInterval=1s,certificates.own.leafLifetime=8s';
      const hasty = `--set ${short} ${lease}`;
      await cluster().sh(`${upgrade} ${hasty}`);
      await cluster().untilRolledOut(2);
      const [before] = await bundles(cluster());
      await cluster().sh(
        'kubectl annotate secret probewright-ca probewright.dev/rotate=now --namespace probewright-system',
      );
      const after = await waitUntil('the CA has been replaced', async () => {
        const all = await bundles(cluster());
        return all.every((bundle) => bundle.length === 1 && bundle[0] !== before?.[0]) ? all : undefined;
      });
      await cluster().sh(`${upgrade} ${hasty} --set logLevel=debug --set webhooks.timeoutSeconds=4`);
      expect(await bundles(cluster())).toEqual(after);
      await cluster().untilRolledOut(2);
      expect(await bundles(cluster())).toEqual(after);
      expect(hasThreeProbes(await dryRun(cluster(), loadNamespace))).toBe(true);
      expect((await tryDeployment(cluster(), 'default', 'htpp')).status).toBe(403);
    });
  });

  describe('uninstalled', () => {
    it('leaves no webhook configuration, and the definitions with every policy', { timeout: 120_000 }, async () => {
      const kept = await keptObjects(cluster());
      // A policy, and every definition of the chart.
      expect(kept).toHaveLength(1 + readdirSync('charts/probewright/files/crds').length);
      await cluster().sh('helm uninstall probewright --namespace probewright-system');
      expect(await cluster().sh(`kubectl get ${configurations} --output name`)).toBe('');
      expect(await keptObjects(cluster())).toEqual(kept);
      expect((await tryDeployment(cluster(), 'default', 'htpp')).status).toBe(201);
      await waitUntil('its Pods are gone', () => cluster().kubelet.webhookPods.length === 0, 60_000);
    });

    it('is adopted with them by another installation', { timeout: 180_000 }, async () => {
      const kept = await keptObjects(cluster());
      await cluster().sh(
        `helm install probewright charts/probewright --namespace probewright-system --create-namespace --set image.repository=localhost/probewright ${lease}`,
      );
      await cluster().untilRolledOut(2);
      // Its predecessor lost the right to give the Lease back together with everything else, so a leader may have to wait for the Lease's end.
      await untilProbePath(cluster(), loadNamespace, 'livenessProbe', '/load');
      expect(await keptObjects(cluster())).toEqual(kept);
    });
  });
}

/** The fingerprints of what each webhook's caBundle holds. */
async function bundles(cluster: ChartCluster): Promise<string[][]> {
  const found: string[][] = [];
  for (const kind of ['mutating', 'validating']) {
    const name = kind === 'mutating' ? '00-probewright' : 'probewright';
    const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/${name}`;
    const { webhooks } = await cluster.read<{ webhooks: { clientConfig: { caBundle?: string } }[] }>(path);
    for (const { clientConfig } of webhooks) {
      const pem = Buffer.from(clientConfig.caBundle ?? '', 'base64').toString();
      found.push(certificates(pem).map(({ fingerprint256 }) => fingerprint256));
    }
  }
  return found;
}

/** The definitions and the policies: their names and identities. */
async function keptObjects(cluster: ChartCluster): Promise<string[]> {
  const paths = [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '/apis/probewright.dev/v1alpha1/probepolicies',
    '/apis/probewright.dev/v1alpha1/clusterprobepolicies',
  ];
  const lists = await Promise.all(paths.map((path) => cluster.read<{ items: Named[] }>(path)));
  return lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`));
}
