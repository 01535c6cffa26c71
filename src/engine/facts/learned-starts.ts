import { without } from '../../base/json/json-value.ts';
import { figuresOf, profileName, type StartupProfile } from './startup-profile.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
import type { WorkloadName } from '../workload/workload-of-pod.ts';
import type { ByNamespace } from './by-namespace.ts';

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

export function workloadStarts(name: string, { workload, containers }: StartupProfile): WorkloadStarts {
  return {
    name,
    containers: containers.map((container) => ({
      name: container.name,
      ...figuresOf(container),
      seconds: container.samples.map((sample) => sample.seconds),
    })),
    workload,
  };
}

/** The digest without each measured start, as the webhook keeps it. */
export function withoutSeconds({ name, containers }: WorkloadStarts): WorkloadStarts {
  return { name, containers: containers.map((container) => without(container, 'seconds')) };
}

/** The digest itself, its name and its list of containers. Measured. */
const DIGEST_MEMORY = 160;
const CONTAINER_MEMORY = 112;

/** How many bytes of heap a digest without each measured start takes. */
export function memoryOfStarts({ name, containers }: WorkloadStarts): number {
  const bytes = containers.map((container) => CONTAINER_MEMORY + 2 * container.name.length);
  return bytes.reduce((sum, each) => sum + each, DIGEST_MEMORY + name.length);
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
