import type { MutationMode } from '../../engine/policy/action.ts';
import { formatNotInjected } from '../../engine/defaulting/not-injected.ts';
import { probePatch, provenance } from '../../engine/defaulting/patch.ts';
import { violationsOf } from '../../engine/verdict/judge.ts';
import {
  injectedBefore,
  permittedDefaulting,
  type PermittedDefaulting,
} from '../../engine/verdict/permitted-defaulting.ts';
import { withoutRepeats } from '../../engine/verdict/repeated-advice.ts';
import { violationOfUnseen } from '../../engine/verdict/unseen.ts';
import { BUILT_IN_KINDS } from '../../engine/workload/kinds.ts';
import { readPod } from '../../engine/workload/read-pod.ts';
import { controllersOfPod, workloadNameOf, type WorkloadName } from '../../engine/workload/workload-of-pod.ts';
import { skip, type AdmissionRequest, type Decision } from './decision.ts';
import { allowed, auditText, violationAnnotation } from './response.ts';
import { atMost, scopeOf } from './scope.ts';
import { DEFAULT_TRUSTED_CONTROLLERS, isControlledByControllerManager } from './trusted-controllers.ts';
import { formatViolation, type Violation } from '../../engine/checks/violation.ts';
import type { Defaulting } from '../../engine/defaulting/default-probes.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';

/** A decision of `/mutate`, with all that the engine worked out about the probes. */
export interface MutateDecision extends Decision {
  readonly defaulting?: Defaulting;
}

/**
 * Answers `/mutate`: a Pod at CREATE gets the probes that it lacks and the policy defines. Patches of templates,
 * ReplicaSets, Jobs or existing Pods would start rollouts, endless ReplicaSets and stuck finalizers. For a Pod of
 * kube-controller-manager the answer also has the violations: match conditions keep such Pods from `/validate`.
 *
 * @param now the instant of the decision, in milliseconds since the epoch
 * @param knownWorkload the workload that a caller makes the Pod of, beside what the Pod says
 */
export function mutate(
  request: AdmissionRequest,
  policies: Snapshot,
  mode: MutationMode,
  now: number,
  controllers = DEFAULT_TRUSTED_CONTROLLERS,
  knownWorkload?: WorkloadName,
): MutateDecision {
  const isAudited = isControlledByControllerManager(request);
  if (mode === 'Off' && !isAudited) return skip(request, 'mutation-off');
  const scope = scopeOf(request, BUILT_IN_KINDS, controllers);
  if (scope.is === 'too-large') return tooLarge(request, isAudited, scope.problem);
  if (scope.is === 'skipped') return skip(request, scope.reason);
  const { kind, object, trust } = scope;
  if (kind.kind !== 'Pod') return skip(request, 'kind');
  if (request.operation !== 'CREATE') return skip(request, 'operation');

  const { namespace } = request;
  // Learned start times are those of the workload that a trusted controller made the Pod for.
  const workload = knownWorkload ?? workloadNameOf(object, kind, trust !== 'none');
  const pod = readPod(object, kind);
  const policy = policies.policyFor(namespace, pod.labels, workload);
  const defaulting =
    mode === 'Off' ? undefined : permittedDefaulting(pod, policy, { injectedEarlier: injectedBefore(pod, policy) });
  const sent = mode === 'On' && defaulting !== undefined ? defaulting : { injections: [], pod };
  const patch = probePatch(object, sent.injections);
  const warnings = defaulting?.warnings ?? [];
  const audited = (given: Pick<PermittedDefaulting, 'injections' | 'pod'>): readonly Violation[] => {
    const subject = { object, kind, namespace, controllers: controllersOfPod(object) };
    const violations = violationsOf(subject, policies, policy, { ...given, notInjected: [] }, now);
    // `/validate` has already checked the template of a controller's Pod.
    return withoutRepeats(violations.map((violation) => atMost(violation, 'Audit')));
  };
  const violations = isAudited ? audited(sent) : [];
  const unsent = mode === 'Audit' && defaulting?.injections.length ? defaulting : undefined;
  const result = warnings.length > 0 ? 'warn' : 'allow';
  const auditAnnotations = { ...defaultingAnnotations(defaulting, mode), ...violationAnnotation(violations) };
  return {
    reply: allowed(request.uid, { patch, warnings, auditAnnotations }),
    result: patch.length > 0 ? 'mutate' : result,
    policies: policy.sources,
    ...(defaulting && { defaulting }),
    ...(isAudited && { violations }),
    ...(unsent && { wouldBe: { result: 'mutate', ...(isAudited && { violations: audited(unsent) }) } }),
  };
}

/** The Pod is left to `/validate`, which a Pod of kube-controller-manager does not reach. */
function tooLarge({ uid }: AdmissionRequest, isAudited: boolean, problem: string): MutateDecision {
  const violations = [violationOfUnseen(problem, isAudited ? 'Audit' : 'Warn')];
  return isAudited
    ? { reply: allowed(uid, { auditAnnotations: violationAnnotation(violations) }), result: 'allow', violations }
    : { reply: allowed(uid, { warnings: violations.map(formatViolation) }), result: 'warn' };
}

/** The API server keeps the first value of a key, and logs a warning about another: values stay the same, or go. */
function defaultingAnnotations(defaulting: Defaulting | undefined, mode: MutationMode): Record<string, string> {
  const { injections = [], notInjected = [] } = defaulting ?? {};
  return {
    ...(injections.length > 0 && { [mode === 'On' ? 'injected' : 'would-inject']: provenance(injections, undefined) }),
    ...(notInjected.length > 0 && { 'not-injected': auditText(notInjected, formatNotInjected) }),
  };
}
