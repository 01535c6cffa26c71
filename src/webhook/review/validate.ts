import {
  equalJson,
  isJsonObject,
  listMember,
  member,
  objectMember,
  type JsonObject,
} from '../../base/json/json-value.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { formatViolation, type Violation } from '../../engine/checks/violation.ts';
import type { Enforcement, MutationMode } from '../../engine/policy/action.ts';
import { isPod, podTemplatesOf, workloadKind, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { skip, type Decision } from './decision.ts';
import { mayExceptAll } from '../../engine/verdict/exceptions-of-workload.ts';
import { judgeObject, type Judgement } from '../../engine/verdict/judge.ts';
import { withoutRepeats } from '../../engine/verdict/repeated-advice.ts';
import { toleranceOf, type JudgeBy } from '../../engine/verdict/ratchet.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import { controllersOfPod } from '../../engine/workload/workload-of-pod.ts';
import { trustIn, type TrustedControllers } from './trusted-controllers.ts';
import { allowed, denied, violationAnnotation, wouldBeAnnotation } from './response.ts';
import { atMost, scopeOf, sizeProblem, violationOfUnseen } from './scope.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { AdmissionRequest } from './review.ts';

export interface ValidateSettings {
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
  readonly kinds: readonly WorkloadKind[];
  readonly controllers: TrustedControllers;
}

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
  const { controllers, kinds, mutation } = settings;
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

  const trust = trustIn(request, controllers, kinds);
  const controlled = isPod(kind) && trust === 'full' && { controllers: controllersOfPod(object) };
  const subject = { object, kind, pods: readPods(templates, kind), namespace, ...controlled };
  const oldTemplates = oldObject && podTemplatesOf(oldObject, kind);
  const old = oldTemplates && { object: oldObject, kind, pods: readPods(oldTemplates, kind), namespace };
  const changesTemplate = old !== undefined && (isPod(kind) || !equalJson(templates, oldTemplates));
  const judgedWith = (injects: boolean): Judgement => {
    const judgeBy: JudgeBy = (of, inForce) => judgeObject(of, inForce, injects && !isPod(kind), now);
    const judgement = judgeBy(subject, policies);
    if (isUnchanged) return { ...judgement, violations: aboutExceptions(judgement.violations) };
    const isTolerated = toleranceOf({ ...judgement, object, old, changesTemplate }, judgeBy, policies);
    // The template of a Pod that a controller creates was already checked. To reject the Pod would only hide the
    // violation from the author of the template.
    const violations = judgement.violations.map((violation) => {
      const isExcused = trust === 'full' || (trust === 'not-for-floors' && violation.isFloored !== true);
      return atMost(violation, isExcused ? 'Audit' : isTolerated(violation) ? 'Warn' : 'Deny');
    });
    return { ...judgement, violations };
  };
  const judgement = judgedWith(mutation === 'On');
  if (isUnchanged && judgement.violations.length === 0) return skip(request, 'unchanged');
  const mayBeExcepted = (checks: readonly string[]): boolean =>
    request.operation === 'UPDATE' &&
    subject.pods.every(({ labels }) => mayExceptAll(policies.policyFor(namespace, labels), checks));
  const warnings = isPod(kind) || isUnchanged ? [] : judgement.warnings;
  // The next rung adds probes, so it has other violations.
  const atTop = mutation === 'Audit' && !isPod(kind) ? judgedWith(true).violations : judgement.violations;
  return decide(request, { ...judgement, warnings, atTop }, settings, mayBeExcepted);
}

/** What an update says that changes nothing that is judged: at most warnings about exceptions. */
function aboutExceptions(violations: readonly Violation[]): readonly Violation[] {
  return violations
    .filter(({ exception, ended }) => exception !== undefined || ended !== undefined)
    .map((violation) => atMost(violation, 'Warn'));
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
  const isExcused = trustIn(request, settings.controllers, settings.kinds) === 'full';
  const violations = [violationOfUnseen(problem, isExcused ? 'Audit' : wasTooLarge ? 'Warn' : 'Deny')];
  return decide(request, { violations, warnings: [], policies: [], atTop: violations }, settings);
}

/** The object before the update, if it is not too large to check. A too large object excuses no violation. */
function comparable({ oldObject, kind }: AdmissionRequest, kinds: readonly WorkloadKind[]): JsonObject | undefined {
  const known = workloadKind(kind.group, kind.kind, kinds);
  if (oldObject === undefined || known === undefined) return undefined;
  return sizeProblem(podTemplatesOf(oldObject, known)) === undefined ? oldObject : undefined;
}

interface RatchetedJudgement extends Judgement {
  /** The violations with the probes that policies add. Without `mutation: Audit`, the same as `violations`. */
  readonly atTop: readonly Violation[];
}

/** @param judgement the violations with the actions that policies ask for, before `enforcement` makes them laxer */
function decide(
  request: AdmissionRequest,
  { violations: asked, warnings: ofAnnotations, policies, atTop: askedAtTop }: RatchetedJudgement,
  { enforcement, mutation }: ValidateSettings,
  mayBeExcepted: (checks: readonly string[]) => boolean = () => false,
): Decision {
  const violations = withoutRepeats(asked.map((violation) => atMost(violation, enforcement)));
  const atTop = withoutRepeats(askedAtTop);
  const isTop = enforcement === 'Deny' && mutation !== 'Audit';
  const result = (of: readonly Violation[]): 'deny' | 'warn' | 'allow' =>
    of.some(({ action }) => action === 'Deny') ? 'deny' : warningsOf(of, ofAnnotations).length > 0 ? 'warn' : 'allow';
  const wouldBe = isTop ? undefined : { result: result(atTop), violations: atTop };
  const auditAnnotations = { ...violationAnnotation(violations), ...wouldBeAnnotation(violations, atTop) };
  const decision = { result: result(violations), violations, policies, ...(wouldBe && { wouldBe }) };
  const deny = violations.filter(({ action }) => action === 'Deny');
  if (deny.length > 0) {
    const isPointed = mayBeExcepted(asked.filter(({ action }) => action === 'Deny').map(({ check }) => check));
    return { ...decision, reply: denied(request.uid, deny, auditAnnotations, isPointed) };
  }
  const warnings = warningsOf(violations, ofAnnotations);
  return { ...decision, reply: allowed(request.uid, { warnings, auditAnnotations }) };
}

function warningsOf(violations: readonly Violation[], ofAnnotations: readonly string[]): readonly string[] {
  return [
    ...violations.filter(({ action }) => action === 'Warn').map(formatViolation),
    ...violations.flatMap(warningOfEnd),
    ...ofAnnotations,
  ];
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
