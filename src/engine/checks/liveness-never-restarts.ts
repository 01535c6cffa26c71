import { mayBeRestarted } from '../probe/grace-period.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

/**
 * Fields: `livenessProbe`, `startupProbe`; `restartPolicy` of the container, else of the Pod; `restartPolicyRules` of
 * the container. Rule: no liveness or startup probe where nothing restarts the container. With restartPolicy Never the
 * kubelet kills the container and does not restart it (Pod lifecycle documentation: use such probes with Always or
 * OnFailure). The restartPolicy of a sidecar is Always. Restart rules may restart a container, so such a container is
 * skipped.
 */
export const livenessNeverRestarts = defineCheck({
  id: 'liveness-never-restarts',
  summary: 'A probe kills the container, and restartPolicy Never leaves it dead.',
  action: 'Warn',
  cannotWork: true,
  kinds: ['livenessProbe', 'startupProbe'],
  eachProbe: (probe) => {
    const { container, kind, timing } = probe;
    if (mayBeRestarted(container.spec, container.workload.podSpec)) return undefined;
    const count = timing?.failureThreshold ?? 1;
    return {
      ...located(probe),
      message:
        `${containerPhrase(container)} stays dead after its ${kind} has failed ${count === 1 ? 'once' : `${count} times`}: ` +
        'restartPolicy Never lets nothing restart it',
      remedy: `remove the ${kind}, or write restartPolicy: OnFailure`,
    };
  },
});
