import { member } from '../probes/json.ts';
import { failureThresholdFor, guaranteedStartSeconds } from '../probes/timing.ts';
import { isPresent } from './checked-probe.ts';
import { yamlFlow } from './wording.ts';
import type { JsonObject } from '../probes/json.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Period of a startup probe: short, because a started container waits for the next one. The same that Probewright
 * injects.
 */
const PERIOD_SECONDS = 5;

/** A startup probe to write, as YAML on one line, and the seconds that it guarantees. */
export interface StartupProbeToWrite {
  readonly yaml: string;
  readonly guaranteedSeconds: number;
}

/**
 * The startup probe that asks what a liveness probe asks and guarantees at least as long a start: the smallest F with
 * (F-1)*P >= max(0, Dl-1) + (Fl-1)*Pl. Undefined when the liveness probe's integers are malformed.
 */
export function startupProbeFor(liveness: CheckedProbe): StartupProbeToWrite | undefined {
  const timing = liveness.timing;
  if (timing === undefined) return undefined;
  const failureThreshold = failureThresholdFor(guaranteedStartSeconds(timing), 0, PERIOD_SECONDS);
  const grace = member(liveness.spec, 'terminationGracePeriodSeconds');
  const probe = {
    [liveness.handlerKind]: withoutDefaults(liveness.handler),
    periodSeconds: PERIOD_SECONDS,
    ...(timing.timeoutSeconds > 1 && { timeoutSeconds: timing.timeoutSeconds }),
    failureThreshold,
    ...(isPresent(grace) && { terminationGracePeriodSeconds: grace }),
  };
  return {
    yaml: `startupProbe: ${yamlFlow(probe)}`,
    guaranteedSeconds: (failureThreshold - 1) * PERIOD_SECONDS,
  };
}

/**
 * A handler as a person would write it: without what the API server fills in (HTTP, an empty gRPC service) or takes
 * for unset.
 */
function withoutDefaults(handler: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(handler).filter(
      ([key, value]) =>
        isPresent(value) && !(key === 'scheme' && value === 'HTTP') && !(key === 'service' && value === ''),
    ),
  );
}
