import { beforeAll, expect, it } from 'vitest';
import { nativeObjects } from '../../src/native/objects.ts';
import { appContainer, clusterPolicyDocument, policySet } from '../support/worlds.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { applyCrds } from './custom-resource-definitions.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from './control-plane.ts';
import { run } from './processes.ts';
import { whyNoNativePolicy } from './native-api.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const POLICY = clusterPolicyDocument({
  containers: ['*'],
  kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: '/ready' },
});

const deployment = (name: string, members: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'apps' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [appContainer(members)] } },
  },
});

describeUnless(controlPlaneProblem(), 'commands on a cluster whose API server injects', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let whyNot: string | undefined;

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    for (const name of ['apps', 'probewright']) await cluster.kubectl(['create', 'namespace', name]);
    await applyCrds(cluster);
    await cluster.apply(deployment('plain'), deployment('large', { env: [{ name: 'A', value: 'x'.repeat(40_000) }] }));
    whyNot = await whyNoNativePolicy(cluster);
  }, 180_000);

  const command = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: cluster.kubeconfig };
    const { stdout, stderr } = await run(process.execPath, ['src/probewright.js', ...args, '-n', 'apps'], { env });
    return `${stdout}\n${stderr}`;
  };

  it('say that nothing injects, and then that the native policy does, and what it leaves out', async (context) => {
    context.skip(whyNot !== undefined, whyNot);
    await cluster.apply(POLICY);
    expect(await command('explain')).toContain('Nothing injects: the cluster has no webhook that injects');
    const [definition, ...others] = nativeObjects(policySet(POLICY), 'probewright');
    await cluster.apply(...(definition ? [definition] : []));
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/namespaceprobes.probewright.dev']);
    await cluster.apply(...others);
    const explained = await command('explain');
    expect(explained).toContain('The native policy injects livenessProbe, readinessProbe, startupProbe.');
    expect(explained).toContain('The native policy injects nothing. The webhook would also inject livenessProbe');
    expect(explained).toContain(
      'size (a Pod with thousands of elements, with dozens of different containers, or with long commands)',
    );
    const planned = await command('plan', '--remove', 'ClusterProbePolicy/cluster');
    expect(planned).toContain('The native policy injects 0 probes into these workloads; the webhook would inject 0.');
    expect(await command('report')).toContain('The native policy injects; 1 of 2 workloads gets fewer probes');
  });
});
