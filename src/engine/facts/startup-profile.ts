import { without } from '../../base/json/json-value.ts';
import { shortHash } from '../../base/text/utf8.ts';
import type { START_BASES, StartFigures } from '../probe/startup-budget.ts';
import type { WorkloadReference, WorkloadName } from '../workload/workload-of-pod.ts';
import type { ByNamespace } from './by-namespace.ts';

export const STARTUP_PROFILE_KIND = 'StartupProfile';

export type StartBasis = (typeof START_BASES)[number];

export interface StartSample {
  /** From the start of the container until its probe passed: never below the truth. */
  readonly seconds: number;
  /** The truth is at most this many seconds below. */
  readonly within: number;
  readonly basis: StartBasis;
  /** The container was restarted in place. */
  readonly restart: boolean;
  readonly node: string;
  /** RFC 3339: when the container was started. */
  readonly at: string;
  /** Identifies the start, so that two observers count it once. */
  readonly id: string;
}

export interface KilledStarts {
  /** Since the profile exists. */
  readonly count: number;
  /** The largest time that a probe had granted; 0 when none counts any more. */
  readonly boundSeconds: number;
  /** RFC 3339: the last one; '' without one. */
  readonly at: string;
  readonly ids: readonly string[];
}

export interface ContainerProfile {
  readonly name: string;
  readonly image: string;
  readonly samples: readonly StartSample[];
  readonly killed: KilledStarts;
}

export interface StartupProfile {
  readonly workload: WorkloadReference;
  readonly containers: readonly ContainerProfile[];
}

export function figuresOf({ samples, killed }: ContainerProfile): StartFigures {
  const starts = samples.filter(({ restart }) => !restart).length;
  const longestSeconds = Math.max(0, ...samples.map((sample) => sample.seconds));
  return { starts, longestSeconds, boundSeconds: killed.boundSeconds };
}

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
