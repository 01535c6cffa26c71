import { isJsonObject } from '../../base/json/json-value.ts';
import { killBy, longestKillSeconds } from '../../engine/probe/grace-period.ts';
import { ownProbe } from '../../engine/probe/probe.ts';
import {
  firstProbeSpan,
  guaranteedStartSeconds,
  longestStartSeconds,
  probeTiming,
  verdictSpan,
} from '../../engine/probe/timing.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** The limits that tell when a probe may have stopped a container. */
export interface StartLimits {
  /** The container has a startup probe: its liveness probe runs only after the start. */
  readonly hasStartupProbe: boolean;
  /** The startup probe runs first so long after the start of the container, at the latest. */
  readonly firstStartupSeconds: number;
  /** No probe stops the container earlier after its start; undefined without a probe that stops. */
  readonly earliestKillSeconds: number | undefined;
  /** A start may take so long: the probe that stops the container does not give up later. */
  readonly longestStartSeconds: number | undefined;
  /** The longest time from the verdict of a probe to the end of the container. */
  readonly killSeconds: number;
  /** The liveness probe gives up at its failureThreshold, at most so long after its first failure. */
  readonly liveness: { readonly failureThreshold: number; readonly verdictSeconds: number } | undefined;
}

/** The kubelet learns of a start up to 2 s later (its relist and one sync), and times are cut to whole seconds. */
const SLACK_SECONDS = 3;

/** The limits of a container, from the startup probe, or from the liveness probe where there is none. */
export function startLimits(container: JsonObject, podSpec: JsonObject): StartLimits {
  const [startup, liveness] = [ownProbe(container, 'startupProbe'), ownProbe(container, 'livenessProbe')];
  const hasStartupProbe = isJsonObject(startup);
  const stopping = [startup, liveness].filter(isJsonObject);
  const [gate] = stopping;
  const timing = gate && probeTiming(gate);
  const kills = stopping.map((probe) => killBy(probe, container, podSpec));
  const ofLiveness = isJsonObject(liveness) ? probeTiming(liveness) : undefined;
  return {
    hasStartupProbe,
    firstStartupSeconds: isJsonObject(startup) ? firstProbeSpan(probeTiming(startup)).latest : 0,
    earliestKillSeconds: timing && guaranteedStartSeconds(timing) - 1,
    longestStartSeconds: timing && longestStartSeconds(timing) + SLACK_SECONDS,
    killSeconds: Math.max(0, ...kills.map((kill) => (kill === undefined ? 0 : longestKillSeconds(kill)))),
    liveness: ofLiveness && {
      failureThreshold: ofLiveness.failureThreshold,
      verdictSeconds: verdictSpan(ofLiveness).latest,
    },
  };
}
