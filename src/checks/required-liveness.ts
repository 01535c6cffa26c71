import { hasProbe } from './checked-probe.ts';
import { isConcerned, probeToWrite } from './missing-probe.ts';
import { the } from './wording.ts';
import type { Check, Finding } from './check.ts';

/**
 * Field: `livenessProbe`.
 *
 * Rule: a container of a workload that runs for ever has one. Nothing restarts a container that hangs without one.
 * The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden, kube-score, Datree. Off until a policy asks.
 */
export const requiredLiveness: Check = {
  id: 'required-liveness',
  run: (workload, container, parameters): Finding[] => {
    if (!isConcerned(workload, container, parameters) || hasProbe(container, 'livenessProbe')) return [];
    const probe = probeToWrite(container, 'livenessProbe');
    const message = `${the(container)} has no livenessProbe and is never restarted when it hangs; write ${probe}`;
    return [{ probe: 'livenessProbe', path: `${container.path}.livenessProbe`, message }];
  },
};
