import {
  figuresOf,
  NONE_KILLED,
  percentile,
  PROFILE_BOUNDS,
  type ContainerProfile,
  type KilledStarts,
  type StartSample,
  type StartupProfile,
} from '../../engine/facts/startup-profile.ts';
import {
  DEFAULT_LEARNED,
  STARTUP_PERIOD_SECONDS,
  hasEnoughStarts,
  learnedSeconds,
  type StartFigures,
} from '../../engine/probe/startup-budget.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

export interface KilledSample {
  readonly id: string;
  readonly boundSeconds: number;
  /** RFC 3339: when the observer saw the end. */
  readonly at: string;
}

export interface ContainerNews {
  readonly image: string;
  readonly samples: readonly StartSample[];
  readonly killed: readonly KilledSample[];
}

export type ProfileNews = ReadonlyMap<string, ContainerNews>;

/** Restarts in place may take so many places of a full profile: they would else push out all first starts. */
const MOST_RESTARTS = 10;

/** The profile with new starts. A start counts once, however many replicas report it. */
export function updatedProfile(
  profile: StartupProfile | undefined,
  workload: WorkloadReference,
  news: ProfileNews,
): StartupProfile {
  const containers = new Map(profile?.containers.map((container) => [container.name, container]));
  for (const [name, { image, samples, killed }] of news) {
    const known = containers.get(name);
    if (known === undefined && containers.size >= PROFILE_BOUNDS.containers) continue;
    // Another repository is another application: its starts say nothing about the present one.
    const before = known !== undefined && repositoryOf(known.image) === repositoryOf(image) ? known : undefined;
    containers.set(
      name,
      updatedContainer(before ?? { name, image, samples: [], killed: NONE_KILLED }, image, samples, killed),
    );
  }
  return { workload, containers: [...containers.values()].sort((one, other) => (one.name < other.name ? -1 : 1)) };
}

function updatedContainer(
  before: ContainerProfile,
  image: string,
  added: readonly StartSample[],
  killed: readonly KilledSample[],
): ContainerProfile {
  const byId = new Map([...before.samples, ...added].map((sample) => [sample.id, sample] as const));
  for (const sample of before.samples) byId.set(sample.id, sample);
  const samples = latest([...byId.values()]);
  return { name: before.name, image, samples, killed: withKilled(before.killed, killed, samples) };
}

function latest(samples: readonly StartSample[]): readonly StartSample[] {
  const sorted = samples.toSorted((one, other) => compare(one.at, other.at) || compare(one.id, other.id));
  let restarts = sorted.filter(({ restart }) => restart).length;
  while (sorted.length > PROFILE_BOUNDS.samples) {
    const oldestRestart = restarts > MOST_RESTARTS ? sorted.findIndex(({ restart }) => restart) : 0;
    const [dropped] = sorted.splice(oldestRestart, 1);
    if (dropped?.restart === true) restarts -= 1;
  }
  return sorted;
}

function withKilled(
  before: KilledStarts,
  added: readonly KilledSample[],
  samples: readonly StartSample[],
): KilledStarts {
  const ids = new Set(before.ids);
  let { count, boundSeconds, at } = before;
  // The profile keeps the identities of the last ones only. An earlier one has been counted, and its identity is gone.
  const countedUntil = before.ids.length < PROFILE_BOUNDS.killedIds ? '' : before.at;
  for (const sample of added) {
    if (ids.has(sample.id)) continue;
    boundSeconds = Math.max(boundSeconds, sample.boundSeconds);
    if (compare(sample.at, countedUntil) <= 0) continue;
    ids.add(sample.id);
    count += 1;
    if (compare(at, sample.at) < 0) at = sample.at;
  }
  // Thirty later starts have passed: the container of today starts within what its probes grant.
  const isOutlived = samples.length >= PROFILE_BOUNDS.samples && samples.every((sample) => compare(sample.at, at) > 0);
  return { count, boundSeconds: isOutlived ? 0 : boundSeconds, at, ids: [...ids].slice(-PROFILE_BOUNDS.killedIds) };
}

/** RFC 3339 instants in UTC with whole seconds sort as texts. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The image without tag and digest. The tag changes with each release of the same application. */
export function repositoryOf(image: string): string {
  const [name = ''] = image.split('@');
  const slash = name.lastIndexOf('/');
  const colon = name.lastIndexOf(':');
  return colon > slash ? name.slice(0, colon) : name;
}

export interface ShownFigures {
  readonly starts: number;
  readonly restarts: number;
  readonly p50Seconds?: number;
  readonly p90Seconds?: number;
  readonly maxSeconds?: number;
  /** The budget with the default settings of `slowStart.learned`; absent while too few starts are known. */
  readonly budgetSeconds?: number;
}

export function shownFigures(container: ContainerProfile): ShownFigures {
  return figuresOfSeconds({ ...figuresOf(container), seconds: container.samples.map(({ seconds }) => seconds) });
}

/** The figures of a container of which only the seconds of each start are known. */
export function figuresOfSeconds(known: StartFigures): ShownFigures {
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
