import { kindEntry, BUILT_IN_KINDS, type WorkloadKind } from './kinds.ts';

/** Widely used custom kinds. In a cluster a webhook rule has to send them; offline they need no configuration. */
export const READY_MADE_KINDS: readonly WorkloadKind[] = [
  kindEntry('argoproj.io', 'Rollout'),
  kindEntry('apps.kruise.io', 'CloneSet'),
  { ...kindEntry('serving.knative.dev', 'Service'), defaultProbePort: 8080 },
  kindEntry('keda.sh', 'ScaledJob', 'spec.jobTargetRef.template', true),
  kindEntry('jobset.x-k8s.io', 'JobSet', 'spec.replicatedJobs.*.template.spec.template', true),
  kindEntry(
    'leaderworkerset.x-k8s.io',
    'LeaderWorkerSet',
    'spec.leaderWorkerTemplate.leaderTemplate spec.leaderWorkerTemplate.workerTemplate',
  ),
];

/** True for a kind that nobody configured. An entry of a file replaces the ready-made kind. */
export function isReadyMade(kind: WorkloadKind): boolean {
  return READY_MADE_KINDS.includes(kind);
}

/** Every kind that is known without configuration. */
export const KNOWN_KINDS: readonly WorkloadKind[] = [...BUILT_IN_KINDS, ...READY_MADE_KINDS];
