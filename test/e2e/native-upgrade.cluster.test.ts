import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { helmProblem } from '../chart/helm.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.ts';
import { controlPlaneProblem } from './control-plane.ts';
import { loadFigure, loadNamespace, prepareLoad, startLoad } from './load.ts';
import { dryRun, hasThreeProbes, provenance } from './pods.ts';
import { whyNoNativePolicy } from './native-api.ts';
import { waitUntil } from './processes.ts';
import { report } from './scenario-figure.ts';

const rights = process.getuid?.() === 0 ? undefined : 'its Pods need port 443 and roots of their own, which takes root';
const problem = controlPlaneProblem({ controllers: true }) ?? helmProblem() ?? rights;
const RELEASE = 'probewright charts/probewright --namespace probewright-system';
const UPGRADE = `helm upgrade ${RELEASE} --reset-then-reuse-values`;
const QUIET = 3_000;

describeUnless(problem, 'an upgrade between the webhook and the native policy', () => {
  const keep = endedAfterAll();
  let cluster: ChartCluster;
  let whyNot: string | undefined;

  beforeAll(async () => {
    cluster = await keep(startChartCluster());
    await cluster.sh(`helm install ${RELEASE} --create-namespace --set image.repository=localhost/probewright`);
    await cluster.untilRolledOut(2);
    whyNot = await whyNoNativePolicy(cluster);
  });

  it('is refused where the cluster has no API for it, and before the parameters are there', async () => {
    const set = '--set mutation=Native,observer.enabled=true,observer.nativeParams=true';
    const { code, stderr } = await cluster.shell(`${UPGRADE} ${set}`);
    expect(code).not.toBe(0);
    const says = whyNot === undefined ? 'First upgrade with mutation On' : 'has no MutatingAdmissionPolicy v1';
    expect(stderr).toContain(says);
  });

  it(
    'leaves no Pod without probes, and none with other ones, in both directions',
    { timeout: 300_000 },
    async (context) => {
      if (whyNot !== undefined) console.log(`skipped: ${whyNot}`);
      context.skip(whyNot !== undefined, whyNot);
      await prepareLoad(cluster);
      const alone = await dryRun(cluster, loadNamespace);
      // Not so many that a busy machine loses calls: what matters is when they come.
      const load = startLoad(cluster, { namespace: loadNamespace, perSecond: 10, clients: 2 });
      await sleep(QUIET);
      await cluster.sh(`${UPGRADE} --set observer.enabled=true,observer.nativeParams=true`);
      const param = 'kubectl get namespaceprobes cluster --namespace probewright-system';
      await waitUntil('the parameters are there', async () => (await cluster.shell(param)).code === 0, 60_000);
      await sleep(QUIET);
      await cluster.sh(`${UPGRADE} --set mutation=Native`);
      await sleep(QUIET);
      const native = await dryRun(cluster, loadNamespace);
      await cluster.sh(`${UPGRADE} --set-string mutation=On`);
      await sleep(QUIET);
      const both = await dryRun(cluster, loadNamespace);
      await cluster.sh(`${UPGRADE} --set observer.nativeParams=false`);
      await sleep(QUIET);
      const result = await load.stop();
      report('from the webhook to the native policy and back', loadFigure(result));
      expect(result.failures).toEqual([]);
      expect(result.unpatched).toEqual([]);
      for (const pod of [native, both]) {
        expect(hasThreeProbes(pod)).toBe(true);
        expect(pod.spec.containers).toEqual(alone.spec.containers);
        expect(provenance(pod)).toEqual(provenance(alone));
      }
    },
  );
});
