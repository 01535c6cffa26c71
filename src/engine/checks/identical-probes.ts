import { isJsonObject, isPresent } from '../../base/json/json-value.ts';
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
    if (readiness === undefined || timing === undefined) return undefined;
    if (holdsCut(liveness.spec) || plainText(liveness) !== plainText(readiness)) return undefined;
    const { remedy, edits } = drainingAdvice(liveness, verdictSpan(timing).latest);
    return {
      ...located(liveness),
      message: `${containerPhrase(container)} has the same probe for liveness and readiness, so a fault restarts it instead of draining it`,
      remedy: `${remedy ?? ''}, or ask an endpoint that reports on this process only`,
      ...(edits && { edits }),
    };
  },
});

/** Values that mean the same as an absent field, and that API defaulting does not fill in. */
const MEANS_ABSENT: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['protocol', DEFAULT_HTTP_PROTOCOL],
  ['mode', DEFAULT_GRPC_MODE],
  ['initialDelaySeconds', DEFAULT_TIMING.initialDelaySeconds],
]);

/** A probe as JSON with sorted keys. Null equals an absent member, as in the API server. */
function plainText({ spec }: CheckedProbe): string {
  return JSON.stringify(spec, (_, value: unknown) => {
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).filter(([key, inner]) => isPresent(inner) && MEANS_ABSENT.get(key) !== inner);
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
