import { isJsonObject, member, isPresent, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_GRPC_MODE, DEFAULT_HTTP_PROTOCOL, DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { isCut } from '../workload/bounded-container.ts';
import { verdictSpan } from '../probe/timing.ts';
import { drainingAdvice } from './lib/drain-race.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { probeOf, type CheckedProbe } from './checked-workload.ts';

/**
 * Deeply equal after API defaulting (Kyverno, validate-probes; BSI IT-Grundschutz APP.4.4). Off, because shared-
 * endpoint knows when the same endpoint is safe.
 */
export const identicalProbes = defineCheck({
  id: 'identical-probes',
  summary: 'Liveness and readiness probe are the same.',
  action: 'Off',
  judgesProbeAlone: true,
  relatedProbes: ['livenessProbe', 'readinessProbe'],
  kinds: ['livenessProbe'],
  eachProbe: (liveness) => {
    const { container, timing } = liveness;
    const readiness = probeOf(container, 'readinessProbe');
    if (readiness === undefined || timing === undefined || !areSame(liveness, readiness)) return undefined;
    const { remedy, edits } = drainingAdvice(liveness, verdictSpan(timing).latest);
    return {
      ...located(liveness),
      message: `${containerPhrase(container)} has the same probe for liveness and readiness, so a fault restarts it instead of draining it`,
      remedy: `${remedy ?? ''}, or ask an endpoint that reports on this process only`,
      ...(edits && { edits }),
    };
  },
});

/** Compares two probes. Most differ in their handlers, and then the rest needs no look. */
function areSame(a: CheckedProbe, b: CheckedProbe): boolean {
  const [handler, other] = [plainHandler(a), plainHandler(b)];
  if (a.handlerKind !== b.handlerKind || !areEqual(handler, other)) return false;
  return areEqual(plainSpec(a, handler), plainSpec(b, other));
}

/** A handler without values that mean the same as an absent field and that API defaulting does not fill in. */
function plainHandler({ handler }: CheckedProbe): JsonObject {
  return without(without(handler, 'protocol', DEFAULT_HTTP_PROTOCOL), 'mode', DEFAULT_GRPC_MODE);
}

function plainSpec({ spec, handlerKind }: CheckedProbe, handler: JsonObject): JsonObject {
  return { ...without(spec, 'initialDelaySeconds', DEFAULT_TIMING.initialDelaySeconds), [handlerKind]: handler };
}

function without(object: JsonObject, field: string, value: unknown): JsonObject {
  return member(object, field) === value ? { ...object, [field]: null } : object;
}

/** Compares two values deeply. Null equals an absent member, as in the API server. A cut text equals none. */
function areEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, index) => areEqual(element, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b && !(typeof a === 'string' && isCut(a));
  return (
    Object.keys(a).every((key) => areEqual(member(a, key) ?? null, member(b, key) ?? null)) &&
    Object.keys(b).every((key) => isPresent(member(a, key)) || !isPresent(member(b, key)))
  );
}
