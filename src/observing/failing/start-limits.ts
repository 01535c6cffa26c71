import { isJsonObject } from '../../json/json-value.ts';
import { killBy, longestKillSeconds } from '../../probes/grace-period.ts';
import { ownProbe } from '../../probes/probe.ts';
import { guaranteedStartSeconds, neverHealthySpan, probeTiming } from '../../probes/timing.ts';
import type { JsonObject } from '../../json/json-value.ts';

/** The limits that tell when a probe may have stopped a container. */
export interface StartLimits {
  /** The container has a startup probe: its liveness probe runs only after the start. */
  readonly hasStartupProbe: boolean;
  /** No probe stops the container earlier after its start; undefined without a probe that stops. */
  readonly earliestKillSeconds: number | undefined;
  /** A container that never answers is dead by then. A run that lasted longer had answered. */
  readonly latestKillSeconds: number | undefined;
}

/** The kubelet learns of a start up to 2 s later (its relist and one sync), and times are cut to whole seconds. */
const SLACK_SECONDS = 3;

/** The limits of a container, from the startup probe, or from the liveness probe where there is none. */
export function startLimits(container: JsonObject, podSpec: JsonObject): StartLimits {
  const startup = ownProbe(container, 'startupProbe');
  const gate = startup ?? ownProbe(container, 'livenessProbe');
  const hasStartupProbe = isJsonObject(startup);
  if (!isJsonObject(gate)) return { hasStartupProbe, earliestKillSeconds: undefined, latestKillSeconds: undefined };
  const timing = probeTiming(gate);
  const kill = killBy(gate, container, podSpec);
  return {
    hasStartupProbe,
    earliestKillSeconds: guaranteedStartSeconds(timing) - 1,
    latestKillSeconds:
      neverHealthySpan(timing, timing.timeoutSeconds).latest +
      (kill === undefined ? 0 : longestKillSeconds(kill)) +
      SLACK_SECONDS,
  };
}
