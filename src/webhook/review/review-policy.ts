import { exceptionSource } from '../../engine/facts/exceptions.ts';
import { equalJson } from '../../base/json/equal-json.ts';
import { member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { fullMessage } from '../../engine/checks/violation.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { POLICY_API_VERSION, POLICY_KINDS, parseProbePolicy } from '../../engine/policy/probe-policy.ts';
import { EXCEPTION_KIND } from '../../engine/policy/probe-exception.ts';
import { formatProblem } from '../../engine/policy/problems.ts';
import { policyAdvice } from '../../engine/verdict/policy-advice.ts';
import { isBeingDeleted } from '../../engine/workload/kinds.ts';
import { reviewException } from './review-exception.ts';
import { skip } from './decision.ts';
import { ObjectTooLarge } from './object-size.ts';
import { allowed, invalid } from './response.ts';
import { isControllerManager } from './trusted-controllers.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Problem } from '../../engine/policy/problems.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { Decision } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/**
 * An API server sends no longer review of a policy: each of the two objects has a spec of 64 KiB, annotations of 256
 * KiB.
 */
const LONGEST_TEXT = 2 * 1024 * 1024;

const REVIEWED_KINDS = [...POLICY_KINDS, EXCEPTION_KIND] as const;

const [POLICY_GROUP] = POLICY_API_VERSION.split('/');

/**
 * Answers `/review-policies`: denies a policy or an exception that cannot be read. Warns about probes of the policy
 * that are probably wrong, and about parts of an exception without effect. An update that leaves the spec unchanged is
 * never denied, because finalizers must be removable. Deletions are never denied either.
 *
 * @param policies the policies in force
 * @param now the instant of the request, in milliseconds since the epoch
 */
export function reviewPolicy(request: AdmissionRequest, policies: Snapshot, now: number): Decision {
  const kind = REVIEWED_KINDS.find((known) => known === request.kind.kind);
  if (kind === undefined || request.kind.group !== POLICY_GROUP) return skip(request, 'kind');
  if (request.subResource !== '') return skip(request, 'subresource');
  if (request.operation === 'DELETE') return deletion(request, kind);
  const { object } = request;
  if (object === undefined || !['CREATE', 'UPDATE'].includes(request.operation)) return skip(request, 'operation');
  if (isBeingDeleted(object)) return skip(request, 'being-deleted');
  if (request.textLength > LONGEST_TEXT)
    throw new ObjectTooLarge(`the review has ${request.textLength} characters: policies are shorter`);
  const before = request.oldObject && member(request.oldObject, 'spec');
  const isUnchanged = equalJson(member(object, 'spec'), before);
  if (kind === EXCEPTION_KIND) {
    const review = reviewException(complete(object, request), request.namespace, policies, now);
    if ('problems' in review) return withProblems(request, review.problems, isUnchanged);
    const decision = withWarnings(request, review.warnings);
    return isUnchanged ? withoutEffect(request, decision) : { ...decision, reviewed: review.reviewed };
  }
  const parsed = parseProbePolicy(CHECK_CATALOGUE, complete(object, request));
  if ('problems' in parsed) return withProblems(request, parsed.problems, isUnchanged);
  const warnings = parsed.warnings.map(formatProblem);
  for (const line of adviceLines(parsed.policy)) warnings.push(line);
  if (isUnchanged) return withoutEffect(request, withWarnings(request, warnings));
  const { source, namespace } = parsed.policy;
  return { ...withWarnings(request, warnings), reviewed: { source, namespace, applied: parsed.policy } };
}

/** Denies an object that cannot be read, unless the object was stored with the same spec. */
function withProblems(request: AdmissionRequest, problems: readonly Problem[], isUnchanged: boolean): Decision {
  if (isUnchanged) return withWarnings(request, problems.map(formatProblem));
  return { reply: invalid(request.uid, problems), result: 'deny' };
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

/** A dry run always says what the effect is. */
function withoutEffect(request: AdmissionRequest, decision: Decision): Decision {
  return withEffect(request, decision, request.dryRun ? ['no effect: the spec does not change'] : []);
}

/**
 * A deletion removes probes and floors, so its effect is shown. Nobody reads the warnings of the controllers that empty
 * a namespace, and their requests must not wait.
 */
function deletion(request: AdmissionRequest, kind: (typeof REVIEWED_KINDS)[number]): Decision {
  const decision = withWarnings(request, []);
  const { name, namespace } = request;
  if (name === '' || isControllerManager(request.userName)) return decision;
  if (kind === EXCEPTION_KIND)
    return { ...decision, reviewed: { source: exceptionSource(namespace, name), namespace, exception: undefined } };
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
