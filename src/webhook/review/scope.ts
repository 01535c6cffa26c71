import { isBeingDeleted, templatesToLookAt, workloadKind } from '../../engine/workload/kinds.ts';
import { sizeProblem } from './object-size.ts';
import { DEFAULT_TRUSTED_CONTROLLERS, isControlled, type TrustedControllers } from './trusted-controllers.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { PlacedTemplate, WorkloadKind } from '../../engine/workload/kinds.ts';
import type { SkipReason } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/** What of a request is checked, or why nothing is. */
export type Scope =
  | {
      readonly is: 'checked';
      readonly object: JsonObject;
      readonly kind: WorkloadKind;
      readonly templates: readonly PlacedTemplate[];
    }
  | { readonly is: 'skipped'; readonly reason: SkipReason }
  | { readonly is: 'too-large'; readonly problem: string };

/**
 * Fails open: every unknown object is allowed. The object's kind decides, not the resource in the path:
 * `deployments/scale` carries a Scale, and `pods/binding` a Binding.
 */
export function scopeOf(
  request: AdmissionRequest,
  kinds: readonly WorkloadKind[],
  controllers: TrustedControllers = DEFAULT_TRUSTED_CONTROLLERS,
): Scope {
  const { object, oldObject, operation } = request;
  if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return skipped('operation');
  // No subresource can change probes: status, resize and ephemeralcontainers drop such changes
  // (pkg/registry/core/pod/strategy.go).
  if (request.subResource !== '') return skipped('subresource');
  const kind = workloadKind(request.kind.group, request.kind.kind, kinds);
  if (kind === undefined) return skipped('kind');
  if (oldObject !== undefined && isBeingDeleted(oldObject)) return skipped('being-deleted');
  const found = templatesToLookAt(object, kind, isControlled(request, controllers));
  if ('skipped' in found) return skipped(found.skipped);
  const { templates } = found;
  const problem = sizeProblem(templates);
  return problem === undefined ? { is: 'checked', object, kind, templates } : { is: 'too-large', problem };
}

function skipped(reason: SkipReason): Scope {
  return { is: 'skipped', reason };
}
