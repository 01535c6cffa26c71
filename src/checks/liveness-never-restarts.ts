import { member } from '../probes/json.ts';
import { the } from './wording.ts';
import type { Check, CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `livenessProbe`, `startupProbe`; `restartPolicy` of the container, else of the Pod; `restartPolicyRules` of
 * the container.
 *
 * Rule: no liveness or startup probe where nothing restarts the container: with restartPolicy Never the kubelet kills
 * it and leaves it dead (Pod lifecycle documentation: such probes want Always or OnFailure). A sidecar's own
 * restartPolicy is Always; a container with restart rules may be restarted by them.
 */
export const livenessNeverRestarts: Check = {
  id: 'liveness-never-restarts',
  run: (workload, container) =>
    isRestarted(workload, container)
      ? []
      : container.probes.filter((probe) => probe.kind !== 'readinessProbe').map((probe) => finding(container, probe)),
};

function isRestarted(workload: CheckedWorkload, container: CheckedContainer): boolean {
  const rules = member(container.spec, 'restartPolicyRules');
  if (Array.isArray(rules) && rules.length > 0) return true;
  return (member(container.spec, 'restartPolicy') ?? member(workload.podSpec, 'restartPolicy')) !== 'Never';
}

function finding(container: CheckedContainer, probe: CheckedProbe): Finding {
  return {
    probe: probe.kind,
    path: probe.path,
    message:
      `${the(container)} is killed and stays dead the first time its ${probe.kind} gives up: restartPolicy is Never; ` +
      'leave the probe out, or write restartPolicy: OnFailure',
  };
}
