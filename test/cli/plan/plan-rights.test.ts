import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { BUILT_INS, discovery, POLICIES, writeKubeconfig } from '../input/discovery.ts';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
let api: FakeApiServer;
beforeEach(async () => {
  directory = await temporaryDirectory();
  api = await startFakeApiServer();
});
afterEach(async () => {
  await api.stop();
});

/** Runs plan in namespace apps of a cluster that forbids these resources. */
async function planWithout(...forbidden: string[]): Promise<Ran> {
  api.put('/api/v1/namespaces', { metadata: { name: 'apps' } });
  const known = discovery([...BUILT_INS, ...POLICIES]);
  api.intercept((request) =>
    forbidden.some((resource) => request.path.endsWith(`/${resource}`)) ? { status: 403 } : known(request),
  );
  const kubeconfig = await writeKubeconfig(directory, api, 'apps');
  const policy = join(directory, 'policy.yaml');
  await writeFile(
    policy,
    'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: a, namespace: apps }\nspec: {}\n',
  );
  return await runProbewright(['plan', '--policies', policy, '--kubeconfig', kubeconfig]);
}

it('names all missing rights at once, and prints no plan, when policies or exceptions may not be read', async () => {
  const { code, stdout, stderr } = await planWithout(
    'probepolicies',
    'clusterprobepolicies',
    'probeexceptions',
    'services',
    'jobs',
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trimEnd().split('\n').sort()).toEqual([
    'cluster: cannot list jobs.batch in namespace apps: forbidden',
    'cluster: cannot list probeexceptions.probewright.dev in namespace apps: forbidden',
    'cluster: cannot list probepolicies.probewright.dev in namespace apps: forbidden',
    'cluster: warning: cannot list clusterprobepolicies.probewright.dev in the cluster: forbidden',
    'cluster: warning: cannot list services in namespace apps: forbidden',
  ]);
});

it('plans for the workloads that can be read, and ends with 2, when a kind of workloads may not be read', async () => {
  const { code, stdout, stderr } = await planWithout('jobs');
  expect(code).toBe(2);
  expect(stdout).toContain('Plan: no effect on 0 workloads');
  expect(stderr).toBe('cluster: cannot list jobs.batch in namespace apps: forbidden\n');
});
