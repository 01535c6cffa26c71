import { beforeAll, expect, it } from 'vitest';
import { helmProblem } from '../chart/helm.ts';
import { type ChartCluster, startChartCluster } from './chart-cluster.ts';
import { docsScenarios } from './chart-docs.ts';
import { installScenarios, rolloutScenarios } from './chart-install.ts';
import { outageScenarios } from './chart-outage.ts';
import { repairScenarios } from './chart-repairs.ts';
import { renameScenarios } from './chart-rename.ts';
import { upgradeScenarios } from './chart-upgrade.ts';
import { controlPlaneProblem } from './control-plane.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';

/** A Pod's root, its service account's path and the Service's port 443 are only to be had as root. */
const rights = process.getuid?.() === 0 ? undefined : 'its Pods need port 443 and roots of their own, which takes root';
const problem = controlPlaneProblem({ controllers: true }) ?? helmProblem() ?? rights;

/** Day one and day two of the release, as helm installs it; its Pods run as processes here. One after another: each begins where the last ended. */
describeUnless(problem, 'the chart in a cluster', () => {
  const keep = endedAfterAll();
  let started: ChartCluster;

  beforeAll(async () => {
    started = await keep(startChartCluster());
  });

  const cluster = (): ChartCluster => started;

  installScenarios(cluster);
  rolloutScenarios(cluster);
  outageScenarios(cluster);
  repairScenarios(cluster);
  upgradeScenarios(cluster);
  renameScenarios(cluster);
  docsScenarios(cluster);

  it('was played faithfully: no kubelet and no proxy failed', () => {
    expect([...cluster().kubelet.problems, ...cluster().proxy.problems]).toEqual([]);
  });
});
