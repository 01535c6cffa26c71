import { requiresProbe } from './required-any.ts';
import { defineCheck } from './check.ts';

/** The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden, kube-score, Datree. */
export const requiredReadiness = defineCheck({
  id: 'required-readiness',
  summary: 'A container has no readiness probe.',
  ...requiresProbe('readinessProbe', ' and gets traffic as soon as it runs'),
});
