import { isJsonObject, member } from '../probes/json.ts';
import { failureThresholdBeyond, faultSpan } from '../probes/timing.ts';
import { isPresent, probeOf, timingOf } from './checked-probe.ts';
import { the } from './wording.ts';
import type { JsonObject } from '../probes/json.ts';
import type { Check, Finding } from './check.ts';

/**
 * Fields: `livenessProbe`, `readinessProbe`, whole.
 *
 * Rule: they are not deeply equal after API defaulting (Kyverno, validate-probes; BSI IT-Grundschutz APP.4.4). Equal
 * probes give up together, so a fault restarts what should be drained. Off until a policy asks: shared-endpoint knows
 * when the same endpoint is fine.
 */
export const identicalProbes: Check = {
  id: 'identical-probes',
  run: (_workload, container): Finding[] => {
    const liveness = probeOf(container, 'livenessProbe');
    const readiness = probeOf(container, 'readinessProbe');
    const timing = liveness && timingOf(liveness);
    if (liveness === undefined || readiness === undefined || timing === undefined) return [];
    if (canonical(withoutNoDelay(liveness.spec)) !== canonical(withoutNoDelay(readiness.spec))) return [];
    const enough = failureThresholdBeyond(faultSpan(timing, timing.timeoutSeconds).latest, timing.periodSeconds);
    const message =
      `${the(container)} has the same probe for liveness and readiness, so a fault restarts it instead of draining it; ` +
      `write failureThreshold: ${enough}, or an endpoint of its own`;
    return [{ probe: 'livenessProbe', path: liveness.path, message }];
  },
};

/** `initialDelaySeconds: 0` says what its absence says. */
function withoutNoDelay(probe: JsonObject): JsonObject {
  return member(probe, 'initialDelaySeconds') === 0 ? { ...probe, initialDelaySeconds: null } : probe;
}

/** JSON with sorted keys and without nulls, which the API server takes for absent. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, inner]) => isPresent(inner));
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
