import type { Facts } from '../facts/facts.ts';
import type { FieldEdit } from '../../base/json/field-edit.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { FieldPlace } from '../../base/json/field-place.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { CheckDefinition } from '../policy/check-catalogue.ts';
import type { CheckParameters, ParameterValues, ValuesOf } from '../policy/check-parameters.ts';
import type { HandlerKind, ProbeKind } from '../probe/probe.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import type { ContainerPort } from '../workload/ports.ts';
import type { CheckedProbe } from './checked-probe.ts';
import type { Violation } from './violation.ts';

/**
 * A container as checks see it: with the probes that the webhook will add, and after API defaulting. Ephemeral
 * containers and plain init containers may not have probes. They are included because some checks read every container.
 */
export interface CheckedContainer {
  readonly name: string;
  readonly role: 'application' | 'sidecar' | 'init' | 'mesh' | 'ephemeral';
  /** The container with bounded texts and lists (src/engine/workload/bounded-container.ts). */
  readonly spec: JsonObject;
  /** Place of the container in the object: `spec.template.spec.containers[0]`. */
  readonly place: FieldPlace;
  /** The probes that a check may judge, in the API server's order. */
  readonly probes: readonly CheckedProbe[];
  /** The ports that the container declares. Undefined when the list of ports is malformed. */
  readonly ports: readonly ContainerPort[] | undefined;
}

/** A workload as checks see it. */
export interface CheckedWorkload {
  readonly kind: WorkloadKind;
  /** The whole object as it was applied, for fields outside the Pod template (replicas, progressDeadlineSeconds). */
  readonly object: JsonObject;
  /** The Pod spec, effective and after API defaulting. Its texts and lists are whole, as the API server reads them. */
  readonly podSpec: JsonObject;
  /** Place of the Pod spec: `spec`, `spec.template.spec` or `spec.jobTemplate.spec.template.spec`. */
  readonly podSpecPlace: FieldPlace;
  /** The labels of the Pods, as written. */
  readonly podLabels: JsonObject;
  /** In the API server's order: containers, initContainers, ephemeralContainers. */
  readonly containers: readonly CheckedContainer[];
  /** Name of the main container. Undefined when no container can be identified as the main one. */
  readonly main: () => string | undefined;
  /**
   * True when the Pods run until they are deleted: restartPolicy is Always, and the kind is neither Job nor CronJob.
   */
  readonly runsForever: boolean;
  /** The namespace of the object. Empty for a model Pod, which is in no namespace. */
  readonly namespace: string;
  /** The known facts about the cluster. */
  readonly facts: Facts;
  /** The instant of the verdict, in milliseconds since the epoch. */
  readonly now: number;
  /**
   * Results that checks computed for the whole workload, keyed by the function that computed them
   * (once-per-workload.ts).
   */
  readonly answers: Map<unknown, unknown>;
}

/** A violation of one check, as the check reports it. */
export interface Finding {
  /** Absent when the violation is about the container as a whole. */
  readonly probe?: ProbeKind;
  /** Path of the field that causes the violation, in the object that the user applied. */
  readonly path: FieldPath;
  /** The problem, on one line of at most 200 characters. The path, the check's id and the remedy are not included. */
  readonly message: string;
  /** The field and value to write instead, on one line. Numbers are already computed. */
  readonly remedy?: string;
  /**
   * The remedy as edits of the object that the user applied, if values are known to work. The edits remove the finding
   * and cause no other finding, at any action (test/engine/checks/safe-advice.property.test.ts).
   */
  readonly edits?: readonly FieldEdit[];
  /**
   * Action of this finding, in place of the check's default action. For checks whose findings differ in weight. A
   * policy that sets the check's action overrides `level`. A floor is still the least strict action (run-checks.ts,
   * actionOf).
   */
  readonly level?: Violation['action'];
  /**
   * Set when the remedy copies the handler of a probe. If another finding is about that handler, these words replace
   * the remedy, and there are no edits (run-checks.ts): a copy of a handler that does not work keeps the Pod from
   * Ready.
   */
  readonly copied?: { readonly probe: ProbeKind; readonly otherwise: string };
  /**
   * Measured figures. They change from day to day, so they are no part of the message: tools recognise a finding by its
   * message.
   */
  readonly properties?: Readonly<Record<string, number>>;
  /** The API server's cause type, for valid-probe: `FieldValueInvalid`, `FieldValueRequired`, ... */
  readonly reason?: string;
}

/**
 * Highest number of findings that a check reports about one probe. A list of headers or words may have tens of
 * thousands of elements, too many to read.
 */
export const MOST_PROBE_FINDINGS = 100;

/** Returns all violations of one container, in a fixed order. */
type Run<Parameters> = (
  workload: CheckedWorkload,
  container: CheckedContainer,
  parameters: Parameters,
) => readonly Finding[];

/** Properties that only some checks set. */
interface CheckTraits {
  /** A violation means that the probe cannot work at all. Reports then show the category `Cannot work`. */
  readonly cannotWork: boolean;
  /** The check also reads plain init, ephemeral and mesh containers. */
  readonly everyContainer: boolean;
  /**
   * Probes that the rule reads in addition to the probe that a finding names. When one of these probes is injected, the
   * violation says so.
   */
  readonly relatedProbes: readonly ProbeKind[];
  /** The check requires probes. A policy that removes a probe can therefore cause a violation. */
  readonly requiresProbes: boolean;
  /**
   * A finding about a liveness probe is dropped if the injected startup probe was made because of the liveness probe's
   * initialDelaySeconds.
   */
  readonly acceptsDelayOfInjectedStartup: boolean;
  /** A finding at a handler says nothing against the handler, so other findings may still advise to copy it. */
  readonly acceptsHandler: boolean;
  /**
   * The rule needs nothing but the numbers, paths and commands of a container's probes. Such a check also judges a
   * policy alone, on a model Pod (src/engine/verdict/policy-advice.ts).
   */
  readonly judgesProbeAlone: boolean;
  /**
   * The kinds of handlers that the rule is about. The check does not run on a container without such a probe. Undefined
   * for a check that runs on every container.
   */
  readonly handlers: readonly HandlerKind[] | undefined;
}

/** One check of the catalogue (docs/checks.md). */
export interface Check extends CheckDefinition, CheckTraits {
  /** @param parameters values for this check, as a CheckPolicy holds them */
  readonly run: Run<ParameterValues>;
}

/** Makes a check. `run` gets a value for each parameter: the value that policies set, else the default. */
export function defineCheck<const Parameters extends CheckParameters = Record<string, never>>({
  parameters,
  run,
  ...definition
}: Omit<CheckDefinition, 'parameters'> &
  Partial<CheckTraits> & {
    readonly parameters?: Parameters;
    readonly run: Run<ValuesOf<Parameters>>;
  }): Check {
  return {
    id: definition.id,
    summary: definition.summary,
    action: definition.action,
    parameters: parameters ?? {},
    cannotWork: definition.cannotWork ?? false,
    everyContainer: definition.everyContainer ?? false,
    relatedProbes: definition.relatedProbes ?? [],
    requiresProbes: definition.requiresProbes ?? false,
    acceptsDelayOfInjectedStartup: definition.acceptsDelayOfInjectedStartup ?? false,
    acceptsHandler: definition.acceptsHandler ?? false,
    judgesProbeAlone: definition.judgesProbeAlone ?? false,
    handlers: definition.handlers,
    // The policy parser and the layers build the values from these parameters. No type can express this for all checks
    // at once.
    run: run as unknown as Run<ParameterValues>,
  };
}
