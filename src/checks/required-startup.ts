import { hasProbe } from './checked-probe.ts';
import { booleanParameter } from './parameters.ts';
import { isConcerned, probeToWrite } from './missing-probe.ts';
import { the } from './wording.ts';
import type { Check, Finding } from './check.ts';

/**
 * Field: `startupProbe`.
 *
 * Rule: a container of a workload that runs for ever has one. Without one the liveness probe may kill a container
 * that starts slowly. With `whenLiveness: true` only a container that has a liveness probe needs one. The same rule:
 * Polaris, kube-linter, Gatekeeper, Kubewarden, kube-score, Datree. Off until a policy asks.
 */
export const requiredStartup: Check = {
  id: 'required-startup',
  relatedProbes: ['livenessProbe'],
  run: (workload, container, parameters): Finding[] => {
    if (!isConcerned(workload, container, parameters) || hasProbe(container, 'startupProbe')) return [];
    if (booleanParameter(parameters, 'whenLiveness') && !hasProbe(container, 'livenessProbe')) return [];
    const message = `${the(container)} has no startupProbe and starts without protection; write ${probeToWrite(container, 'startupProbe')}`;
    return [{ probe: 'startupProbe', path: `${container.path}.startupProbe`, message }];
  },
};
