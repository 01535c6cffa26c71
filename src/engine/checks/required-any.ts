import { requiresProbe } from './lib/missing-probe.ts';
import { defineCheck } from './check.ts';

/** The same rule: Kyverno, require-pod-probes. */
export const requiredAny = defineCheck({
  id: 'required-any',
  summary: 'A container has no probe at all.',
  ...requiresProbe(undefined, ''),
});
