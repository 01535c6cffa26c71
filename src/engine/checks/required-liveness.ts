import { hasProbe } from './checked-probe.ts';
import { concernedParameters, missingProbe } from './lib/missing-probe.ts';
import { defineCheck } from './check.ts';
import type { Finding } from './check.ts';

/**
 * Field: `livenessProbe`.
 *
 * Rule: a container of a workload that runs until it is deleted has a liveness probe. Without the probe, nothing
 * restarts a container that hangs. The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden, kube-score, Datree. The
 * check is off by default.
 */
export const requiredLiveness = defineCheck({
  id: 'required-liveness',
  summary: 'A container has no liveness probe.',
  action: 'Off',
  parameters: concernedParameters,
  requiresProbes: true,
  run: (workload, container, parameters): readonly Finding[] => {
    if (hasProbe(container, 'livenessProbe')) return [];
    const finding = missingProbe(workload, container, parameters, LACKING);
    return finding === undefined ? [] : [finding];
  },
});

const LACKING = {
  phrase: 'livenessProbe',
  harm: ' and is never restarted when it hangs',
  probe: 'livenessProbe',
  write: 'livenessProbe',
} as const;
