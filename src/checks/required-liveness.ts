import { hasProbe } from './checked-probe.ts';
import { concernedParameters, isConcerned, probeToWrite } from './missing-probe.ts';
import { containerPhrase } from './wording.ts';
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
  run: (workload, container, parameters): Finding[] => {
    if (!isConcerned(workload, container, parameters) || hasProbe(container, 'livenessProbe')) return [];
    const probe = probeToWrite(container, 'livenessProbe');
    const message = `${containerPhrase(container)} has no livenessProbe and is never restarted when it hangs; write ${probe}`;
    return [{ probe: 'livenessProbe', path: container.place.path('livenessProbe'), message }];
  },
});
