import { PROBE_KINDS } from '../probe/probe.ts';
import { concernedParameters, missingProbe } from './lib/missing-probe.ts';
import { hasProbe } from './checked-workload.ts';
import { defineCheck } from './check.ts';

/**
 * Fields: `livenessProbe`, `readinessProbe`, `startupProbe`. Rule: a container of a workload that runs until it is
 * deleted has at least one of these probes (Kyverno, require-pod-probes). The check is off by default.
 */
export const requiredAny = defineCheck({
  id: 'required-any',
  summary: 'A container has no probe at all.',
  action: 'Off',
  parameters: concernedParameters,
  requiresProbes: true,
  run: (container, parameters) =>
    PROBE_KINDS.some((kind) => hasProbe(container, kind)) ? undefined : missingProbe(container, parameters),
});
