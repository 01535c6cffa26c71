import { boolean } from '../policy/check-parameters.ts';
import { concernedParameters, missingProbe } from './lib/missing-probe.ts';
import { hasProbe } from './checked-workload.ts';
import { defineCheck } from './check.ts';

/**
 * Field: `startupProbe`. Rule: a container of a workload that runs until it is deleted has a startup probe. Without the
 * probe, the liveness probe may kill a container that starts slowly. With `whenLiveness: true`, only a container with a
 * liveness probe needs a startup probe. The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden, kube-score,
 * Datree. The check is off by default.
 */
export const requiredStartup = defineCheck({
  id: 'required-startup',
  summary: 'A container has no startup probe.',
  action: 'Off',
  parameters: {
    ...concernedParameters,
    whenLiveness: boolean({
      default: false,
      text: 'true: only containers with a liveness probe must have one, as nothing kills the others. Default false.',
    }),
  },
  requiresProbes: true,
  relatedProbes: ['livenessProbe'],
  run: (container, parameters) => {
    if (hasProbe(container, 'startupProbe')) return undefined;
    if (parameters.whenLiveness && !hasProbe(container, 'livenessProbe')) return undefined;
    return missingProbe(container, parameters, { kind: 'startupProbe', harm: ' and starts without protection' });
  },
});
