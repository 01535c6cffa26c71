import { containerPhrase, defineCheck, located } from './check.ts';

/** With restartPolicy Never the kubelet kills and does not restart (documentation, Pod lifecycle). */
export const livenessNeverRestarts = defineCheck({
  id: 'liveness-never-restarts',
  summary: 'A probe kills the container, and restartPolicy Never leaves it dead.',
  action: 'Warn',
  cannotWork: true,
  kinds: ['livenessProbe', 'startupProbe'],
  eachProbe: (probe) => {
    const { container, kind, timing } = probe;
    if (container.mayBeRestarted) return undefined;
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
