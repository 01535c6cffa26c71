import { hasProbe } from './checked-probe.ts';
import { concernedParameters, isConcerned, probeToWrite } from './missing-probe.ts';
import { containerPhrase } from './wording.ts';
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
  run: (workload, container, parameters): Finding[] => {
    if (!isConcerned(workload, container, parameters) || hasProbe(container, 'readinessProbe')) return [];
    const probe = probeToWrite(container, 'readinessProbe');
    const message = `${containerPhrase(container)} has no readinessProbe and gets traffic as soon as it runs; write ${probe}`;
    return [{ probe: 'readinessProbe', path: container.place.path('readinessProbe'), message }];
  },
});
