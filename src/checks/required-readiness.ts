import { hasProbe } from './checked-probe.ts';
import { isConcerned, probeToWrite } from './missing-probe.ts';
import { the } from './wording.ts';
import type { Check, Finding } from './check.ts';

/**
 * Field: `readinessProbe`.
 *
 * Rule: a container of a workload that runs for ever has one. Without one a container gets traffic as soon as it
 * runs, and as long as it runs. The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden, kube-score, Datree. Off
 * until a policy asks.
 */
export const requiredReadiness: Check = {
  id: 'required-readiness',
  run: (workload, container, parameters): Finding[] => {
    if (!isConcerned(workload, container, parameters) || hasProbe(container, 'readinessProbe')) return [];
    const probe = probeToWrite(container, 'readinessProbe');
    const message = `${the(container)} has no readinessProbe and gets traffic as soon as it runs; write ${probe}`;
    return [{ probe: 'readinessProbe', path: `${container.path}.readinessProbe`, message }];
  },
};
