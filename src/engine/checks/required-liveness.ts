import { concernedParameters, missingProbe } from './lib/missing-probe.ts';
import { hasProbe } from './checked-workload.ts';
import { defineCheck } from './check.ts';

/**
 * Field: `livenessProbe`. Rule: a container of a workload that runs until it is deleted has a liveness probe. Without
 * the probe, nothing restarts a container that hangs. The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden,
 * kube-score, Datree. The check is off by default.
 */
export const requiredLiveness = defineCheck({
  id: 'required-liveness',
  summary: 'A container has no liveness probe.',
  action: 'Off',
  parameters: concernedParameters,
  requiresProbes: true,
  run: (container, parameters) =>
    hasProbe(container, 'livenessProbe')
      ? undefined
      : missingProbe(container, parameters, { kind: 'livenessProbe', harm: ' and is never restarted when it hangs' }),
});
