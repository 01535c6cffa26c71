import { invalid } from './api-cause.ts';
import { goInteger, isSet } from './go-values.ts';
import { objectMember } from './json.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from './json.ts';

/** apps/v1 defaults.go, SetDefaults_Deployment. */
const DEFAULT_DEADLINE_SECONDS = 600;

/**
 * A Deployment's deadline against the time for which its readiness probes must have passed (pkg/apis/apps/validation,
 * ValidateDeploymentSpec).
 */
export function deploymentCauses(deployment: JsonObject): ApiCause[] {
  const spec = objectMember(deployment, 'spec') ?? {};
  const path = 'spec.progressDeadlineSeconds';
  const isGiven = isSet(spec, 'progressDeadlineSeconds');
  const deadline = isGiven ? goInteger(spec, 'progressDeadlineSeconds') : DEFAULT_DEADLINE_SECONDS;
  const causes: ApiCause[] = [];
  if (deadline < 0) causes.push(invalid(path, deadline, 'must be greater than or equal to 0'));
  if (deadline <= goInteger(spec, 'minReadySeconds')) {
    causes.push(invalid(path, deadline, 'must be greater than minReadySeconds'));
  }
  return causes;
}
