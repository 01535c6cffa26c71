import { repositoryOf } from '../../engine/command/image.ts';
import { PROFILE_BOUNDS } from '../../engine/policy/bounds.ts';
import {
  figuresOf,
  startsOfProfile,
  type ContainerProfile,
  type KilledStarts,
  type StartSample,
  type StartupProfile,
} from '../../engine/facts/read-startup-profile.ts';
import { startsOfImage } from '../../engine/facts/startup-profile.ts';
import { learnedTime, type StartFigures } from '../../engine/time/learned-start.ts';
import { compareText } from '../../base/text/cut.ts';
import { formatInstant } from '../../base/text/duration.ts';
import type { MeasuredStart } from './measured-start.ts';
import type { PendingStart } from './pending-starts.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** Restarts in place may take so many places of a full profile: they would else push out all first starts. */
const MOST_RESTARTS = 10;

export const NONE_KILLED: KilledStarts = { count: 0, boundSeconds: 0, at: '', ids: [] };

/**
 * The profile with new starts. A start counts once, however many replicas report it. A start of the future would push
 * all later ones out, so it does not count.
 *
 * @param latestAt the latest possible start, in milliseconds since the epoch
 */
export function updatedProfile(
  profile: StartupProfile | undefined,
  workload: WorkloadReference,
  starts: readonly PendingStart[],
  latestAt = Infinity,
): StartupProfile {
  const containers = new Map(profile?.containers.map((container) => [container.name, container]));
  for (const [name, own] of Map.groupBy(starts, ({ container }) => container)) {
    const known = containers.get(name);
    if (known === undefined && containers.size >= PROFILE_BOUNDS.containers) continue;
    // The newest start tells the image.
    const image = own.at(-1)?.image ?? '';
    // Another repository is another application: its starts say nothing about the present one.
    const isSame = known !== undefined && repositoryOf(known.image) === repositoryOf(image);
    const before = isSame ? known : { samples: [], killed: NONE_KILLED };
    const measured = own.flatMap(({ sample }) => sample ?? []);
    const ended = own.filter((start) => start.sample === undefined);
    const samples = latest([...measured, ...before.samples].filter(({ at }) => Date.parse(at) <= latestAt));
    containers.set(name, { name, image, samples, killed: withKilled(before.killed, ended, samples) });
  }
  return { workload, containers: [...containers.values()].sort((one, other) => (one.name < other.name ? -1 : 1)) };
}

/** The last samples, the oldest first. Of two samples of one start, the later one of the list counts. */
function latest(samples: readonly StartSample[]): readonly StartSample[] {
  const known = new Map(samples.map((sample) => [sample.id, sample]));
  // RFC 3339 instants in UTC with whole seconds sort as texts.
  const sorted = [...known.values()].sort(
    (one, other) => compareText(one.at, other.at) || compareText(one.id, other.id),
  );
  const excess = Math.max(0, sorted.length - PROFILE_BOUNDS.samples);
  const restarts = sorted.filter(({ restart }) => restart);
  const dropped = restarts.slice(0, Math.max(0, Math.min(excess, restarts.length - MOST_RESTARTS)));
  return sorted.filter((sample) => !dropped.includes(sample)).slice(-PROFILE_BOUNDS.samples);
}

function withKilled(
  before: KilledStarts,
  added: readonly Exclude<PendingStart, MeasuredStart>[],
  samples: readonly StartSample[],
): KilledStarts {
  const ids = new Set(before.ids);
  let { count, boundSeconds, at } = before;
  // The profile keeps the identities of the last ones only. An earlier one has been counted, and its identity is gone.
  const countedUntil = before.ids.length < PROFILE_BOUNDS.killedIds ? '' : before.at;
  for (const start of added) {
    if (ids.has(start.id)) continue;
    boundSeconds = Math.max(boundSeconds, start.boundSeconds);
    const endedAt = formatInstant(Math.floor(start.seenAt / 1000) * 1000);
    if (endedAt <= countedUntil) continue;
    ids.add(start.id);
    count += 1;
    if (at < endedAt) at = endedAt;
  }
  // Thirty later starts have passed: the container of today starts within what its probes grant.
  const isOutlived = samples.length >= PROFILE_BOUNDS.samples && samples.every((sample) => sample.at > at);
  return { count, boundSeconds: isOutlived ? 0 : boundSeconds, at, ids: [...ids].slice(-PROFILE_BOUNDS.killedIds) };
}

export interface ShownFigures {
  readonly starts: number;
  readonly restarts: number;
  readonly p50Seconds?: number;
  readonly p90Seconds?: number;
  readonly maxSeconds?: number;
  /** Absent while too few starts are known. In a StartupProfile with the default settings of `slowStart.learned`. */
  readonly budgetSeconds?: number;
}

export function shownFigures(container: ContainerProfile): ShownFigures {
  const known = { ...figuresOf(container), seconds: container.samples.map(({ seconds }) => seconds) };
  return figuresOfSeconds(known, learnedTime(startsOfImage(startsOfProfile(container), container.image))?.seconds);
}

/** The figures of a container of which only the seconds of each start are known. */
export function figuresOfSeconds(known: StartFigures, budgetSeconds: number | undefined): ShownFigures {
  const { seconds = [] } = known;
  const [p50, p90] = [percentile(seconds, 0.5), percentile(seconds, 0.9)];
  return {
    starts: known.starts,
    restarts: seconds.length - known.starts,
    ...(p50 !== undefined && { p50Seconds: p50 }),
    ...(p90 !== undefined && { p90Seconds: p90 }),
    ...(seconds.length > 0 && { maxSeconds: known.longestSeconds }),
    ...(budgetSeconds !== undefined && { budgetSeconds }),
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

/** The smallest measured start that at least this share of the starts does not exceed; undefined without a start. */
export function percentile(seconds: readonly number[], share: number): number | undefined {
  const sorted = seconds.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
