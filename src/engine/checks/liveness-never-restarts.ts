import { mayBeRestarted } from '../probe/restarts.ts';
import { containerPhrase } from './lib/wording.ts';
import { defineCheck } from './check.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `livenessProbe`, `startupProbe`; `restartPolicy` of the container, else of the Pod; `restartPolicyRules` of
 * the container.
 *
 * Rule: no liveness or startup probe where nothing restarts the container. With restartPolicy Never the kubelet kills
 * the container and does not restart it (Pod lifecycle documentation: use such probes with Always or OnFailure). The
 * restartPolicy of a sidecar is Always. Restart rules may restart a container, so such a container is skipped.
 */
export const livenessNeverRestarts = defineCheck({
  id: 'liveness-never-restarts',
  summary: 'A probe kills the container, and restartPolicy Never leaves it dead.',
  action: 'Warn',
  cannotWork: true,
  run: (workload, container) =>
    mayBeRestarted(container.spec, workload.podSpec)
      ? []
      : container.probes.filter((probe) => probe.kind !== 'readinessProbe').map((probe) => finding(container, probe)),
});

function finding(container: CheckedContainer, probe: CheckedProbe): Finding {
  return {
    probe: probe.kind,
    path: probe.place.path(),
    message:
      `${containerPhrase(container)} stays dead after its ${probe.kind} has failed ${failures(probe)}: ` +
      'restartPolicy Never lets nothing restart it',
    remedy: `remove the ${probe.kind}, or write restartPolicy: OnFailure`,
  };
}

function failures({ timing }: CheckedProbe): string {
  const count = timing?.failureThreshold;
  return count === undefined || count === 1 ? 'once' : `${count} times`;
}
