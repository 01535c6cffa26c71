import { invalid } from './api-cause.ts';
import { goInteger, goPointer, isSet } from './go-values.ts';
import { probeHandlerCauses } from './handler-rules.ts';
import { PROBE_KINDS } from './probe.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from './json.ts';
import type { ProbeKind } from './probe.ts';

/** A container's three probes (validation.go, validateLivenessProbe, validateReadinessProbe, validateStartupProbe). */
export function probesCauses(container: JsonObject, path: string): ApiCause[] {
  return PROBE_KINDS.flatMap((kind) => {
    const probe = goPointer(container, kind);
    return probe === undefined ? [] : probeCauses(kind, probe, `${path}.${kind}`);
  });
}

function probeCauses(kind: ProbeKind, probe: JsonObject, path: string): ApiCause[] {
  return [
    ...probeHandlerCauses(probe, path),
    ...integerCauses(probe, path),
    ...graceCauses(probe, path),
    ...(kind === 'readinessProbe' ? readinessCauses(probe, path) : onceCauses(probe, path)),
  ];
}

const NON_NEGATIVE = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

/** No upper bounds: 68 years between two probes are accepted. */
function integerCauses(probe: JsonObject, path: string): ApiCause[] {
  return NON_NEGATIVE.flatMap((field) => {
    const value = goInteger(probe, field);
    return value < 0 ? [invalid(`${path}.${field}`, value, 'must be greater than or equal to 0')] : [];
  });
}

const GRACE = 'terminationGracePeriodSeconds';

function graceCauses(probe: JsonObject, path: string): ApiCause[] {
  const value = goInteger(probe, GRACE);
  return isSet(probe, GRACE) && value <= 0 ? [invalid(`${path}.${GRACE}`, value, 'must be greater than 0')] : [];
}

/** A readiness probe never kills, so it has no grace period of its own. */
function readinessCauses(probe: JsonObject, path: string): ApiCause[] {
  if (!isSet(probe, GRACE)) return [];
  return [invalid(`${path}.${GRACE}`, goInteger(probe, GRACE), 'must not be set for readinessProbes')];
}

/** One success is enough for a liveness or startup probe, and no other number is accepted. */
function onceCauses(probe: JsonObject, path: string): ApiCause[] {
  const value = goInteger(probe, 'successThreshold');
  return value === 1 ? [] : [invalid(`${path}.successThreshold`, value, 'must be 1')];
}
