import { requiresProbe } from './required-any.ts';
import { defineCheck } from './check.ts';

/** The same rule: Polaris, kube-linter, Gatekeeper, Kubewarden, kube-score, Datree. */
export const requiredLiveness = defineCheck({
  id: 'required-liveness',
  summary: 'A container has no liveness probe.',
  ...requiresProbe('livenessProbe', ' and is never restarted when it hangs'),
});
