import { without } from '../../base/json/json-value.ts';
import { mayMove } from '../command/image.ts';
import { shortHash } from '../../base/text/utf8.ts';
import type { KnownStarts, StartFigures } from '../time/learned-start.ts';
import type { WorkloadName } from '../workload/workload-of-pod.ts';
import type { ByNamespace } from './by-namespace.ts';

export const STARTUP_PROFILE_KIND = 'StartupProfile';

const LONGEST_NAME = 253;

/**
 * The name of a workload's StartupProfile: `deployment-web`. A name that would be too long ends in a hash. No kind
 * contains a hyphen, so two workloads of a namespace never share a profile.
 */
export function profileName(kind: string, name: string): string {
  const whole = `${kind.toLowerCase()}-${name}`;
  if (whole.length <= LONGEST_NAME) return whole;
  const hash = `-${shortHash(whole)}`;
  return `${whole.slice(0, LONGEST_NAME - hash.length).replace(/(?<![-.])[-.]+$/, '')}${hash}`;
}

/** The figures are those of all images. */
export interface ContainerStarts extends StartFigures {
  readonly name: string;
  /** The starts of each image. A start whose image nobody knows is not among them. */
  readonly images?: readonly ImageStarts[];
}

/** The starts of one image: name, tag and digest. */
export interface ImageStarts extends Pick<StartFigures, 'starts' | 'longestSeconds'> {
  readonly image: string;
}

export interface WorkloadStarts {
  /** The name of the StartupProfile, which follows from kind and name of the workload. */
  readonly name: string;
  readonly containers: readonly ContainerStarts[];
  /** The workload. The webhook does not keep it. */
  readonly workload?: WorkloadName;
}

export function startsOfWorkload(
  starts: ByNamespace<WorkloadStarts>,
  namespace: string,
  { kind, name }: WorkloadName,
): WorkloadStarts | undefined {
  return starts.find(namespace, profileName(kind, name));
}

export function startsOfContainer({ containers }: WorkloadStarts, name: string): ContainerStarts | undefined {
  return containers.find((container) => container.name === name);
}

/**
 * What is known of the starts of a container that has this image now. A kill counts for each image. A tag that moves
 * may be a new version at any time.
 */
export function startsOfImage(container: ContainerStarts, image: string): KnownStarts {
  const ofAll = without(container, 'name', 'images');
  const own = mayMove(image) ? undefined : container.images?.find((one) => one.image === image);
  if (own?.starts === ofAll.starts && own.longestSeconds === ofAll.longestSeconds) return ofAll;
  return { ...ofAll, starts: own?.starts ?? 0, longestSeconds: own?.longestSeconds ?? 0, ofAll };
}
