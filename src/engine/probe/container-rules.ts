import { forbidden, unlessOneOf, causesOfEach, required, tooMany, type ApiCause } from './api-cause.ts';
import { goPointer, isSet, goLength, goObjects, goString } from './go-values.ts';
import { lifecycleCauses, probesCauses } from './probe-rules.ts';
import { containerPortsCauses } from './port-rules.ts';
import { PROBE_KINDS } from './probe.ts';
import { isSidecar } from './grace-period.ts';
import type { FieldPlace } from '../../base/json/field-path.ts';
import type { ContainerList } from './api-defaults.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** The rules for one container, by its list in the Pod spec. `place` is the container's own. */
export const CONTAINER_RULES: Readonly<
  Record<ContainerList, (container: JsonObject, place: FieldPlace) => readonly ApiCause[]>
> = {
  containers: applicationCauses,
  initContainers: initContainerCauses,
  ephemeralContainers: ephemeralContainerCauses,
};

/** validation.go, validateContainers. */
function applicationCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return [
    ...containerPortsCauses(container, place),
    ...lifecycleCauses(container, place),
    ...probesCauses(container, place),
    ...containerRestartPolicyCauses(container, place),
  ];
}

/** A plain init container may have less than a sidecar (validation.go, validateInitContainers). */
function initContainerCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return [
    ...containerPortsCauses(container, place),
    ...containerRestartPolicyCauses(container, place),
    ...(isSidecar(container)
      ? [...lifecycleCauses(container, place), ...probesCauses(container, place)]
      : plainInitContainerCauses(container, place)),
  ];
}

const NOT_FOR_INIT = ['lifecycle', ...PROBE_KINDS];

/** The API server refuses the fields without a look at their values. */
function plainInitContainerCauses(container: JsonObject, place: FieldPlace): ApiCause[] {
  return NOT_FOR_INIT.filter((field) => isSet(container, field)).map((field) =>
    forbidden(place.at(field), 'may not be set for init containers without restartPolicy=Always'),
  );
}

/** What an ephemeral container may not have, in the order of core/v1 (validateFieldAllowList). */
const NOT_FOR_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

/** validation.go, validateEphemeralContainers. */
function ephemeralContainerCauses(container: JsonObject, place: FieldPlace): ApiCause[] {
  return [
    ...containerPortsCauses(container, place),
    ...NOT_FOR_EPHEMERAL.filter((field) => isForbiddenlySet(container, field)).map((field) =>
      forbidden(place.at(field), 'cannot be set for an Ephemeral Container'),
    ),
  ];
}

/** `resources` is a struct and no pointer: empty resources look like absent ones. */
function isForbiddenlySet(container: JsonObject, field: string): boolean {
  if (field !== 'resources') return isSet(container, field);
  const resources = goPointer(container, field) ?? {};
  return ['limits', 'requests', 'claims'].some((member) => isSet(resources, member));
}

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const MOST_RULES = 20;
const MOST_EXIT_CODES = 255;

/**
 * A container's own restartPolicy and the rules beside it (validation.go, validateContainerRestartPolicy). All three
 * policies are legal on every container since Kubernetes 1.35. An init container may have probes only with Always.
 */
export function containerRestartPolicyCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return [...policyCauses(container, place), ...rulesCauses(container, place)];
}

function policyCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  if (!isSet(container, 'restartPolicy')) {
    const rules = goLength(container, 'restartPolicyRules');
    return rules === 0
      ? []
      : [required(place.at('restartPolicy'), 'must specify restartPolicy when restart rules are used')];
  }
  return unlessOneOf(goString(container, 'restartPolicy'), POLICIES, place.at('restartPolicy'));
}

function rulesCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  const rules = goObjects(container, 'restartPolicyRules');
  if (rules.length === 0) return [];
  return [
    ...(rules.length > MOST_RULES ? [tooMany(place.at('restartPolicyRules'), rules.length, MOST_RULES)] : []),
    ...causesOfEach(rules, (rule, index) => ruleCauses(rule, place.at('restartPolicyRules').at(index))),
  ];
}

function ruleCauses(rule: JsonObject, place: FieldPlace): ApiCause[] {
  const exitCodes = goPointer(rule, 'exitCodes');
  return [
    ...unlessOneOf(goString(rule, 'action'), ACTIONS, place.at('action')),
    ...(exitCodes === undefined
      ? [required(place.at('exitCodes'), 'must be specified')]
      : exitCodesCauses(exitCodes, place.at('exitCodes'))),
  ];
}

function exitCodesCauses(exitCodes: JsonObject, place: FieldPlace): ApiCause[] {
  const count = goLength(exitCodes, 'values');
  return [
    ...unlessOneOf(goString(exitCodes, 'operator'), OPERATORS, place.at('operator')),
    ...(count > MOST_EXIT_CODES ? [tooMany(place.at('values'), count, MOST_EXIT_CODES)] : []),
  ];
}
