import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { waitUntil } from './processes.ts';
import { type StoredPod, pod, probeKinds, probePath, provenance, dryRun, untilProbePath } from './pods.ts';
import { readable, report } from './scenario-figure.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import type { Cluster } from './cluster.ts';
import type { ReplicaStart, Release } from './release.ts';

/** In the replicas' directory of files: the lowest layer. */
const files = clusterPolicyDocument(
  { containers: ['*'], probes: { livenessProbe: { periodSeconds: 7, timeoutSeconds: 3 } }, priority: 100 },
  'from-files',
);

const platform = clusterPolicyDocument(
  {
    containers: ['app'],
    kubernetesProbeEndpoints: { startupProbe: '/start', livenessProbe: '/live', readinessProbe: '/ready' },
    probes: { livenessProbe: { timeoutSeconds: 4 } },
  },
  'platform',
);
const policy = (name: string, spec: object): object => policyDocument({ containers: ['app'], ...spec }, name);

interface PolicyStatus {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

/** Policies as custom resources: who counts, how soon, and what a broken one does. */
export function policyScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('policies in the cluster', () => {
    let directory: { path: string; remove: () => Promise<void> };

    beforeAll(async () => {
      directory = await temporaryDirectory('policies');
      await writeFile(join(directory.path, 'files.yaml'), JSON.stringify(files));
      await release().restart(start());
    });

    afterAll(async () => {
      await release().endAll();
      await directory.remove();
    });

    it('gives the first Pod of the first policy its probes, and says where they come from', async () => {
      await cluster().apply(platform);
      await untilProbePath(cluster(), 'apps', 'livenessProbe', '/live');
      const stored = await createPod('first', 'apps');
      expect(probeKinds.map((kind) => probePath(stored, kind))).toEqual(['/start', '/live', '/ready']);
      expect(provenance(stored)).toEqual(
        Object.fromEntries(probeKinds.map((kind) => [kind, 'ClusterProbePolicy/platform'])),
      );
    });

    it("lets the cluster's policies win over files, whatever priority those claim, and files fill what is left", async () => {
      const stored = await dryRun(cluster(), 'apps');
      expect(stored.spec.containers[0]?.livenessProbe).toMatchObject({ periodSeconds: 7, timeoutSeconds: 4 });
    });

    it("lets a team's policy win over the cluster's default, in its namespace only", async () => {
      await cluster().apply(policy('team', { kubernetesProbeEndpoints: { livenessProbe: '/team' } }));
      await untilProbePath(cluster(), 'apps', 'livenessProbe', '/team');
      const [mine, theirs] = [await createPod('team', 'apps'), await createPod('team', 'others')];
      expect(provenance(mine)).toMatchObject({
        livenessProbe: 'ProbePolicy/apps/team',
        readinessProbe: 'ClusterProbePolicy/platform',
      });
      expect(probePath(mine, 'readinessProbe')).toBe('/ready');
      expect(probePath(theirs, 'livenessProbe')).toBe('/live');
    });

    it('uses an edited policy for the next Pod within two seconds, in every replica', async () => {
      await cluster().apply(policy('team', { kubernetesProbeEndpoints: { livenessProbe: '/edited' } }));
      const took = await untilProbePath(cluster(), 'apps', 'livenessProbe', '/edited', 2_000);
      expect(probePath(await createPod('edited', 'apps'), 'livenessProbe')).toBe('/edited');
      report('policy edit', `counts ${readable(took)} after kubectl apply returned`);
    });

    it('tells an accepted policy so', async () => {
      const { status } = await untilJudged('team');
      expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'Accepted' }]);
    });

    describe('with a policy that cannot be read', () => {
      beforeAll(async () => {
        await withoutCel(cluster(), async () => {
          await cluster().apply(
            policy('never-good', contradiction),
            policy('team', { ...contradiction, kubernetesProbeEndpoints: { livenessProbe: '/worse' } }),
          );
          await untilJudged('never-good');
          await untilJudged('team');
        });
      });

      it('shows what is wrong and where in kubectl get probepolicies', async () => {
        const table = await cluster().kubectl(['get', 'probepolicies', '--namespace=apps']);
        for (const name of ['never-good', 'team']) expect(row(table.stdout, name)).toMatch(/\bFalse\s+Invalid\b/);
        const wide = await cluster().kubectl(['get', 'probepolicies', '--namespace=apps', '--output=wide']);
        expect(row(wide.stdout, 'never-good')).toContain(contradictionPath);
        const { status } = await readPolicy('never-good');
        expect(status?.conditions?.[0]?.message).toContain(`${contradictionPath}: is an HTTP path`);
      });

      it('keeps its last good version in force, and everybody else as they were', async () => {
        const { status, metadata } = await readPolicy('team');
        expect(status?.observedGeneration).toBe(metadata.generation);
        expect(status?.conditions?.[0]?.message).toMatch(/^generation \d+ stays in force/);
        await expectEverywhere('last-good', '/edited');
      });

      it('is not in force any more when all replicas were restarted, and says so', async () => {
        const codes = await Promise.all(release().replicas.map((replica) => release().end(replica)));
        expect(codes).toEqual([0, 0]);
        await release().start(2, start());
        await expectEverywhere('after-restart', '/live');
        await waitUntil('the status says so', async () =>
          (await readPolicy('team')).status?.conditions?.[0]?.message.startsWith('no version is in force'),
        );
      });

      it('counts again as soon as it is right', async () => {
        await cluster().apply(policy('team', { kubernetesProbeEndpoints: { livenessProbe: '/repaired' } }));
        await untilProbePath(cluster(), 'apps', 'livenessProbe', '/repaired', 2_000);
        const { status } = await untilJudged('team');
        expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'Accepted' }]);
        await cluster().kubectl(['delete', 'probepolicy', 'never-good', '--namespace=apps']);
      });

      async function expectEverywhere(name: string, liveness: string): Promise<void> {
        // Several, as each may be answered by another replica.
        for (let trial = 0; trial < 10; trial += 1) {
          const stored = trial === 0 ? await createPod(name, 'apps') : await dryRun(cluster(), 'apps');
          expect(probeKinds.map((kind) => probePath(stored, kind))).toEqual(['/start', liveness, '/ready']);
        }
        expect(probePath(await createPod(name, 'others'), 'livenessProbe')).toBe('/live');
      }
    });

    function start(): ReplicaStart {
      return { args: ['--policies', directory.path, '--drain-seconds', '0'] };
    }

    async function createPod(name: string, namespace: string): Promise<StoredPod> {
      const args = ['create', '--filename=-', '--output=json'];
      const { stdout } = await cluster().kubectl(args, { input: JSON.stringify(pod(name, namespace)) });
      return JSON.parse(stdout) as StoredPod;
    }

    function readPolicy(name: string): Promise<PolicyStatus> {
      return cluster().read<PolicyStatus>(`/apis/probewright.dev/v1alpha1/namespaces/apps/probepolicies/${name}`);
    }

    /** The policy once its status speaks of its newest version. */
    function untilJudged(name: string): Promise<PolicyStatus> {
      return waitUntil(`the status of ${name} is up to date`, async () => {
        const found = await readPolicy(name);
        return found.status?.observedGeneration === found.metadata.generation && found;
      });
    }
  });
}

/** The line of a kubectl table that is about the object. */
function row(table: string, name: string): string {
  return table.split('\n').find((line) => line.startsWith(`${name} `)) ?? '';
}

/** What the schema lets through where it has no CEL rules, and the parser does not: a path beside another handler. */
const contradiction = {
  containers: ['app'],
  kubernetesProbeEndpoints: { livenessProbe: '/broken' },
  probes: { livenessProbe: { tcpSocket: { port: 8080 } } },
};
const contradictionPath = 'spec.kubernetesProbeEndpoints.livenessProbe';

/**
 * Runs with the CRDs' CEL rules taken out, as a server that knows none has them: it is the only way for some broken
 * policies to get in. On such a server this changes nothing.
 */
async function withoutCel(cluster: Cluster, run: () => Promise<void>): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/probepolicies.probewright.dev';
  const original = await cluster.read<object>(path);
  const spec = (definition: object): object => (definition as { spec: object }).spec;
  const stripped = JSON.parse(
    JSON.stringify(original, (key, value: unknown) => (key === 'x-kubernetes-validations' ? undefined : value)),
  ) as object;
  await replaceSpec(cluster, path, spec(stripped));
  const trial = policyDocument(contradiction, 'never-good');
  await waitUntil('the server takes what only CEL refuses', async () => {
    const { code } = await cluster.kubectl(['apply', '--dry-run=server', '--filename=-'], {
      input: JSON.stringify(trial),
      allowFailure: true,
    });
    return code === 0;
  });
  try {
    await run();
  } finally {
    await replaceSpec(cluster, path, spec(original));
  }
}

async function replaceSpec(cluster: Cluster, path: string, spec: object): Promise<void> {
  const headers = { 'content-type': 'application/json-patch+json' };
  const patch = [{ op: 'replace', path: '/spec', value: spec }];
  const { status, body } = await cluster.request('PATCH', path, JSON.stringify(patch), headers);
  if (status !== 200) throw new Error(`PATCH ${path}: ${status} ${body}`);
}
