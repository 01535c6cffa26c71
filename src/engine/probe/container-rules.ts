import { forbidden, inOrder } from './api-cause.ts';
import { goPointer, isSet } from './go-values.ts';
import { lifecycleCauses } from './handler-rules.ts';
import { containerPortsCauses } from './port-rules.ts';
import { PROBE_KINDS } from './probe.ts';
import { probesCauses } from './probe-rules.ts';
import { containerRestartPolicyCauses } from './restart-policy-rules.ts';
import { isSidecar } from './sidecar.ts';
import type { FieldPlace } from '../../base/json/field-place.ts';
import type { ApiCause } from './api-cause.ts';
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
  return inOrder(
    containerPortsCauses(container, place),
    lifecycleCauses(container, place),
    probesCauses(container, place),
    containerRestartPolicyCauses(container, place),
  );
}

/**
 * validation.go, validateInitContainers: a sidecar may have what an application has, a plain init container may not.
 */
function initContainerCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return inOrder(
    containerPortsCauses(container, place),
    containerRestartPolicyCauses(container, place),
    isSidecar(container)
      ? inOrder(lifecycleCauses(container, place), probesCauses(container, place))
      : plainInitContainerCauses(container, place),
  );
}

const NOT_FOR_INIT = ['lifecycle', ...PROBE_KINDS];

/** The API server refuses the fields without a look at their values. */
function plainInitContainerCauses(container: JsonObject, place: FieldPlace): ApiCause[] {
  return NOT_FOR_INIT.filter((field) => isSet(container, field)).map((field) =>
    forbidden(place.at(field), 'may not be set for init containers without restartPolicy=Always'),
  );
}

/**
 * The fields that an ephemeral container may not have, in the order of core/v1 EphemeralContainerCommon
 * (validateFieldAllowList).
 */
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
