import { isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_TIMING, HANDLER_DEFAULTS } from '../probe/api-defaults.ts';
import { isCut } from '../workload/bounded-container.ts';
import { verdictSpan } from '../probe/timing.ts';
import { drainingAdvice } from './killed-before-drained.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { probeOf, timedProbe } from '../workload/pod.ts';

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
  run: (container) => {
    const liveness = timedProbe(container, 'livenessProbe');
    const readiness = probeOf(container, 'readinessProbe');
    if (liveness === undefined || readiness === undefined || !areEqual(liveness.spec, readiness.spec)) return undefined;
    const advice = drainingAdvice(liveness, verdictSpan(liveness.timing).latest);
    return {
      ...located(liveness),
      message: `${containerPhrase(container)} has the same probe for liveness and readiness, so a fault restarts it instead of draining it`,
      ...advice,
      remedy: `${advice.remedy ?? ''}, or ask an endpoint that reports on this process only`,
    };
  },
});

/**
 * Values that mean the same as an absent field, and that API defaulting does not fill in. Others must not be here: a
 * periodSeconds in a handler is a field that no handler knows.
 */
const DEFAULTS: JsonObject = {
  initialDelaySeconds: DEFAULT_TIMING.initialDelaySeconds,
  protocol: HANDLER_DEFAULTS.protocol,
  mode: HANDLER_DEFAULTS.mode,
};

/** Compares two values deeply. Null equals an absent member, as in the API server. A cut text equals none. */
function areEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, index) => areEqual(element, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b && !(typeof a === 'string' && isCut(a));
  const valueOf = (object: JsonObject, key: string): unknown => member(object, key) ?? member(DEFAULTS, key) ?? null;
  return [...Object.keys(a), ...Object.keys(b)].every((key) => areEqual(valueOf(a, key), valueOf(b, key)));
}
