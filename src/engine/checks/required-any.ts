import { PROBE_KINDS } from '../probe/probe.ts';
import { concernedParameters, missingProbe } from './lib/missing-probe.ts';
import { hasProbe } from './checked-workload.ts';
import { defineCheck } from './check.ts';

/** The same rule: Kyverno, require-pod-probes. */
export const requiredAny = defineCheck({
  id: 'required-any',
  summary: 'A container has no probe at all.',
  action: 'Off',
  parameters: concernedParameters,
  requiresProbes: true,
  run: (container, parameters) =>
    PROBE_KINDS.some((kind) => hasProbe(container, kind)) ? undefined : missingProbe(container, parameters),
});
