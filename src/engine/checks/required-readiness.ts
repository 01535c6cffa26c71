import { concernedParameters, missingProbe } from './lib/missing-probe.ts';
import { hasProbe } from './checked-workload.ts';
import { defineCheck } from './check.ts';

/**
 * Field: `readinessProbe`. Rule: a container of a workload that runs until it is deleted has a readiness probe. Without
 * the probe, a container gets traffic as soon as it runs, and as long as it runs. The same rule: Polaris, kube-linter,
 * Gatekeeper, Kubewarden, kube-score, Datree. The check is off by default.
 */
export const requiredReadiness = defineCheck({
  id: 'required-readiness',
  summary: 'A container has no readiness probe.',
  action: 'Off',
  parameters: concernedParameters,
  requiresProbes: true,
  run: (container, parameters) =>
    hasProbe(container, 'readinessProbe')
      ? undefined
      : missingProbe(container, parameters, { kind: 'readinessProbe', harm: ' and gets traffic as soon as it runs' }),
});
