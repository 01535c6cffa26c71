import { objectMember, stringMap } from '../probes/json.ts';
import { readAnnotations } from '../policy/annotations.ts';
import { skip } from './decision.ts';
import { allowed } from './response.ts';
import { scopeOf } from './scope.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { Decision } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/**
 * Answers `/validate`. A workload with a malformed annotation gets a warning when it is applied, where its author sees it: the
 * warnings on the Pods that a controller creates from it reach nobody.
 */
export function validate(request: AdmissionRequest, policies: PolicySet): Decision {
  const scope = scopeOf(request);
  if ('skipped' in scope) return skip(request, scope.skipped);
  const metadata = objectMember(scope.template, 'metadata') ?? {};
  const policy = policies.policyFor(request.namespace, stringMap(metadata, 'labels'));
  const warnings =
    scope.kind.kind === 'Pod' || policy.annotations === 'Ignore'
      ? []
      : readAnnotations(stringMap(metadata, 'annotations')).warnings;
  return {
    reply: allowed(request.uid, { warnings }),
    result: warnings.length > 0 ? 'warn' : 'allow',
    policies: policy.layers.map((layer) => layer.source),
  };
}
