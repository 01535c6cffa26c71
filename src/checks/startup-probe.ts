import { member } from '../json/json-value.ts';
import { DEFAULT_GRPC_SERVICE, DEFAULT_SCHEME, DEFAULT_TIMING } from '../probes/default-values.ts';
import { STARTUP_PERIOD_SECONDS } from '../probes/startup-budget.ts';
import { failureThresholdFor, guaranteedStartSeconds } from '../probes/timing.ts';
import { isPresent } from './checked-probe.ts';
import { yamlFlow } from './wording.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { CheckedProbe } from './checked-probe.ts';

/** A startup probe to write, as YAML on one line, with the start time that the probe guarantees, in seconds. */
export interface StartupProbeToWrite {
  readonly yaml: string;
  readonly guaranteedSeconds: number;
}

/**
 * Returns a startup probe with the liveness probe's handler that guarantees at least the same start time: the smallest
 * F with (F-1)*P >= max(0, Dl-1) + (Fl-1)*Pl. Undefined when the liveness probe's integers are malformed.
 */
export function startupProbeFor(liveness: CheckedProbe): StartupProbeToWrite | undefined {
  const timing = liveness.timing;
  if (timing === undefined) return undefined;
  const failureThreshold = failureThresholdFor(guaranteedStartSeconds(timing), 0, STARTUP_PERIOD_SECONDS);
  const grace = member(liveness.spec, 'terminationGracePeriodSeconds');
  const probe = {
    [liveness.handlerKind]: withoutDefaults(liveness.handler),
    periodSeconds: STARTUP_PERIOD_SECONDS,
    ...(timing.timeoutSeconds > DEFAULT_TIMING.timeoutSeconds && { timeoutSeconds: timing.timeoutSeconds }),
    failureThreshold,
    ...(isPresent(grace) && { terminationGracePeriodSeconds: grace }),
  };
  return {
    yaml: `startupProbe: ${yamlFlow(probe)}`,
    guaranteedSeconds: (failureThreshold - 1) * STARTUP_PERIOD_SECONDS,
  };
}

/**
 * Returns a handler as a person would write it. Defaults that the API server fills in (HTTP, an empty gRPC service) and
 * unset values are left out.
 */
function withoutDefaults(handler: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(handler).filter(
      ([key, value]) =>
        isPresent(value) &&
        !(key === 'scheme' && value === DEFAULT_SCHEME) &&
        !(key === 'service' && value === DEFAULT_GRPC_SERVICE),
    ),
  );
}
