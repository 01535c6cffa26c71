import { figuresOf, profileName } from './startup-profile.ts';
import type { WorkloadName } from '../workload/workload-of-pod.ts';
import type { StartFigures } from '../probe/learned-budget.ts';
import type { StartupProfile } from './startup-profile.ts';

/** The known starts of one container. */
export type ContainerStarts = StartFigures;

/** Container names, each with three numbers. Objects would take four times the memory. */
type Figures = readonly (string | number)[];

/** The record of the starts of one workload: less than 250 bytes for a workload with one container. */
export interface WorkloadStarts {
  /** The name of the StartupProfile, which follows from kind and name of the workload. */
  readonly name: string;
  /** For each container: its name, the number of starts, the longest start and the largest bound, in seconds. */
  readonly figures: Figures;
  /** The workload, and each measured start by container, oldest first. The webhook does not keep them. */
  readonly workload?: WorkloadName;
  readonly seconds?: ReadonlyMap<string, readonly number[]>;
}

/** The members of `figures` for one container. */
const FIGURES_A_CONTAINER = 4;

/** The digest of a profile, with each measured start. */
export function workloadStarts(name: string, profile: StartupProfile): WorkloadStarts {
  const figures = profile.containers.flatMap((container) => {
    const { starts, longestSeconds, boundSeconds } = figuresOf(container);
    return [container.name, starts, longestSeconds, boundSeconds];
  });
  const seconds = new Map(
    profile.containers.map(({ name: container, samples }) => [container, samples.map((sample) => sample.seconds)]),
  );
  return { name, figures, workload: profile.workload, seconds };
}

/** The digest without each measured start, as the webhook keeps it. */
export function withoutSeconds({ name, figures }: WorkloadStarts): WorkloadStarts {
  return { name, figures };
}

/** The digest itself, its name and its list of figures. Measured. */
const DIGEST_MEMORY = 160;
/** The name of a container, and its three figures. */
const CONTAINER_MEMORY = 64;

/** How many bytes of heap a digest without each measured start takes. */
export function memoryOfStarts({ name, figures }: WorkloadStarts): number {
  let bytes = DIGEST_MEMORY + name.length;
  for (let at = 0; at < figures.length; at += FIGURES_A_CONTAINER)
    bytes += CONTAINER_MEMORY + 2 * String(figures[at]).length;
  return bytes;
}

/** The known starts of a container; undefined when there are none. */
export function startsOfContainer(
  { figures, seconds }: WorkloadStarts,
  container: string,
): ContainerStarts | undefined {
  for (let at = 0; at < figures.length; at += FIGURES_A_CONTAINER) {
    if (figures[at] !== container) continue;
    const each = seconds?.get(container);
    return {
      starts: Number(figures[at + 1]),
      longestSeconds: Number(figures[at + 2]),
      boundSeconds: Number(figures[at + 3]),
      ...(each !== undefined && { seconds: each }),
    };
  }
  return undefined;
}

/** The learned start times of workloads. The value is immutable. */
export class LearnedStarts {
  readonly #byNamespace: ReadonlyMap<string, readonly WorkloadStarts[]>;

  /** @param byNamespace each list is sorted by name */
  constructor(byNamespace: ReadonlyMap<string, readonly WorkloadStarts[]>) {
    this.#byNamespace = byNamespace;
  }

  /** Each workload with its namespace. */
  *[Symbol.iterator](): Generator<readonly [namespace: string, starts: WorkloadStarts]> {
    for (const [namespace, list] of this.#byNamespace) for (const starts of list) yield [namespace, starts];
  }

  /** The start times of all workloads of a namespace, sorted by name. Undefined = none are known. */
  ofNamespace(namespace: string): readonly WorkloadStarts[] | undefined {
    return this.#byNamespace.get(namespace);
  }

  /** The start times of a workload. Undefined = none are known. */
  ofWorkload(namespace: string, kind: string, name: string): WorkloadStarts | undefined {
    const list = this.#byNamespace.get(namespace);
    if (list === undefined) return undefined;
    const wanted = profileName(kind, name);
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((list[middle]?.name ?? '') < wanted) low = middle + 1;
      else high = middle;
    }
    return list[low]?.name === wanted ? list[low] : undefined;
  }

  /** Returns these start times with others: those of the same workload are replaced. */
  with(others: LearnedStarts): LearnedStarts {
    const merged = new Map(this.#byNamespace);
    for (const [namespace, list] of others.#byNamespace) {
      const above = new Set(list.map(({ name }) => name));
      const below = (merged.get(namespace) ?? []).filter(({ name }) => !above.has(name));
      merged.set(
        namespace,
        [...below, ...list].sort((one, other) => (one.name < other.name ? -1 : 1)),
      );
    }
    return new LearnedStarts(merged);
  }
}

export const NO_LEARNED_STARTS = new LearnedStarts(new Map());
