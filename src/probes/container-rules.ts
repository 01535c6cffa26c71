import { forbidden } from './api-cause.ts';
import { goPointer, goString, isSet } from './go-values.ts';
import { lifecycleCauses } from './handler-rules.ts';
import { containerPortsCauses } from './port-rules.ts';
import { probesCauses } from './probe-rules.ts';
import { containerRestartPolicyCauses } from './restart-policy-rules.ts';
import type { ApiCause } from './api-cause.ts';
import type { ContainerList } from './api-defaults.ts';
import type { JsonObject } from './json.ts';

/** The rules for one container, by the list that it stands in. `path` is the container's own. */
export const CONTAINER_RULES: Readonly<Record<ContainerList, (container: JsonObject, path: string) => ApiCause[]>> = {
  containers: applicationCauses,
  initContainers: initContainerCauses,
  ephemeralContainers: ephemeralContainerCauses,
};

/** validation.go, validateContainers. */
function applicationCauses(container: JsonObject, path: string): ApiCause[] {
  return [
    ...containerPortsCauses(container, path),
    ...lifecycleCauses(container, path),
    ...probesCauses(container, path),
    ...containerRestartPolicyCauses(container, path),
  ];
}

/** validation.go, validateInitContainers: a sidecar may have what an application has, a plain init container may not. */
function initContainerCauses(container: JsonObject, path: string): ApiCause[] {
  const isSidecar = goString(container, 'restartPolicy') === 'Always';
  return [
    ...containerPortsCauses(container, path),
    ...containerRestartPolicyCauses(container, path),
    ...(isSidecar
      ? [...lifecycleCauses(container, path), ...probesCauses(container, path)]
      : plainInitContainerCauses(container, path)),
  ];
}

const NOT_FOR_INIT = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** What is inside is not looked at: the field must not be there. */
function plainInitContainerCauses(container: JsonObject, path: string): ApiCause[] {
  return NOT_FOR_INIT.filter((field) => isSet(container, field)).map((field) =>
    forbidden(`${path}.${field}`, 'may not be set for init containers without restartPolicy=Always'),
  );
}

/** The fields that an ephemeral container may not have, in the order of core/v1 EphemeralContainerCommon (validateFieldAllowList). */
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
function ephemeralContainerCauses(container: JsonObject, path: string): ApiCause[] {
  return [
    ...containerPortsCauses(container, path),
    ...NOT_FOR_EPHEMERAL.filter((field) => isForbiddenlySet(container, field)).map((field) =>
      forbidden(`${path}.${field}`, 'cannot be set for an Ephemeral Container'),
    ),
  ];
}

/** `resources` is a struct, not a pointer: with nothing in it, it cannot be told from absent. */
function isForbiddenlySet(container: JsonObject, field: string): boolean {
  if (field !== 'resources') return isSet(container, field);
  const resources = goPointer(container, field) ?? {};
  return ['limits', 'requests', 'claims'].some((member) => isSet(resources, member));
}
