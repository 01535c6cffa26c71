import { concernedParameters, requiresProbe } from './required-any.ts';
import { hasProbe } from '../workload/pod.ts';
import { defineCheck } from './check.ts';

const required = requiresProbe('startupProbe', ' and starts without protection');

/** The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden, kube-score, Datree. */
export const requiredStartup = defineCheck({
  ...required,
  id: 'required-startup',
  summary: 'A container has no startup probe.',
  parameters: {
    ...concernedParameters,
    whenLiveness: {
      type: 'boolean',
      default: false,
      text: 'true: only containers with a liveness probe must have one, as nothing kills the others. Default false.',
    },
  },
  relatedProbes: ['livenessProbe'],
  run: (container, parameters, workload) =>
    parameters.whenLiveness && !hasProbe(container, 'livenessProbe')
      ? undefined
      : required.run(container, parameters, workload),
});
