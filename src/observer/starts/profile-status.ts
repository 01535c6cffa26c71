import { figuresOf, percentile } from '../../engine/facts/startup-profile.ts';
import { DEFAULT_LEARNED, hasEnoughStarts, learnedSeconds } from '../../engine/probe/learned-budget.ts';
import { STARTUP_PERIOD_SECONDS } from '../../engine/probe/startup-budget.ts';
import type { ContainerStarts } from '../../engine/facts/learned-starts.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ContainerProfile, StartupProfile } from '../../engine/facts/startup-profile.ts';

/** The figures of a container as people read them. */
export interface ShownFigures {
  readonly starts: number;
  readonly restarts: number;
  readonly p50Seconds?: number;
  readonly p90Seconds?: number;
  readonly maxSeconds?: number;
  /** The budget with the default settings of `slowStart.learned`; absent while too few starts are known. */
  readonly budgetSeconds?: number;
}

/** The figures of a container, as profiles and `probewright starts` show them. */
export function shownFigures(container: ContainerProfile): ShownFigures {
  return figuresOfSeconds({ ...figuresOf(container), seconds: container.samples.map(({ seconds }) => seconds) });
}

/** The figures of a container of which only the seconds of each start are known. */
export function figuresOfSeconds(known: ContainerStarts): ShownFigures {
  const samples = (known.seconds ?? []).map((seconds) => ({ seconds }));
  const [p50, p90] = [percentile(samples, 0.5), percentile(samples, 0.9)];
  return {
    starts: known.starts,
    restarts: samples.length - known.starts,
    ...(p50 !== undefined && { p50Seconds: p50 }),
    ...(p90 !== undefined && { p90Seconds: p90 }),
    ...(samples.length > 0 && { maxSeconds: known.longestSeconds }),
    ...(hasEnoughStarts(known, DEFAULT_LEARNED) && {
      budgetSeconds: learnedSeconds(known, DEFAULT_LEARNED, STARTUP_PERIOD_SECONDS),
    }),
  };
}

/** The container that needs longest, which the columns of `kubectl get` are about. */
function slowestOf(containers: readonly ContainerProfile[]): ContainerProfile | undefined {
  const longest = (one: ContainerProfile): number => {
    const { longestSeconds, boundSeconds } = figuresOf(one);
    return Math.max(longestSeconds, boundSeconds);
  };
  return containers.reduce<ContainerProfile | undefined>(
    (slowest, one) => (slowest === undefined || longest(one) > longest(slowest) ? one : slowest),
    undefined,
  );
}

/** The status of a StartupProfile. The figures at the top are those of the slowest container. */
export function profileStatus({ workload, containers }: StartupProfile): JsonObject {
  const slowest = slowestOf(containers);
  return {
    workload,
    ...(slowest && { container: slowest.name, ...shownFigures(slowest) }),
    containers: containers.map((container) => ({
      name: container.name,
      image: container.image,
      ...shownFigures(container),
      censored: container.killed.count,
      ...(container.killed.count > 0 && {
        censoredBoundSeconds: container.killed.boundSeconds,
        censoredAt: container.killed.at,
        censoredIds: container.killed.ids,
      }),
      samples: container.samples,
    })),
  };
}
