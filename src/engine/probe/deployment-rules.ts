import { invalid } from './api-cause.ts';
import { DEFAULT_PROGRESS_DEADLINE_SECONDS } from './default-values.ts';
import { goInteger, isSet } from './go-values.ts';
import { FieldPlace } from '../../base/json/field-place.ts';
import { objectMember } from '../../base/json/json-value.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/**
 * The causes of a Deployment whose progress deadline is not above minReadySeconds (pkg/apis/apps/validation,
 * ValidateDeploymentSpec).
 */
export function deploymentCauses(deployment: JsonObject): ApiCause[] {
  const spec = objectMember(deployment, 'spec') ?? {};
  const place = new FieldPlace(['spec'], 'progressDeadlineSeconds');
  const isGiven = isSet(spec, 'progressDeadlineSeconds');
  const deadline = isGiven ? goInteger(spec, 'progressDeadlineSeconds') : DEFAULT_PROGRESS_DEADLINE_SECONDS;
  const causes: ApiCause[] = [];
  if (deadline < 0) causes.push(invalid(place, deadline, 'must be greater than or equal to 0'));
  if (deadline <= goInteger(spec, 'minReadySeconds')) {
    causes.push(invalid(place, deadline, 'must be greater than minReadySeconds'));
  }
  return causes;
}
