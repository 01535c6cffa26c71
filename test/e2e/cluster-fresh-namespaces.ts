import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterPolicyDocument } from '../support/worlds.ts';
import { type Cluster } from './cluster.ts';
import { deployment, deploymentsOf } from './pods.ts';
import { waitUntil } from './processes.ts';
import { type Release } from './release.ts';

/** Deployments, each in a namespace of its own that was made a moment before. */
const attempts = 60;

/** Only namespaces with this label must have readiness probes. */
const strict = clusterPolicyDocument(
  {
    namespaceSelector: { matchLabels: { tier: 'strict' } },
    checks: { 'required-readiness': { action: 'Deny' } },
  },
  'strict',
);

/** What follows a new namespace at once is judged by the namespace's labels, also while watches are being renewed all the time. */
export function freshNamespaceScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('Deployments right behind their new namespaces', () => {
    beforeAll(async () => {
      await release().restart({ args: ['--watch-renewal', '2s', '--drain-seconds', '0'] });
      await cluster().apply(strict, namespace('fresh-trial'));
      await waitUntil('the policy is in force', async () => (await deploy('fresh-trial')).status === 403);
    });

    afterAll(async () => {
      await cluster().delete('/apis/probewright.dev/v1alpha1/clusterprobepolicies/strict');
      await release().endAll();
    });

    it(`get the policy by namespace label, ${attempts} of ${attempts}`, { timeout: 120_000 }, async () => {
      const escaped: string[] = [];
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const name = `fresh-${attempt}`;
        const made = await cluster().request('POST', '/api/v1/namespaces', namespace(name));
        expect(made.status).toBe(201);
        const { status, body } = await deploy(name);
        if (status !== 403) escaped.push(`${name}: ${status}`);
        else expect(body).toContain('required-readiness');
        // Spread over many renewals.
        await new Promise((passed) => setTimeout(passed, 200));
      }
      const skipped = await Promise.all(
        release().replicas.map((replica) => replica.metric('probewright_namespace_waits_skipped_total')),
      );
      const missed = skipped.flatMap((samples) => [...samples.values()]).reduce((sum, count) => sum + count, 0);
      expect(escaped).toEqual([]);
      expect(missed).toBe(0);
    });

    it('leave no error and no lost contact in the log, however often the watches are renewed', () => {
      for (const replica of release().replicas)
        expect(replica.output()).not.toMatch(/"level":"(error|warn)"[^\n]*(contact|looked after)/);
    });

    /** No policy of the other scenarios names its container, or the container would get the probe that is wanted. */
    function deploy(name: string): Promise<{ status: number; body: string }> {
      const object = deployment('shop', { namespace: name, container: { name: 'web' }, replicas: 1 });
      return cluster().request('POST', `${deploymentsOf(name)}?dryRun=All`, object);
    }
  });
}

function namespace(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { tier: 'strict' } } };
}
