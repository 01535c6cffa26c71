import { member, objectMember } from '../probes/json.ts';
import { isBeingDeleted, podTemplatesOf, templatesToLookAt, workloadKind } from '../workload/kinds.ts';
import type { JsonObject } from '../probes/json.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';
import type { SkipReason } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/** What a request is about: the object and its Pod templates, or why it is let through without a look. */
export type Scope =
  | { readonly object: JsonObject; readonly kind: WorkloadKind; readonly templates: readonly PlacedTemplate[] }
  | { readonly skipped: SkipReason };

/**
 * Decides whether a request is looked at at all, failing open: what we do not know is not ours to judge. Selection is by the
 * object's kind, not by the resource in the path: `deployments/scale` carries a Scale, `pods/binding` a Binding.
 */
export function scopeOf(request: AdmissionRequest, kinds: readonly WorkloadKind[]): Scope {
  const { object, oldObject, operation } = request;
  if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return { skipped: 'operation' };
  // Probes cannot be changed through any subresource: status, resize and ephemeralcontainers drop such changes
  // (pkg/registry/core/pod/strategy.go).
  if (request.subResource !== '') return { skipped: 'subresource' };
  const kind = workloadKind(request.kind.group, request.kind.kind, kinds);
  if (kind === undefined) return { skipped: 'kind' };
  if (oldObject !== undefined && isBeingDeleted(oldObject)) return { skipped: 'being-deleted' };
  const found = templatesToLookAt(object, kind);
  if ('skipped' in found) return found;
  for (const { template } of [...found.templates, ...(oldObject === undefined ? [] : podTemplatesOf(oldObject, kind))])
    refuseTooManyContainers(template);
  return { object, kind, templates: found.templates };
}

/**
 * No node runs as many containers as this in one Pod, but an object of 3 MiB has room for a quarter of a million, and what there is to say
 * about each would not fit into our memory.
 */
const MAX_CONTAINERS = 8000;

/** An object that is too large to be looked at: the caller's fault. */
export class TooManyContainers extends RangeError {}

function refuseTooManyContainers(template: JsonObject): void {
  const spec = objectMember(template, 'spec') ?? {};
  let count = 0;
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    const entries = member(spec, list);
    if (Array.isArray(entries)) count += entries.length;
  }
  if (count > MAX_CONTAINERS)
    throw new TooManyContainers(`the Pod has ${count} containers: more than ${MAX_CONTAINERS} are not looked at`);
}
