import { beforeAll, describe, expect, it } from 'vitest';
import { deployment } from './pods.ts';
import { waitUntil } from './processes.ts';
import { reviewedLabel } from './release-objects.ts';
import type { Cluster } from './cluster.ts';
import type { CommandResult } from './processes.ts';
import type { Release } from './release.ts';

const POLICIES = '/apis/probewright.dev/v1alpha1/clusterprobepolicies';

/** What kubectl prints about a policy that is applied. These scenarios also use the rights to list workloads. */
export function policyReviewScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('a policy that is applied', () => {
    const applied = (spec: object, kind: string, namespace?: string): Promise<CommandResult> => {
      const metadata = { name: 'reviewed', labels: reviewedLabel, ...(namespace !== undefined && { namespace }) };
      const input = JSON.stringify({ apiVersion: 'probewright.dev/v1alpha1', kind, metadata, spec });
      return cluster().kubectl(['apply', '--dry-run=server', '--filename=-'], { input, allowFailure: true });
    };

    const onlyHttp = { 'probe-handler': { action: 'Deny', livenessProbe: { allowed: ['httpGet'] } } };

    beforeAll(async () => {
      if (release().replicas.length === 0) await release().restart();
      await cluster().kubectl(['create', 'namespace', 'reviews']);
      // Probes of their own, because policies of other scenarios may give probes.
      const container = { livenessProbe: { tcpSocket: { port: 'http' } } };
      for (const name of ['one', 'two', 'three'])
        await cluster().apply(deployment(name, { namespace: 'reviews', container }));
    });

    it('prints its effect on live workloads in a dry run, and is not stored', async () => {
      const required = {
        containers: ['*'],
        kubernetesProbeEndpoints: { readinessProbe: '/ready' },
        checks: onlyHttp,
      };
      const { code, stdout, stderr } = await applied(required, 'ProbePolicy', 'reviews');
      expect({ code, text: stdout + stderr }).toMatchObject({ code: 0 });
      // The release here has no client certificates, so workloads are counted and not named.
      expect(stdout + stderr).toContain(
        'of 3 workloads, 3 would be denied if created again, and warned at updates; 3 would get other',
      );
      expect(stdout + stderr).not.toContain('reviews/');
      expect(
        (await cluster().request('GET', `${POLICIES.replace('cluster', 'namespaces/reviews/')}/reviewed`)).status,
      ).toBe(404);
      const ofCluster = await applied({ checks: onlyHttp }, 'ClusterProbePolicy');
      expect(ofCluster.stdout + ofCluster.stderr).toMatch(/of \d+ workloads, \d+ would be denied if created again/);
      expect(ofCluster.stdout + ofCluster.stderr).not.toMatch(/leaves out|incomplete/);
      expect((await cluster().request('GET', `${POLICIES}/reviewed`)).status).toBe(404);
    });

    it('does to live workloads what the warning says: updates pass with a warning, and new objects are denied', async () => {
      const policy = { apiVersion: 'probewright.dev/v1alpha1', kind: 'ProbePolicy', spec: { checks: onlyHttp } };
      await cluster().apply({ ...policy, metadata: { name: 'reviewed', namespace: 'reviews' } });
      const container = { livenessProbe: { tcpSocket: { port: 'http' } } };
      const input = JSON.stringify(deployment('four', { namespace: 'reviews', container }));
      const create = (): Promise<CommandResult> =>
        cluster().kubectl(['create', '--dry-run=server', '--filename=-'], { input, allowFailure: true });
      await waitUntil('the policy counts', async () => (await create()).stderr.includes('(probe-handler)'), 30_000);
      expect((await create()).stderr).toContain('denied the request');
      const update = ['set', 'env', 'deployment/one', 'CHANGED=yes', '--namespace', 'reviews'];
      const { code, stderr } = await cluster().kubectl(update, { allowFailure: true });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^Warning: .*\(probe-handler\)/);
      await cluster().kubectl(['delete', 'probepolicy', 'reviewed', '--namespace', 'reviews']);
    });

    it('is refused when it cannot be read', async () => {
      const probe = { httpGet: { path: '/', port: 80 }, exec: { command: ['true'] } };
      const { code, stderr } = await applied({ probes: { readinessProbe: probe } }, 'ClusterProbePolicy');
      expect(code).not.toBe(0);
      expect(stderr).toContain('spec.probes.readinessProbe');
    });

    it.each([
      [{ images: ['nginx latest'] }, 'spec.images[0]: must be the path of an image without registry and tag'],
      [{ workloadSelector: { matchLabels: { tier: 'front end' } } }, '"front end" is not a label value'],
      [{ port: 'HTTP_port' }, 'spec.port: "HTTP_port" is not a port name'],
    ])('is refused in our words where the CRD has only a pattern: %j', async (spec, words) => {
      const { code, stderr } = await applied(spec, 'ClusterProbePolicy');
      expect(code).not.toBe(0);
      expect(stderr).toContain(words);
      expect(stderr).not.toContain('should match');
    });
  });
}
