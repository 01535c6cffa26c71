import { laxer } from '../../engine/policy/action.ts';
import { isBeingDeleted, isPod, templatesToLookAt, workloadKind } from '../../engine/workload/kinds.ts';
import { sizeProblem } from '../../engine/workload/size-limits.ts';
import { isControllerManager, trustIn, type Trust, type TrustedControllers } from './trusted-controllers.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { PlacedTemplate, WorkloadKind } from '../../engine/workload/kinds.ts';
import type { AdmissionRequest, SkipReason } from './decision.ts';

/** What a request asks about, if Probewright decides about such requests. */
export type Scope =
  | { readonly is: 'skipped'; readonly reason: SkipReason }
  | ({ readonly is: 'checked' } & LookedAt)
  | ({ readonly is: 'too-large'; readonly problem: string } & LookedAt);

interface LookedAt {
  readonly object: JsonObject;
  readonly kind: WorkloadKind;
  readonly templates: readonly PlacedTemplate[];
  /** How far the object's controller reference counts. */
  readonly trust: Trust;
}

/** Fails open: every unknown object is allowed. The object's kind decides: `deployments/scale` carries a Scale. */
export function scopeOf(
  request: AdmissionRequest,
  kinds: readonly WorkloadKind[],
  controllers: TrustedControllers,
): Scope {
  const { object, oldObject, operation, unread } = request;
  if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return skipped('operation');
  // No subresource can change probes: status, resize and ephemeralcontainers drop such changes
  // (pkg/registry/core/pod/strategy.go).
  if (request.subResource !== '') return skipped('subresource');
  const kind = workloadKind(request.kind.group, request.kind.kind, kinds);
  if (kind === undefined) return skipped('kind');
  if (oldObject !== undefined && isBeingDeleted(oldObject)) return skipped('being-deleted');
  const trust = isPodOfUnreadOwner(request, kind) ? 'full' : trustIn(request, controllers);
  const found = templatesToLookAt(object, kind, trust === 'full');
  // What was not read may have templates.
  if (found.kind === 'skipped' && (unread === undefined || found.reason !== 'no-pod-template'))
    return skipped(found.reason);
  const templates = found.kind === 'skipped' ? [] : found.templates;
  const problem = unread ?? sizeProblem(templates);
  const lookedAt = { object, kind, templates, trust };
  return problem === undefined ? { is: 'checked', ...lookedAt } : { is: 'too-large', problem, ...lookedAt };
}

/** Kubernetes' own controllers create the Pods of an owner, who could not see a denial. */
function isPodOfUnreadOwner({ unread, object = {}, userName }: AdmissionRequest, kind: WorkloadKind): boolean {
  return unread !== undefined && isPod(kind) && !Object.hasOwn(object, 'metadata') && isControllerManager(userName);
}

function skipped(reason: SkipReason): Scope {
  return { is: 'skipped', reason };
}

/** The violation with this action, if its own is stricter. */
export function atMost(violation: Violation, action: Violation['action']): Violation {
  const laxest = laxer(violation.action, action);
  return laxest === violation.action ? violation : { ...violation, action: laxest };
}
