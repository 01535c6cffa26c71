import { formatPath } from '../../base/json/field-path.ts';
import { checkUrl, formatViolation, type Violation } from '../../engine/checks/violation.ts';
import type { Enforcement, MutationMode } from '../../engine/policy/action.ts';
import { isPod, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { skip, type AdmissionRequest, type Decision } from './decision.ts';
import { mayExceptAll } from '../../engine/verdict/exceptions-of-workload.ts';
import { judgeObject, namesOfSubject, sourcesOf, type Judgement, type Subject } from '../../engine/verdict/judge.ts';
import { toleranceOf } from '../../engine/verdict/ratchet.ts';
import { withoutRepeats } from '../../engine/verdict/repeated-advice.ts';
import { violationOfUnseen } from '../../engine/verdict/unseen.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import { updateOf, type Update } from '../../engine/workload/update.ts';
import { controllersOfPod } from '../../engine/workload/workload-of-pod.ts';
import type { Trust, TrustedControllers } from './trusted-controllers.ts';
import { exceptionToPaste } from './exception-to-paste.ts';
import { allowed, denied, violationAnnotation, wouldBeAnnotation } from './response.ts';
import { atMost, scopeOf, type Scope } from './scope.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';

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
  const { mutation } = settings;
  const scope = scopeOf(request, settings.kinds, settings.controllers);
  if (scope.is === 'skipped') return skip(request, scope.reason);
  const { object, kind, templates, trust } = scope;
  const { namespace, oldObject } = request;
  const update = oldObject && updateOf(oldObject, scope);
  if (scope.is === 'too-large') return refuseUnseen(request, scope, update, settings);
  const policies = snapshot.forOneReview();
  // A too large object excuses no violation.
  const comparable = update?.wasTooLarge === false ? update : undefined;
  const isUnchanged = comparable?.changes === 'nothing';
  // An unchanged template is looked at only for warnings about the end of exceptions.
  if (isUnchanged && (isPod(kind) || policies.facts.exceptions.ofNamespace(namespace).length === 0))
    return skip(request, 'unchanged');

  const controlled = isPod(kind) && trust === 'full' && { controllers: controllersOfPod(object) };
  const subject = { object, kind, pods: readPods(templates, kind), namespace, ...controlled };
  const old = comparable && {
    subject: { object: comparable.object, kind, pods: readPods(comparable.templates, kind), namespace },
    changes: comparable.changes,
  };
  const judged = (injects: boolean) => judgeChange({ subject, old, trust }, policies, injects, now);
  const judgement = judged(mutation === 'On');
  if (isUnchanged && judgement.violations.length === 0) return skip(request, 'unchanged');
  // The next rung adds probes, so it has other violations.
  const isTop = mutation !== 'Audit' || isPod(kind);
  const except = (checks: readonly string[]): readonly string[] | undefined =>
    exceptionToPaste(namesOfSubject(subject), namespace, checks, now);
  return decisionOn(request, judgement, (isTop ? judgement : judged(true)).violations, settings, except);
}

/** A request about an object that can be checked. */
interface Change {
  readonly subject: Subject;
  /** Undefined for a creation. */
  readonly old: { readonly subject: Subject; readonly changes: Update['changes'] } | undefined;
  readonly trust: Trust;
}

/** Judges an object, and lets violations deny only where this update adds them and this requester answers for them. */
function judgeChange({ subject, old, trust }: Change, policies: Snapshot, injects: boolean, now: number): Judgement {
  const { object, kind } = subject;
  const willBeDefaulted = injects && !isPod(kind);
  const judgement = judgeObject(subject, policies, willBeDefaulted, now);
  if (old?.changes === 'nothing')
    return { ...judgement, violations: aboutExceptions(judgement.violations), warnings: [] };
  const changesTemplate = old?.changes === 'template';
  const update = { judgement, object, old: old?.subject, changesTemplate };
  const isTolerated = toleranceOf(update, policies, willBeDefaulted, now);
  // The template of a Pod that a controller creates was already checked. To reject the Pod would only hide the
  // violation from the author of the template.
  const violations = judgement.violations.map((violation) => {
    const isExcused = trust === 'full' || (trust === 'not-for-floors' && violation.isFloored !== true);
    return atMost(violation, isExcused ? 'Audit' : isTolerated(violation) ? 'Warn' : 'Deny');
  });
  return { ...judgement, violations, warnings: isPod(kind) ? [] : judgement.warnings };
}

/** What an update says that changes nothing that is judged: at most warnings about exceptions. */
function aboutExceptions(violations: readonly Violation[]): readonly Violation[] {
  return violations
    .filter(({ exception, ended }) => exception !== undefined || ended !== undefined)
    .map((violation) => atMost(violation, 'Warn'));
}

/**
 * Denies an object that is too large to check: after an error, failurePolicy Ignore would allow it, and a command
 * with 50,000 words would evade every check. The object before excuses nothing: no review let it through.
 */
function refuseUnseen(
  request: AdmissionRequest,
  { problem, trust }: Extract<Scope, { readonly is: 'too-large' }>,
  update: Update | undefined,
  settings: ValidateSettings,
): Decision {
  if (update?.changes === 'nothing') return skip(request, 'unchanged');
  // A floor might forbid what nobody has seen.
  const violations = [violationOfUnseen(problem, trust === 'full' ? 'Audit' : 'Deny')];
  return decisionOn(request, { violations, warnings: [], inForce: [] }, violations, settings);
}

/**
 * @param judgement the violations with the actions that policies ask for, before `enforcement` makes them laxer
 * @param askedAtTop the violations with the probes that policies add. Without `mutation: Audit`, the same
 * @param except the exception of these checks
 */
function decisionOn(
  request: AdmissionRequest,
  { violations: asked, warnings: ofAnnotations, inForce }: Judgement,
  askedAtTop: readonly Violation[],
  { enforcement, mutation }: ValidateSettings,
  except: (checks: readonly string[]) => readonly string[] | undefined = () => undefined,
): Decision {
  const violations = withoutRepeats(asked.map((violation) => atMost(violation, enforcement)));
  const atTop = withoutRepeats(askedAtTop);
  const isTop = enforcement === 'Deny' && mutation !== 'Audit';
  const result = (of: readonly Violation[]): 'deny' | 'warn' | 'allow' =>
    of.some(({ action }) => action === 'Deny') ? 'deny' : warningsOf(of, ofAnnotations).length > 0 ? 'warn' : 'allow';
  const wouldBe = isTop ? undefined : { result: result(atTop), violations: atTop };
  const auditAnnotations = { ...violationAnnotation(violations), ...wouldBeAnnotation(violations, atTop) };
  const policies = sourcesOf({ inForce });
  const decision = { result: result(violations), violations, policies, ...(wouldBe && { wouldBe }) };
  const deny = violations.filter(({ action }) => action === 'Deny');
  if (deny.length > 0) {
    const checks = asked.filter(({ action }) => action === 'Deny').map(({ check }) => check);
    // Of an object that nobody has seen, the policies are unknown.
    if (inForce.length === 0) return { ...decision, reply: denied(request.uid, deny, auditAnnotations) };
    const exception = inForce.every((policy) => mayExceptAll(policy, checks)) ? except(checks) : undefined;
    // The sections of the other checks are on the same page.
    const ways = [...deny.slice(0, 1).map(({ check }) => checkUrl(check)), ...(exception ?? [])];
    return { ...decision, reply: denied(request.uid, deny, auditAnnotations, ways) };
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
