import { refuseTooLarge } from './object-size.ts';
import { DEFAULT_TRUSTED_CONTROLLERS, isControlled } from './trusted-controllers.ts';
import { isBeingDeleted, templatesToLookAt, workloadKind } from '../workload/kinds.ts';
import type { JsonObject } from '../probes/json.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';
import type { SkipReason } from './decision.ts';
import type { TrustedControllers } from './trusted-controllers.ts';
import type { AdmissionRequest } from './review.ts';

/** What a request is about: the object and its Pod templates, or why it is let through without a look. */
export type Scope =
  | { readonly object: JsonObject; readonly kind: WorkloadKind; readonly templates: readonly PlacedTemplate[] }
  | { readonly skipped: SkipReason };

/**
 * Decides whether a request is looked at at all, failing open: what we do not know is not ours to judge. Selection is by the
 * object's kind, not by the resource in the path: `deployments/scale` carries a Scale, `pods/binding` a Binding.
 */
export function scopeOf(
  request: AdmissionRequest,
  kinds: readonly WorkloadKind[],
  controllers: TrustedControllers = DEFAULT_TRUSTED_CONTROLLERS,
): Scope {
  const { object, oldObject, operation } = request;
  if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return { skipped: 'operation' };
  // Probes cannot be changed through any subresource: status, resize and ephemeralcontainers drop such changes
  // (pkg/registry/core/pod/strategy.go).
  if (request.subResource !== '') return { skipped: 'subresource' };
  const kind = workloadKind(request.kind.group, request.kind.kind, kinds);
  if (kind === undefined) return { skipped: 'kind' };
  if (oldObject !== undefined && isBeingDeleted(oldObject)) return { skipped: 'being-deleted' };
  const found = templatesToLookAt(object, kind, isControlled(request, controllers));
  if ('skipped' in found) return found;
  refuseTooLarge(found.templates, request.textLength);
  return { object, kind, templates: found.templates };
}
