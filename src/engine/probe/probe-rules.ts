import { inOrder, invalid, NO_CAUSES } from './api-cause.ts';
import { goInteger, goPointer, isSet } from './go-values.ts';
import { probeHandlerCauses } from './handler-rules.ts';
import { PROBE_KINDS } from './probe.ts';
import type { FieldPlace } from '../../base/json/field-place.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ProbeKind } from './probe.ts';

/** A container's three probes (validation.go, validateLivenessProbe, validateReadinessProbe, validateStartupProbe). */
export function probesCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  let causes = NO_CAUSES;
  for (const kind of PROBE_KINDS) {
    const probe = goPointer(container, kind);
    if (probe !== undefined) causes = inOrder(causes, probeCauses(kind, probe, place.at(kind)));
  }
  return causes;
}

function probeCauses(kind: ProbeKind, probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return inOrder(
    probeHandlerCauses(probe, place),
    integerCauses(probe, place),
    graceCauses(probe, place),
    kind === 'readinessProbe' ? readinessCauses(probe, place) : onceCauses(probe, place),
  );
}

const NON_NEGATIVE = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

/** No upper bounds: 68 years between two probes are accepted. */
function integerCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  let causes: ApiCause[] | undefined;
  for (const field of NON_NEGATIVE) {
    const value = goInteger(probe, field);
    if (value < 0) (causes ??= []).push(invalid(place.at(field), value, 'must be greater than or equal to 0'));
  }
  return causes ?? NO_CAUSES;
}

const GRACE = 'terminationGracePeriodSeconds';

function graceCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  if (!isSet(probe, GRACE)) return NO_CAUSES;
  const value = goInteger(probe, GRACE);
  return value <= 0 ? [invalid(place.at(GRACE), value, 'must be greater than 0')] : NO_CAUSES;
}

/** A readiness probe never kills, so it has no grace period of its own. */
function readinessCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  if (!isSet(probe, GRACE)) return NO_CAUSES;
  return [invalid(place.at(GRACE), goInteger(probe, GRACE), 'must not be set for readinessProbes')];
}

/** One success is enough for a liveness or startup probe, and no other number is accepted. */
function onceCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  const value = goInteger(probe, 'successThreshold');
  return value === 1 ? NO_CAUSES : [invalid(place.at('successThreshold'), value, 'must be 1')];
}
