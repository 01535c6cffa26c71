import { isJsonObject, member } from '../probes/json.ts';
import { failureThresholdBeyond, faultSpan } from '../probes/timing.ts';
import { isPresent, probeOf } from './checked-probe.ts';
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
  relatedProbes: ['livenessProbe', 'readinessProbe'],
  run: (_workload, container): Finding[] => {
    const liveness = probeOf(container, 'livenessProbe');
    const readiness = probeOf(container, 'readinessProbe');
    const timing = liveness?.timing;
    if (liveness === undefined || readiness === undefined || timing === undefined) return [];
    if (!areEqual(withoutNoDelay(liveness.spec), withoutNoDelay(readiness.spec))) return [];
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

/** Deep equality; nulls are as good as absent, as they are to the API server. */
function areEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, index) => areEqual(element, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  return (
    Object.keys(a).every((key) => areEqual(member(a, key) ?? null, member(b, key) ?? null)) &&
    Object.keys(b).every((key) => isPresent(member(a, key)) || !isPresent(member(b, key)))
  );
}
