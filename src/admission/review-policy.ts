import { equalJson } from '../json/equal-json.ts';
import { member, objectMember, stringMember } from '../json/json-value.ts';
import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { fullMessage } from '../checks/violation.ts';
import { formatPath } from '../json/field-path.ts';
import { POLICY_API_VERSION, POLICY_KINDS, parseProbePolicy } from '../policy/probe-policy.ts';
import { formatProblem } from '../policy/problems.ts';
import { policyAdvice } from '../verdict/policy-advice.ts';
import { isBeingDeleted } from '../workload/kinds.ts';
import { skip } from './decision.ts';
import { ObjectTooLarge } from './object-size.ts';
import { allowed, invalid } from './response.ts';
import { isControllerManager } from './trusted-controllers.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { ProbePolicy } from '../policy/probe-policy.ts';
import type { Steps } from '../steps.ts';
import type { Decision } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/**
 * An API server sends no longer review of a policy: each of the two objects has a spec of 64 KiB, annotations of 256
 * KiB, and the last good version in its status.
 */
const LONGEST_TEXT = 2 * 1024 * 1024;

const [POLICY_GROUP] = POLICY_API_VERSION.split('/');

/**
 * Answers `/review-policies`: denies a policy that cannot be read, and warns about probes of the policy that are
 * probably wrong. An update that leaves the spec unchanged is never denied, because finalizers must be removable.
 * Deletions are never denied either.
 */
export function* reviewPolicyInSteps(request: AdmissionRequest): Steps<Decision> {
  const kind = POLICY_KINDS.find((known) => known === request.kind.kind);
  if (kind === undefined || request.kind.group !== POLICY_GROUP) return skip(request, 'kind');
  if (request.subResource !== '') return skip(request, 'subresource');
  if (request.operation === 'DELETE') return deletion(request, kind);
  const { object } = request;
  if (object === undefined || !['CREATE', 'UPDATE'].includes(request.operation)) return skip(request, 'operation');
  if (isBeingDeleted(object)) return skip(request, 'being-deleted');
  if (request.textLength > LONGEST_TEXT)
    throw new ObjectTooLarge(`the review has ${request.textLength} characters: policies are shorter`);
  const parsed = parseProbePolicy(CHECK_CATALOGUE, complete(object, request));
  yield;
  const isUnchanged = equalJson(member(object, 'spec'), request.oldObject && member(request.oldObject, 'spec'));
  yield;
  if ('problems' in parsed) {
    const problems = parsed.problems.map(formatProblem);
    if (!isUnchanged) return { reply: invalid(request.uid, parsed.problems), result: 'deny' };
    return withWarnings(request, problems);
  }
  const warnings = parsed.warnings.map(formatProblem);
  for (const line of adviceLines(parsed.policy)) warnings.push(line);
  yield;
  if (isUnchanged) return withWarnings(request, warnings);
  const { source, namespace } = parsed.policy;
  return { ...withWarnings(request, warnings), reviewed: { source, namespace, applied: parsed.policy } };
}

/** Allows the policy with warnings. */
function withWarnings({ uid }: AdmissionRequest, warnings: readonly string[]): Decision {
  return { reply: allowed(uid, { warnings }), result: warnings.length > 0 ? 'warn' : 'allow' };
}

/**
 * Returns a decision with the effect of the policy as further warnings. They come first, because a reply has room for
 * few warnings.
 */
export function withEffect(request: AdmissionRequest, decision: Decision, effect: readonly string[]): Decision {
  return effect.length === 0
    ? decision
    : withWarnings(request, [...effect, ...(decision.reply.response.warnings ?? [])]);
}

/**
 * A deletion removes probes and floors, so its effect is shown. Nobody reads the warnings of the controllers that empty
 * a namespace, and their requests must not wait.
 */
function deletion(request: AdmissionRequest, kind: ProbePolicy['kind']): Decision {
  const decision = withWarnings(request, []);
  const { name, namespace } = request;
  if (name === '' || isControllerManager(request.userName)) return decision;
  const isCluster = kind === 'ClusterProbePolicy';
  const source = [kind, ...(isCluster ? [] : [namespace]), name].join('/');
  return { ...decision, reviewed: { source, namespace: isCluster ? undefined : namespace, applied: undefined } };
}

/** The object with its name and namespace. Old API servers send some objects without them. */
function complete(object: JsonObject, { name, namespace }: AdmissionRequest): JsonObject {
  const metadata = objectMember(object, 'metadata');
  if (metadata === undefined) return object;
  const missing: Record<string, string> = {};
  if (name !== '' && stringMember(metadata, 'name') === undefined) missing['name'] = name;
  if (namespace !== '' && stringMember(metadata, 'namespace') === undefined) missing['namespace'] = namespace;
  return { ...object, metadata: { ...metadata, ...missing } };
}

/** The advice that the policy's status shows too. */
function adviceLines(policy: ProbePolicy): string[] {
  return policyAdvice(policy)
    .filter(({ action }) => action !== 'Audit')
    .map(({ check, path, message, policy: fault }) => {
      const remedy = fault?.remedy;
      return `${formatPath(path)}: ${fullMessage({ message, ...(remedy !== undefined && { remedy }) })} (${check})`;
    });
}
