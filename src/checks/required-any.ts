import { PROBE_KINDS } from '../probes/probe.ts';
import { hasProbe } from './checked-probe.ts';
import { concernedParameters, isConcerned, probeToWrite } from './missing-probe.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { Finding } from './check.ts';

/**
 * Fields: `livenessProbe`, `readinessProbe`, `startupProbe`.
 *
 * Rule: a container of a workload that runs until it is deleted has at least one of these probes (Kyverno,
 * require-pod-probes). The check is off by default.
 */
export const requiredAny = defineCheck({
  id: 'required-any',
  summary: 'A container has no probe at all.',
  action: 'Off',
  parameters: concernedParameters,
  requiresProbes: true,
  run: (workload, container, parameters): Finding[] => {
    if (!isConcerned(workload, container, parameters)) return [];
    if (PROBE_KINDS.some((kind) => hasProbe(container, kind))) return [];
    const probe = probeToWrite(container, 'readinessProbe');
    const message = `${containerPhrase(container)} has no probe at all; write at least ${probe}`;
    return [{ path: container.place.path(), message }];
  },
});
