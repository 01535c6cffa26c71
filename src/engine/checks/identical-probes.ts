import { equalJson, type JsonObject } from '../../base/json/json-value.ts';
import { DEFAULT_GRPC_MODE, DEFAULT_HTTP_PROTOCOL, DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { holdsCut } from '../workload/bounded-container.ts';
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

/** True for equal probes. A cut text equals none. */
function areSame(a: CheckedProbe, b: CheckedProbe): boolean {
  return !holdsCut(a.spec) && equalJson(plain(a), plain(b));
}

/** Values that mean the same as an absent field, and that API defaulting does not fill in. */
const DEFAULTS: JsonObject = {
  initialDelaySeconds: DEFAULT_TIMING.initialDelaySeconds,
  protocol: DEFAULT_HTTP_PROTOCOL,
  mode: DEFAULT_GRPC_MODE,
};

/** A probe without nulls and defaults: null equals an absent member, as in the API server. */
function plain({ spec, handlerKind, handler }: CheckedProbe): unknown {
  const withoutDefaults = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([key, value]) => value !== DEFAULTS[key]));
  const whole = { ...withoutDefaults(spec), [handlerKind]: withoutDefaults(handler) };
  return JSON.parse(JSON.stringify(whole), (_, value: unknown) => value ?? undefined);
}
