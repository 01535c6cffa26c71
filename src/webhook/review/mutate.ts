import { objectMember, stringMember, stringMembers } from '../../base/json/json-value.ts';
import { withPoliciesAtFault } from '../../engine/verdict/injected-violations.ts';
import { withExceptions } from '../../engine/verdict/exceptions-of-workload.ts';
import { controllersOfPod } from '../../engine/workload/pod-controllers.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { probePatch } from '../../engine/defaulting/patch.ts';
import { provenance } from '../../engine/defaulting/provenance.ts';
import { formatNotInjected } from '../../engine/defaulting/reason.ts';
import { checkedWorkload } from '../../engine/checks/checked-workload.ts';
import { runChecks } from '../../engine/checks/run-checks.ts';
import { effectiveTemplate } from '../../engine/defaulting/effective.ts';
import { laxer } from '../../engine/policy/action.ts';
import { sourcesOf } from '../../engine/policy/layer-sources.ts';
import { skip } from './decision.ts';
import { allowed, auditText } from './response.ts';
import { BUILT_IN_KINDS } from '../../engine/workload/kinds.ts';
import { workloadNameOf } from '../../engine/workload/workload-of-pod.ts';
import { ObjectTooLarge } from './object-size.ts';
import { scopeOf } from './scope.ts';
import { violationOfUnseen } from './unseen-object.ts';
import { DEFAULT_TRUSTED_CONTROLLERS, isControlled, isControlledByControllerManager } from './trusted-controllers.ts';
import { violationAnnotation } from './violation-annotation.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Injection } from '../../engine/defaulting/injection.ts';
import type { Defaulting, DefaultingOptions } from '../../engine/defaulting/default-probes.ts';
import type { NamedWorkload } from '../../engine/policy/probe-exception.ts';
import type { WorkloadPolicy } from '../../engine/policy/policy-set.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { MutationMode } from '../../engine/verdict/modes.ts';
import type { Decision } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/**
 * Answers `/mutate`: a Pod at CREATE gets the probes that the Pod lacks and the policy defines. Probewright patches
 * nothing else. Patches of templates, ReplicaSets, Jobs or existing Pods start rollouts, endless ReplicaSets and stuck
 * finalizers.
 *
 * For a Pod that kube-controller-manager creates for a controller, the answer also has the violations that `/validate`
 * would record. Match conditions keep such Pods from `/validate`, where violations could only add an audit annotation.
 *
 * @param now the instant of the decision, in milliseconds since the epoch
 */
export function mutate(
  request: AdmissionRequest,
  policies: Snapshot,
  mode: MutationMode,
  now: number,
  controllers = DEFAULT_TRUSTED_CONTROLLERS,
): Decision {
  const isAudited = isControlledByControllerManager(request);
  if (mode === 'Off' && !isAudited) return skip(request, 'mutation-off');
  const scope = auditableScope(request, isAudited);
  if (scope instanceof ObjectTooLarge) return auditUnseen(request, scope);
  if ('skipped' in scope) return skip(request, scope.skipped);
  if (scope.kind.kind !== 'Pod') return skip(request, 'kind');
  if (request.operation !== 'CREATE') return skip(request, 'operation');

  const { object: pod } = scope;
  const labels = stringMembers(objectMember(pod, 'metadata') ?? {}, 'labels');
  // Learned start times are those of the workload that a trusted controller made the Pod for.
  const workload = workloadNameOf(pod, scope.kind, isControlled(request, controllers));
  const policy = policies.policyFor(request.namespace, labels, workload);
  const defaulting = mode === 'Off' ? undefined : permittedDefaulting(pod, policy, A_POD);
  const injections = mode === 'On' && defaulting !== undefined ? defaulting.injections : [];
  const sources = defaulting === undefined ? '' : provenance(defaulting.injections, undefined);
  const patch = probePatch(pod, injections, sources);
  const violations = isAudited
    ? auditedViolations(pod, injections, scope.kind, { policy, policies, namespace: request.namespace, now })
    : [];
  const warnings = defaulting?.warnings ?? [];
  // Member by member: spreading optional members takes as long as the rest of the reply.
  const annotations = auditAnnotations(defaulting, mode, sources);
  if (violations.length > 0) Object.assign(annotations, violationAnnotation(violations));
  const decision: { -readonly [Key in keyof Decision]: Decision[Key] } = {
    reply: allowed(request.uid, { patch, warnings, auditAnnotations: annotations }),
    result: patch.length > 0 ? 'mutate' : warnings.length > 0 ? 'warn' : 'allow',
    policies: sourcesOf(policy.layers),
  };
  if (defaulting !== undefined) decision.defaulting = defaulting;
  if (isAudited) decision.violations = violations;
  return decision;
}

const A_POD: DefaultingOptions = { runsToCompletion: false, isAskedByApiServer: true };

/**
 * Decides whether the object is to be looked at.
 *
 * @throws ObjectTooLarge unless the answer is to record the violation
 */
function auditableScope(request: AdmissionRequest, isAudited: boolean): ReturnType<typeof scopeOf> | ObjectTooLarge {
  try {
    return scopeOf(request, BUILT_IN_KINDS);
  } catch (error) {
    if (isAudited && error instanceof ObjectTooLarge && request.operation === 'CREATE') return error;
    throw error;
  }
}

/**
 * Allows a controller's Pod that is too large to check, and records the violation. Match conditions keep the Pod from
 * `/validate`, and an error would reject the Pod under failurePolicy Fail.
 */
function auditUnseen(request: AdmissionRequest, tooLarge: ObjectTooLarge): Decision {
  const violations = [violationOfUnseen(tooLarge, 'Audit')];
  const reply = allowed(request.uid, { auditAnnotations: violationAnnotation(violations) });
  return { reply, result: 'allow', violations, policies: [] };
}

/** The facts on which the violations of a controller's Pod depend. */
interface AuditSettings {
  readonly policy: WorkloadPolicy;
  readonly policies: Snapshot;
  readonly namespace: string;
  readonly now: number;
}

/**
 * Finds what `/validate` finds in a Pod of a controller. `/validate` has already checked the Pod's template, so every
 * violation counts as Audit at most.
 */
function auditedViolations(
  pod: JsonObject,
  injections: readonly Injection[],
  kind: WorkloadKind,
  { policy, policies, namespace, now }: AuditSettings,
): Violation[] {
  const { checkPolicy } = policy;
  const effective = effectiveTemplate(pod, injections);
  const workload = checkedWorkload(
    effective,
    kind,
    { template: effective, path: [] },
    {
      namespace,
      facts: policies.facts,
      now,
    },
  );
  const found = runChecks(workload, checkPolicy);
  const assigned = withPoliciesAtFault(found, injections, checkPolicy);
  const names = [...controllersOfPod(pod), ...ownNames(pod)];
  const podLabels = stringMembers(objectMember(pod, 'metadata') ?? {}, 'labels');
  const judged = withExceptions(assigned, { namespace, names, podLabels }, policies, policy, now);
  return judged.map((violation) => ({ ...violation, action: laxer(violation.action, 'Audit') }));
}

function ownNames(pod: JsonObject): readonly NamedWorkload[] {
  const name = stringMember(objectMember(pod, 'metadata') ?? {}, 'name');
  return name === undefined ? [] : [{ kind: 'Pod', name }];
}

/**
 * When the API server calls the webhook again for the same Pod, each annotation keeps its value or is left out. The API
 * server keeps the first value of a key, and logs a warning about a second value. If another webhook adds a container
 * later, only metrics and logs report the container's violations.
 */
function auditAnnotations(
  defaulting: Defaulting | undefined,
  mode: MutationMode,
  sources: string,
): Record<string, string> {
  const annotations: Record<string, string> = {};
  if (defaulting === undefined) return annotations;
  const { injections, notInjected } = defaulting;
  if (injections.length > 0) annotations[mode === 'On' ? 'injected' : 'would-inject'] = sources;
  if (notInjected.length > 0) annotations['not-injected'] = auditText(notInjected, formatNotInjected);
  return annotations;
}
