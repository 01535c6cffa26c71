import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { exceptionSource } from '../../engine/facts/facts.ts';
import { equalJson, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { POLICY_GROUP } from '../../engine/policy/object-names.ts';
import { parseProbeException } from '../../engine/policy/read-exception.ts';
import {
  endOf,
  EXCEPTION_KIND,
  exceptionRules,
  exceptionSpec,
  mayExcept,
  type ProbeException,
} from '../../engine/policy/probe-exception.ts';
import { parseProbePolicy } from '../../engine/policy/read-policy.ts';
import { POLICY_KINDS, policySource } from '../../engine/policy/probe-policy.ts';
import { formatProblem, type Problem } from '../../engine/policy/reader.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { count, cut } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';
import { formatInstant } from '../../base/text/duration.ts';
import { adviceAbout } from '../../engine/verdict/policy-advice.ts';
import { isBeingDeleted } from '../../engine/workload/kinds.ts';
import { skip, withEffect, withWarnings, type AdmissionRequest, type Decision, type Reviewed } from './decision.ts';
import { invalid, type AdmissionReviewReply } from './response.ts';
import { isControllerManager } from './trusted-controllers.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';

/** In characters. A policy has a spec of 64 KiB and annotations of 256 KiB. */
const LONGEST_POLICY = 1024 * 1024;

const REVIEWED_KINDS = [...POLICY_KINDS, EXCEPTION_KIND] as const;

/**
 * Answers `/review-policies`: denies what cannot be read, and warns about probes that are probably wrong and about
 * parts of an exception without effect. An update that leaves the spec unchanged is never denied, because finalizers
 * must be removable.
 *
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
  const unread = request.unread ?? lengthProblem(object);
  if (unread !== undefined)
    return { reply: unreadable(request.uid, [{ path: ['metadata'], message: unread }]), result: 'deny' };
  const isUnchanged = equalJson(member(object, 'spec'), request.oldObject && member(request.oldObject, 'spec'));
  const reading =
    kind === EXCEPTION_KIND
      ? readException(complete(object, request), request.namespace, policies, now)
      : readPolicy(complete(object, request));
  if (reading.problems !== undefined) {
    // The object was stored with the same spec.
    if (isUnchanged) return withWarnings(request, reading.problems.map(formatProblem));
    return { reply: unreadable(request.uid, reading.problems), result: 'deny' };
  }
  const decision = withWarnings(request, reading.warnings);
  if (!isUnchanged) return { ...decision, reviewed: reading.reviewed };
  // A dry run always says what the effect is.
  return withEffect(request, decision, request.dryRun ? ['no effect: the spec does not change'] : []);
}

function lengthProblem(object: JsonObject): string | undefined {
  if (JSON.stringify(object).length <= LONGEST_POLICY) return undefined;
  return `the object has more than ${LONGEST_POLICY} characters; make it shorter`;
}

type Reading =
  | { readonly problems: readonly Problem[] }
  | { readonly problems?: undefined; readonly warnings: readonly string[]; readonly reviewed: Reviewed };

function readPolicy(object: JsonObject): Reading {
  const parsed = parseProbePolicy(CHECK_CATALOGUE, object);
  if (parsed.problems !== undefined) return parsed;
  const { policy, warnings } = parsed;
  const { source, namespace } = policy;
  const advice = adviceAbout(policy).map(({ check, field, message }) => `${field}: ${message} (${check})`);
  return {
    // The policy's status shows the same advice.
    warnings: [...warnings.map(formatProblem), ...advice],
    reviewed: { kind: 'policy', source, namespace, applied: policy },
  };
}

function readException(object: JsonObject, namespace: string, policies: Snapshot, now: number): Reading {
  const parsed = parseProbeException(CHECK_CATALOGUE, object);
  if (parsed.problems !== undefined) return parsed;
  const { exception } = parsed;
  const source = exceptionSource(namespace, exception.name);
  const warnings = ruleWarnings(exception, namespace, policies, now);
  return { warnings, reviewed: { kind: 'exception', source, namespace, applied: exception } };
}

/** Says which parts of an exception have no effect. */
function ruleWarnings(exception: ProbeException, namespace: string, policies: Snapshot, now: number): string[] {
  // Selectors over labels of workloads cannot be known here. Policies of the cluster set the rules.
  const rules = exceptionRules(policies.policyFor(namespace, new Map()).layers);
  if (rules.action === 'Ignore')
    return [`${EXCEPTION_KIND}s have no effect in namespace ${namespace}: a policy sets exceptions.action to Ignore`];
  const warnings = exceptionSpec(exception)
    .checks.filter((check) => !mayExcept(rules, check))
    .map((check) => `spec.checks: the policies allow no exception from ${check}, so ${check} stays in force`);
  const end = endOf(exception, rules);
  if (exception.expires <= now)
    warnings.push(`spec.expires: the exception ended at ${formatInstant(exception.expires)}, so it has no effect`);
  else if (end < exception.expires)
    warnings.push(
      `spec.expires: the policies allow at most ${count(rules.maximumDays, 'day')}, so the exception ends at ${formatInstant(end)}`,
    );
  return warnings;
}

/** A deletion removes probes and floors, so its effect is shown; but not to the controllers that empty a namespace. */
function deletion(request: AdmissionRequest, kind: (typeof REVIEWED_KINDS)[number]): Decision {
  const decision = withWarnings(request, []);
  const { name, namespace } = request;
  if (name === '' || isControllerManager(request.userName)) return decision;
  const own = kind === 'ClusterProbePolicy' ? undefined : namespace;
  const deleted = { source: policySource(kind, own, name), applied: undefined };
  if (kind === EXCEPTION_KIND) return { ...decision, reviewed: { kind: 'exception', namespace, ...deleted } };
  return { ...decision, reviewed: { kind: 'policy', namespace: own, ...deleted } };
}

/** A problem quotes keys of the object, which may have any length. */
const MAX_PROBLEM_LENGTH = 500;

function unreadable(uid: string, problems: readonly Problem[]): AdmissionReviewReply {
  const shown = (text: string): string => visible(cut(text, MAX_PROBLEM_LENGTH));
  const causes = problems.map(({ path, message }) => ({
    reason: 'FieldValueInvalid',
    field: shown(formatPath(path)),
    message: shown(message),
  }));
  return invalid(uid, problems.map((problem) => shown(formatProblem(problem))).join('\n'), causes);
}

/** The object with its name and namespace. Old API servers send some objects without them. */
function complete(object: JsonObject, { name, namespace }: AdmissionRequest): JsonObject {
  const metadata = objectMember(object, 'metadata');
  if (metadata === undefined) return object;
  const missing = Object.entries({ name, namespace }).filter(
    ([field, value]) => value !== '' && stringMember(metadata, field) === undefined,
  );
  return { ...object, metadata: { ...metadata, ...Object.fromEntries(missing) } };
}
