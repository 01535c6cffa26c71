import { objectMember, stringMembers } from '../probes/json.ts';
import { permittedDefaulting } from '../verdict/permitted-defaulting.ts';
import { probePatch } from '../defaulting/patch.ts';
import { provenance } from '../defaulting/provenance.ts';
import { formatNotInjected } from '../defaulting/reason.ts';
import { runToEnd } from '../steps.ts';
import { skip } from './decision.ts';
import { allowed, auditText } from './response.ts';
import { BUILT_IN_KINDS } from '../workload/kinds.ts';
import { scopeOf } from './scope.ts';
import type { Steps } from '../steps.ts';
import type { Defaulting } from '../defaulting/default-probes.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { Decision, MutationMode } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/**
 * Answers `/mutate`: a Pod that is being created gets the probes that it lacks and policy gives it. Nothing else is ever patched:
 * patching templates, ReplicaSets, Jobs or existing Pods starts rollouts, endless ReplicaSets and stuck finalizers.
 */
export function mutate(request: AdmissionRequest, policies: PolicySet, mode: MutationMode): Decision {
  return runToEnd(mutateInSteps(request, policies, mode));
}

/** The same in steps, for an object that takes long. */
export function* mutateInSteps(request: AdmissionRequest, policies: PolicySet, mode: MutationMode): Steps<Decision> {
  if (mode === 'Off') return skip(request, 'mutation-off');
  const scope = scopeOf(request, BUILT_IN_KINDS);
  if ('skipped' in scope) return skip(request, scope.skipped);
  if (scope.kind.kind !== 'Pod') return skip(request, 'kind');
  if (request.operation !== 'CREATE') return skip(request, 'operation');

  const { object: pod } = scope;
  const policy = policies.policyFor(request.namespace, stringMembers(objectMember(pod, 'metadata') ?? {}, 'labels'));
  const defaulting = yield* permittedDefaulting(pod, policy, scope.kind);
  yield;
  const patch = probePatch(pod, defaulting.injections);
  const sent = mode === 'On' ? patch : [];
  return {
    reply: allowed(request.uid, {
      patch: sent,
      warnings: defaulting.warnings,
      auditAnnotations: auditAnnotations(defaulting, mode),
    }),
    result: sent.length > 0 ? 'mutate' : defaulting.warnings.length > 0 ? 'warn' : 'allow',
    defaulting,
    policies: policy.layers.map((layer) => layer.source),
  };
}

/**
 * Values stay the same, or away, when the webhook is called again for the same Pod: the API server refuses a second, different
 * value for a key.
 */
function auditAnnotations({ injections, notInjected }: Defaulting, mode: MutationMode): Record<string, string> {
  const annotations: Record<string, string> = {};
  if (injections.length > 0)
    annotations[mode === 'On' ? 'injected' : 'would-inject'] = provenance(injections, undefined);
  if (notInjected.length > 0) annotations['not-injected'] = auditText(notInjected, formatNotInjected);
  return annotations;
}
