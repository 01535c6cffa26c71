import { hasProbe } from './checked-probe.ts';
import { concernedParameters, missingProbe } from './lib/missing-probe.ts';
import { defineCheck } from './check.ts';
import type { Finding } from './check.ts';

/**
 * Field: `readinessProbe`.
 *
 * Rule: a container of a workload that runs until it is deleted has a readiness probe. Without the probe, a container
 * gets traffic as soon as it runs, and as long as it runs. The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden,
 * kube-score, Datree. The check is off by default.
 */
export const requiredReadiness = defineCheck({
  id: 'required-readiness',
  summary: 'A container has no readiness probe.',
  action: 'Off',
  parameters: concernedParameters,
  requiresProbes: true,
  run: (workload, container, parameters): readonly Finding[] => {
    if (hasProbe(container, 'readinessProbe')) return [];
    const finding = missingProbe(workload, container, parameters, LACKING);
    return finding === undefined ? [] : [finding];
  },
});

const LACKING = {
  phrase: 'readinessProbe',
  harm: ' and gets traffic as soon as it runs',
  probe: 'readinessProbe',
  write: 'readinessProbe',
} as const;
