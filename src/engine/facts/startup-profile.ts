import { shortHash } from '../../base/text/utf8.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
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

export interface ContainerStarts extends StartFigures {
  readonly name: string;
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
