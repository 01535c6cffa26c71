import { BUILT_IN_KINDS } from './kinds.ts';
import type { WorkloadKind } from './kinds.ts';

/**
 * Widely used custom kinds, with the template paths of their CRDs. In a cluster a webhook rule has to send these kinds;
 * offline they are checked without any configuration.
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

/** True for a kind that nobody configured. An entry of a file replaces the ready-made kind. */
export function isReadyMade(kind: WorkloadKind): boolean {
  return READY_MADE_KINDS.includes(kind);
}

/** Every kind that is known without configuration. */
export const KNOWN_KINDS: readonly WorkloadKind[] = [...BUILT_IN_KINDS, ...READY_MADE_KINDS];
