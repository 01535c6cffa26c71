import { PROBE_KINDS } from '../probe/probe.ts';
import { hasProbe } from './checked-probe.ts';
import { concernedParameters, missingProbe } from './lib/missing-probe.ts';
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
  run: (workload, container, parameters): readonly Finding[] => {
    if (PROBE_KINDS.some((kind) => hasProbe(container, kind))) return [];
    const finding = missingProbe(workload, container, parameters, LACKING);
    return finding === undefined ? [] : [finding];
  },
});

const LACKING = { phrase: 'probe at all', harm: '', write: 'readinessProbe' } as const;
