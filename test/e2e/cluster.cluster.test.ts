import { beforeAll } from 'vitest';
import { certificateScenarios } from './cluster-certificates.ts';
import { exceptionScenarios } from './cluster-exceptions.ts';
import { freshNamespaceScenarios } from './cluster-fresh-namespaces.ts';
import { type Healed, healingScenarios, quietScenario } from './cluster-healing.ts';
import { leastPrivilegeScenarios } from './cluster-least-privilege.ts';
import { outageScenarios } from './cluster-outage.ts';
import { policyScenarios } from './cluster-policies.ts';
import { policyReviewScenarios } from './cluster-policy-reviews.ts';
import { replacementScenarios, twinScenarios } from './cluster-replicas.ts';
import { servingPairScenarios, tlsSecret } from './cluster-serving-pairs.ts';
import { statusScenarios } from './cluster-statuses.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { controlPlaneProblem } from './control-plane.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import type { Release } from './release.ts';

/**
 * Everything that Probewright does in a cluster, in one control plane: its scenarios take minutes of waiting, and least
 * privilege is only known when all of them have run. They can be run one by one all the same (`-t`), but for the last.
 */
describeUnless(controlPlaneProblem({ controllers: true }), 'Probewright in a cluster', () => {
  const keep = endedAfterAll();
  const namespaces = { main: 'probewright-system', twins: 'probewright-twins', pairs: 'probewright-pairs' };
  const healed: Healed = { at: 0, generations: [] };
  let started: Cluster;
  let main: Release;

  beforeAll(async () => {
    started = await keep(startCluster(Object.values(namespaces)));
    for (const name of ['apps', 'others']) await started.kubectl(['create', 'namespace', name]);
    main = await started.install({ namespace: namespaces.main, name: 'probewright' });
  });

  const cluster = (): Cluster => started;
  const release = (): Release => main;

  policyScenarios(cluster, release);
  statusScenarios(cluster, release);
  exceptionScenarios(cluster, release);
  policyReviewScenarios(cluster, release);
  replacementScenarios(cluster, release);
  healingScenarios(cluster, release, healed);
  // They fill the time in which nobody may write to the main release's configurations in.
  twinScenarios(cluster, () => cluster().install({ namespace: namespaces.twins, name: 'twins', dormant: true }));
  servingPairScenarios(cluster, () =>
    cluster().install({ namespace: namespaces.pairs, name: 'pairs', dormant: true, tlsSecret }),
  );
  quietScenario(release, healed);
  freshNamespaceScenarios(cluster, release);
  outageScenarios(cluster, release);
  certificateScenarios(cluster, release);
  leastPrivilegeScenarios(cluster);
});
