import { PROBE_KINDS } from '../probes/probe.ts';
import { hasProbe } from './checked-probe.ts';
import { isConcerned, probeToWrite } from './missing-probe.ts';
import { the } from './wording.ts';
import type { Check, Finding } from './check.ts';

/**
 * Fields: `livenessProbe`, `readinessProbe`, `startupProbe`.
 *
 * Rule: a container of a workload that runs for ever has at least one of them (Kyverno, require-pod-probes). Off
 * until a policy asks.
 */
export const requiredAny: Check = {
  id: 'required-any',
  run: (workload, container, parameters): Finding[] => {
    if (!isConcerned(workload, container, parameters)) return [];
    if (PROBE_KINDS.some((kind) => hasProbe(container, kind))) return [];
    const message = `${the(container)} has no probe at all; write at least ${probeToWrite(container, 'readinessProbe')}`;
    return [{ path: container.path, message }];
  },
};
