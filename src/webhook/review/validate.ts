import {
  equalJson,
  isJsonObject,
  listMember,
  member,
  objectMember,
  type JsonObject,
} from '../../base/json/json-value.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { formatPath, valueAt } from '../../base/json/field-path.ts';
import { formatViolation, violationKey, type Violation } from '../../engine/checks/violation.ts';
import { laxer, type Enforcement, type MutationMode } from '../../engine/policy/action.ts';
import { layersWithProbes } from '../../engine/policy/container-policy.ts';
import { isPod, podTemplatesOf, workloadKind, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { skip, type Decision } from './decision.ts';
import { mayExceptAll } from '../../engine/verdict/exceptions-of-workload.ts';
import { judge, type Judgement, type Subject } from '../../engine/verdict/judge.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import { controllersOfPod } from '../../engine/workload/workload-of-pod.ts';
import { trustIn, type TrustedControllers } from './trusted-controllers.ts';
import { allowed, denied, violationAnnotation } from './response.ts';
import { atMost, scopeOf, sizeProblem, violationOfUnseen } from './scope.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { AdmissionRequest } from './review.ts';

export interface ValidateSettings {
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
  readonly kinds: readonly WorkloadKind[];
  readonly controllers: TrustedControllers;
}

type JudgeAt = (subject: Subject, policies: Snapshot) => Judgement;

/**
 * Answers `/validate`: runs all checks on the effective template, at CREATE and when the template or a rollout limit
 * changed. For a Pod, when a probe changed. Only violations that an update adds may deny.
 *
 * @param now in milliseconds since the epoch. Old and new are judged at this instant
 */
export function validate(
  request: AdmissionRequest,
  snapshot: Snapshot,
  settings: ValidateSettings,
  now: number,
): Decision {
  const policies = snapshot.forOneReview();
  const { controllers, enforcement, kinds, mutation } = settings;
  const scope = scopeOf(request, kinds, controllers);
  if (scope.is === 'too-large') return refuseUnseen(request, settings, scope.problem);
  if (scope.is === 'skipped') return skip(request, scope.reason);
  const { object, kind, templates } = scope;
  const { namespace } = request;
  const oldObject = comparable(request, kinds);
  const isUnchanged = oldObject !== undefined && !hasChanged(object, oldObject, kind);
  // An unchanged template is looked at only for warnings about the end of exceptions.
  if (isUnchanged && (isPod(kind) || policies.facts.exceptions.ofNamespace(namespace).length === 0))
    return skip(request, 'unchanged');

  const judgeAt: JudgeAt = (subject, inForce) => judge(subject, inForce, mutation === 'On' && !isPod(kind), now);
  const trust = trustIn(request, controllers, kinds);
  const pods = readPods(templates, kind);
  const judgement = judgeAt(
    {
      object,
      kind,
      pods,
      namespace,
      ...(isPod(kind) && trust === 'full' && { controllers: controllersOfPod(object) }),
    },
    policies,
  );
  if (isUnchanged) return aboutExceptions(request, judgement, enforcement);
  const isTolerated = toleranceOf(judgement.violations, { object, kind, namespace }, oldObject, judgeAt, policies);
  // The template of a Pod that a controller creates was already checked. To reject the Pod would only hide the
  // violation from the author of the template.
  const violations = judgement.violations.map((violation) => {
    const isExcused = trust === 'full' || (trust === 'not-for-floors' && violation.isFloored !== true);
    const cap = isExcused ? 'Audit' : enforcement;
    return atMost(violation, isTolerated(violation) ? laxer('Warn', cap) : cap);
  });
  const mayBeExcepted = (checks: readonly string[]): boolean =>
    request.operation === 'UPDATE' &&
    pods.every(({ labels }) => mayExceptAll(policies.policyFor(namespace, labels), checks));
  const warnings = isPod(kind) ? [] : judgement.warnings;
  return decide(request, violations, warnings, judgement.policies, mayBeExcepted);
}

/**
 * Tells the violations that an update does not add (never at CREATE). After the end of its exception, a violation
 * counts as added: a change of the template is the time to correct it.
 */
function toleranceOf(
  violations: readonly Violation[],
  { object, kind, namespace }: Omit<Subject, 'pods'>,
  oldObject: JsonObject | undefined,
  judgeAt: JudgeAt,
  policies: Snapshot,
): (violation: Violation) => boolean {
  // To be tolerated only keeps a violation from denying.
  if (oldObject === undefined || !violations.some(({ action }) => action === 'Deny')) return () => false;
  const old = { object: oldObject, kind, pods: readPods(podTemplatesOf(oldObject, kind), kind), namespace };
  const { violations: before } = judgeAt(old, policies);
  const tolerated = new Map(before.map((violation) => [violationKey(violation), violation]));
  // What nobody could read before excuses the same text alone: another text may hide what a floor forbids.
  const isIn = (known: ReadonlyMap<string, Violation>, violation: Violation): boolean => {
    const excuse = known.get(violationKey(violation));
    if (excuse === undefined || violation.isUnread !== true) return excuse !== undefined;
    return equalJson(valueAt(oldObject, excuse.path), valueAt(object, violation.path));
  };
  // With its own probes, a namespace could make its old object violate a floored check, and so excuse the next
  // violation. So floored violations of the old object are checked again with the cluster's policies alone. Only these
  // set floors, so nothing changes where the namespace's policies give no probes.
  const needsPlatform = violations.some((found) => found.isFloored === true && isIn(tolerated, found));
  const givesProbes = old.pods.some(({ labels }) =>
    layersWithProbes(policies.policyFor(namespace, labels).layers).some(({ kind: tier }) => tier === 'ProbePolicy'),
  );
  const again = needsPlatform && givesProbes ? judgeAt(old, policies.ofCluster).violations : before;
  const flooredBefore = new Map(
    again.filter(({ isFloored }) => isFloored === true).map((violation) => [violationKey(violation), violation]),
  );
  const isSameTemplate = !isPod(kind) && equalJson(podTemplatesOf(object, kind), podTemplatesOf(oldObject, kind));
  return (violation) => {
    if (violation.ended !== undefined && !isSameTemplate) return false;
    return isIn(tolerated, violation) && (violation.isFloored !== true || isIn(flooredBefore, violation));
  };
}

/** Answers an update that changes nothing that is judged: at most with warnings about exceptions. */
function aboutExceptions(request: AdmissionRequest, judgement: Judgement, enforcement: Enforcement): Decision {
  const about = judgement.violations
    .filter(({ exception, ended }) => exception !== undefined || ended !== undefined)
    .map((violation) => atMost(violation, laxer('Warn', enforcement)));
  return about.length === 0 ? skip(request, 'unchanged') : decide(request, about, [], judgement.policies);
}

/**
 * Denies an object that is too large to check: after an error, failurePolicy Ignore would allow it, and a command
 * with 50,000 words would evade every check. An object that was too large before only warns.
 */
function refuseUnseen(request: AdmissionRequest, settings: ValidateSettings, problem: string): Decision {
  const { object, oldObject } = request;
  const kind = workloadKind(request.kind.group, request.kind.kind, settings.kinds);
  if (object !== undefined && oldObject !== undefined && kind !== undefined && !hasChanged(object, oldObject, kind))
    return skip(request, 'unchanged');
  const wasTooLarge = oldObject !== undefined && comparable(request, settings.kinds) === undefined;
  // A floor might forbid what nobody has seen.
  const cap = trustIn(request, settings.controllers, settings.kinds) === 'full' ? 'Audit' : settings.enforcement;
  const action = laxer(wasTooLarge ? 'Warn' : 'Deny', cap);
  return decide(request, [violationOfUnseen(problem, action)], [], []);
}

/** The object before the update, if it is not too large to check. A too large object excuses no violation. */
function comparable({ oldObject, kind }: AdmissionRequest, kinds: readonly WorkloadKind[]): JsonObject | undefined {
  const known = workloadKind(kind.group, kind.kind, kinds);
  if (oldObject === undefined || known === undefined) return undefined;
  return sizeProblem(podTemplatesOf(oldObject, known)) === undefined ? oldObject : undefined;
}

function decide(
  request: AdmissionRequest,
  violations: readonly Violation[],
  annotationWarnings: readonly string[],
  policies: readonly string[],
  mayBeExcepted: (checks: readonly string[]) => boolean = () => false,
): Decision {
  const auditAnnotations = violationAnnotation(violations);
  const deny = violations.filter(({ action }) => action === 'Deny');
  if (deny.length > 0) {
    const isPointed = mayBeExcepted(deny.map(({ check }) => check));
    return { reply: denied(request.uid, deny, auditAnnotations, isPointed), result: 'deny', violations, policies };
  }
  const warnings = [
    ...violations.filter(({ action }) => action === 'Warn').map(formatViolation),
    ...violations.flatMap(warningOfEnd),
    ...annotationWarnings,
  ];
  return {
    reply: allowed(request.uid, { warnings, auditAnnotations }),
    result: warnings.length > 0 ? 'warn' : 'allow',
    violations,
    policies,
  };
}

/** A warning in the last 14 days of an exception. The message has the end and no number of days. */
function warningOfEnd({ path, check, exception }: Violation): string[] {
  if (exception?.isEnding !== true) return [];
  const { name, owner, expires } = exception;
  return [`${formatPath(path)}: ProbeException ${name} (owner ${owner}) allows this until ${expires} only (${check})`];
}

function hasChanged(object: JsonObject, oldObject: JsonObject, kind: WorkloadKind): boolean {
  if (isPod(kind)) return !equalJson(probesOf(object), probesOf(oldObject));
  return (
    !equalJson(podTemplatesOf(object, kind), podTemplatesOf(oldObject, kind)) ||
    !equalJson(rolloutOf(object), rolloutOf(oldObject))
  );
}

/** The fields outside of the template that checks read: the time limits of a Deployment's rollout. */
function rolloutOf(object: JsonObject): unknown {
  const spec = objectMember(object, 'spec') ?? {};
  return [member(spec, 'progressDeadlineSeconds') ?? null, member(spec, 'minReadySeconds') ?? null];
}

/** A Pod's probes, container by container. Changes of labels, images and tolerations need no new check. */
function probesOf(pod: JsonObject): unknown {
  const spec = objectMember(pod, 'spec') ?? {};
  const containers = [...listMember(spec, 'containers'), ...listMember(spec, 'initContainers')].filter(isJsonObject);
  return containers.map((container) => ['name', ...PROBE_KINDS].map((field) => member(container, field) ?? null));
}
