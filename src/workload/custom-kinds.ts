import { BUILT_IN_KINDS } from './kinds.ts';
import type { WorkloadKind } from './kinds.ts';

/**
 * Custom kinds that are widely used, by the paths of their CRDs. A webhook rule has to send them: until one does, knowing them costs
 * nothing, and offline they are looked at from the start.
 */
export const READY_MADE_KINDS: readonly WorkloadKind[] = [
  { group: 'argoproj.io', kind: 'Rollout', templatePaths: [['spec', 'template']], runsToCompletion: false },
  { group: 'apps.kruise.io', kind: 'CloneSet', templatePaths: [['spec', 'template']], runsToCompletion: false },
  {
    group: 'serving.knative.dev',
    kind: 'Service',
    templatePaths: [['spec', 'template']],
    runsToCompletion: false,
    defaultProbePort: 8080,
  },
  {
    group: 'keda.sh',
    kind: 'ScaledJob',
    templatePaths: [['spec', 'jobTargetRef', 'template']],
    runsToCompletion: true,
  },
  {
    group: 'jobset.x-k8s.io',
    kind: 'JobSet',
    templatePaths: [['spec', 'replicatedJobs', '*', 'template', 'spec', 'template']],
    runsToCompletion: true,
  },
  {
    group: 'leaderworkerset.x-k8s.io',
    kind: 'LeaderWorkerSet',
    templatePaths: [
      ['spec', 'leaderWorkerTemplate', 'leaderTemplate'],
      ['spec', 'leaderWorkerTemplate', 'workerTemplate'],
    ],
    runsToCompletion: false,
  },
];

/** Every kind that is known without configuration. */
export const KNOWN_KINDS: readonly WorkloadKind[] = [...BUILT_IN_KINDS, ...READY_MADE_KINDS];
