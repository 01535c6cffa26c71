import type { JsonObject } from '../probes/json.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { ContainerPort } from '../workload/ports.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * A container as checks see it: effective (with the probes that it will be given) and after API defaulting. `ephemeral` containers and
 * those of other lists that may have no probes are here too, for valid-probe.
 */
export interface CheckedContainer {
  readonly name: string;
  readonly role: 'application' | 'sidecar' | 'init' | 'mesh' | 'ephemeral';
  readonly spec: JsonObject;
  /** The object's own path: `spec.template.spec.containers[0]`. */
  readonly path: string;
  /** Those that a check may judge, in the API server's order. */
  readonly probes: readonly CheckedProbe[];
  /** The ports that it declares; undefined when its list is malformed. */
  readonly ports: readonly ContainerPort[] | undefined;
}

/** A workload as checks see it. */
export interface CheckedWorkload {
  readonly kind: WorkloadKind;
  /** The whole object as it was applied, for what stands outside the Pod template (replicas, progressDeadlineSeconds). */
  readonly object: JsonObject;
  /** The Pod spec, effective and after API defaulting. */
  readonly podSpec: JsonObject;
  /** `spec`, `spec.template.spec`, `spec.jobTemplate.spec.template.spec`. */
  readonly podSpecPath: string;
  /** In the API server's order: containers, initContainers, ephemeralContainers. */
  readonly containers: readonly CheckedContainer[];
  /** Name of the main container; undefined when it cannot be told. */
  readonly main: string | undefined;
  /** The Pods are meant to run for ever: restartPolicy Always, neither Job nor CronJob. */
  readonly runsForever: boolean;
  /** What checks have worked out about the whole of it, by the function that did (once-per-workload.ts). */
  readonly answers: Map<unknown, unknown>;
}

/** A violation of one check, as the check reports it. */
export interface Finding {
  /** Absent when the violation is about the container as a whole. */
  readonly probe?: ProbeKind;
  /** The offending field, in the object that the user applied. */
  readonly path: string;
  /** What is wrong and what to write instead, without path and id; numbers already worked out. One line. */
  readonly message: string;
  /** The API server's cause type, for valid-probe: `FieldValueInvalid`, `FieldValueRequired`, ... */
  readonly reason?: string;
}

/** A check reports no more about one probe: nobody reads more, and a list of headers or words may have tens of thousands of elements. */
export const MOST_PROBE_FINDINGS = 100;

/** A check's parameters as policies set them, by name; what no policy sets is absent and the check's own default counts. */
export type CheckParameters = ReadonlyMap<string, unknown>;

/** One check of the catalogue (docs/checks.md). */
export interface Check {
  readonly id: string;
  /** Also looks at plain init, ephemeral and mesh containers. */
  readonly everyContainer?: true;
  /** Probes that the rule looks at beside the one that a finding names: when one of them is injected, the reader is told. */
  readonly relatedProbes?: readonly ProbeKind[];
  /** All violations of one container, in a fixed order. */
  readonly run: (
    workload: CheckedWorkload,
    container: CheckedContainer,
    parameters: CheckParameters,
  ) => readonly Finding[];
}
